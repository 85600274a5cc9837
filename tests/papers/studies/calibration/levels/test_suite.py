"""The suite has every public test, and the shipped config measures all."""

import fairpairs
from fairpairs.papers.studies.calibration.levels.suite import BESIDE, MARGINS, TESTS


def test_every_public_test_is_in_the_study():
    public = {
        name
        for name in dir(fairpairs)
        if name.endswith(
            ("_test", "_raters", "_bridge", "_from_judgments", "density_ratio_fairness")
        )
        or name in ("audit", "xauc")
    }
    # any statistic of one's own; and the bridge that holds its level only if the model is unbiased
    public -= {"permutation_test", "unbiased_bridge"}
    # tests/mathematics/judgments/test_share_levels.py measures these, as their data have judges
    public -= {"outcome_ties_test", "first_place_test", "judge_lean_test"}
    covered = {name for name in public if any(test.startswith(name) for test in TESTS)}
    assert covered == public


def test_the_shipped_config_measures_all_of_them():
    from pathlib import Path

    import yaml

    config = yaml.safe_load(
        (Path(__file__).parents[5] / "config/studies/calibration.yaml").read_text("utf-8")
    )
    assert config["calibration"]["levels"] == [*TESTS, *MARGINS, *BESIDE, "power"]
