"""The study of levels, coverage and planned power: what it counts, and that it finds a bad test."""

import numpy as np
import pytest
from scipy.stats import binomtest

import fairpairs
from fairpairs.errors import InputError
from fairpairs.studies.calibration.levels import measure as study, tests
from fairpairs.studies.calibration.levels.cases import Case, Sample
from fairpairs.studies.calibration.levels.tables import worst_cases, worst_first
from fairpairs.studies.calibration.levels.tests import TESTS, Found, LevelTest


def nothing(rng):
    return Sample(np.zeros(0, int), np.zeros(0), np.zeros(0), np.zeros(2, int))


def made(monkeypatch, run, repeats=400):
    """What the study says of a made test."""
    monkeypatch.setitem(TESTS, "made", LevelTest(run, (Case("nothing", nothing),)))
    return study.measure("made", repeats=repeats, seed=1, alpha=0.05)


@pytest.mark.parametrize(("level", "noted", "kept"), [
    (0.05, False, True), (0.15, False, False), (0.1, True, True), (0.25, True, False),
])  # fmt: skip
def test_a_test_that_misses_its_level_is_found(monkeypatch, level, noted, kept):
    # at the level itself a promise is called broken in 1 %, at 0.15 or 0.25 in all but 1e-6
    def run(sample, rng, alpha):
        yield Found("Holm", bool(rng.random() < level), noted)

    (row,) = made(monkeypatch, run).to_dict("records")
    assert (row["promise"], row["noted"], row["kept"]) == ("level", noted, kept)
    assert row["promised"] == (0.1 if noted else 0.05)


@pytest.mark.parametrize(("cover", "kept"), [(0.95, True), (0.85, False)])
def test_intervals_that_cover_too_little_are_found(monkeypatch, cover, kept):
    def run(sample, rng, alpha):
        yield Found("Holm", None, False, {"gap": [(bool(rng.random() < cover), False)]})

    (row,) = made(monkeypatch, run).to_dict("records")
    assert (row["promise"], row["of"], row["kept"]) == ("coverage", "gap", kept)


def test_results_with_and_without_a_note_are_counted_apart(monkeypatch):
    def run(sample, rng, alpha):
        noted = bool(rng.random() < 0.5)
        yield Found("Holm", noted, noted)

    rows = made(monkeypatch, run).set_index("noted")
    assert rows["measured"].to_dict() == {False: 0.0, True: 1.0}
    assert rows["sets"].sum() == 400


def test_a_data_set_that_cannot_be_tested_claims_nothing(monkeypatch):
    def run(sample, rng, alpha):
        raise InputError("one group only")

    assert made(monkeypatch, run).empty


@pytest.mark.parametrize(("found", "sets"), [(0, 50), (7, 100), (50, 50), (412, 1000)])
def test_bounds_are_those_of_clopper_and_pearson(found, sets):
    low = binomtest(found, sets, alternative="greater").proportion_ci(0.99).low
    high = binomtest(found, sets, alternative="less").proportion_ci(0.99).high
    assert study.level_row("Holm", False, found, sets, 0.05)["bound"] == pytest.approx(low)
    assert study.power_row(0.8, found, sets)["bound"] == pytest.approx(high)
    shares = np.repeat([1.0, 0.0], [found, sets - found])
    assert study.coverage_row("gap", False, shares, 0.05)["bound"] == pytest.approx(high)


def test_the_numbers_depend_on_the_seed_alone():
    one, two, other = (
        study.measure("biased_bridge", repeats=10, seed=seed, alpha=0.05) for seed in (1, 1, 2)
    )
    assert one.equals(two)
    assert not one.equals(other)


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
    covered = {name for name in public if any(test.startswith(name) for test in TESTS)}
    assert covered == public


def test_the_shipped_config_measures_all_of_them():
    from pathlib import Path

    import yaml

    config = yaml.safe_load(
        (Path(__file__).parents[4] / "config/studies/calibration.yaml").read_text("utf-8")
    )
    assert config["calibration"]["levels"] == [*TESTS, "power"]


def test_the_worst_case_comes_first(monkeypatch):
    def run(sample, rng, alpha):
        yield Found("bad", True, False)
        yield Found("good", False, False)

    table = worst_first([made(monkeypatch, run, repeats=20)])
    assert table["of"].tolist() == ["bad", "good"]
    assert table["kept"].tolist() == [False, True]
    (row,) = worst_cases(table).to_dict("records")
    assert (row["Of"], row["Kept"], row["Promised"]) == ("bad", "no", "≤ 0.05")


def test_only_true_hypotheses_count_as_wrong_rejections():
    """Of three groups the third is treated differently: two hypotheses of six are true."""
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1, 2], 400)
    label = rng.integers(2, size=1200).astype(float)
    right = rng.random(1200) < np.where(group == 2, 0.55, 0.9)
    score = np.where(right, label, 1 - label)
    sample = Sample(group, label, score, np.array([0, 0, 1]))
    (found,) = TESTS["separation_test"].run(sample, rng, 0.05)
    assert not found.rejected
    everything = Sample(group, label, score, np.zeros(3, int))
    (found,) = TESTS["separation_test"].run(everything, rng, 0.05)
    assert found.rejected
    assert tests.ROUNDING < 1e-9
