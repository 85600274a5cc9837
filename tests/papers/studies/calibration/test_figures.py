"""The figure of the designs: parts, several fair designs, all shares within the panels."""

import numpy as np
import pandas as pd
import pytest

from fairpairs.papers.studies.calibration.figures import design_figure
from tests.svg import check_figure, words

PARTS = {
    "one fair classifier": lambda study: study[study["design"] == "fair"],
    "one unfair classifier": lambda study: study[study["design"] == "unfair"],
    "one regression": lambda study: study[study["design"] == "points"],
    "no fair design": lambda study: study.assign(separation=False),
    "no unfair design": lambda study: study.assign(separation=True),
    "no pairs": lambda study: study[study["pairs_per_item"].isna()],
    "one size": lambda study: study[study["n"] == 1000],
    "small cells alone": lambda study: study.assign(small=1.0),
    "nothing that could be tested": lambda study: study.assign(
        rejected=np.nan, standard_error=np.nan, used=0
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_the_calibration_study_is_drawn_too(study, part, tmp_path):
    design_figure(tmp_path / "figure.svg", PARTS[part](study), alpha=0.05)
    text = words(tmp_path / "figure")
    assert text.count("P(violation found)") == 2
    assert "expected by the formulas" in text


@pytest.mark.slow
def test_the_calibration_study_is_drawn_with_its_designs_and_tests(study, tmp_path):
    """And alike from its csv, from which the workflow reads it."""
    study.to_csv(tmp_path / "study.csv", index=False)
    design_figure(tmp_path / "two.svg", pd.read_csv(tmp_path / "study.csv"), alpha=0.05)
    check_figure(lambda path: design_figure(path, study, alpha=0.05), tmp_path)
    assert (tmp_path / "one/figure.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    text = words(tmp_path / "two")
    for word in (
        "The fair: nothing is violated",  # the first fair design
        *("paper, drawn pairs, either, 200 items", "paper, drawn pairs, either, 1,000 items"),
        "dyadic, drawn pairs, Holm, 1,000 items",
        *("Nothing is violated", "The fair", "separation, Holm", "all pairs, Holm"),
        *("Real labels, separation holds", "The points", "permutation within labels"),
        *("all pairs, raw, Holm", "all pairs, balanced, Holm"),
    ):
        assert word in text, word
    assert "The unfair" not in text  # it is drawn in the last panel, which names tests


@pytest.mark.slow
def test_every_fair_regression_is_drawn_however_many(make_study, tmp_path):
    names = [f"regression_{letter}" for letter in "abcde"]
    tests = ("all_pairs_raw", "all_pairs_balanced")
    many = make_study(
        *((name, n, np.nan, test, "holm") for name in names for n in (100, 300) for test in tests),
        *(("regression_a", n, 2, "drawn_pairs", "holm") for n in (100, 300)),
        fair=set(names),
    )
    design_figure(tmp_path / "figure.svg", many, alpha=0.05)
    text = words(tmp_path / "figure")
    assert [f"The {name}" for name in names if f"The {name}" not in text] == []


@pytest.mark.slow
def test_every_share_of_a_fair_design_lies_in_its_panel(make_study, tmp_path):
    """A level of 0.4, which a reader must not miss, gives another picture than one of 0.3."""
    for name, level in (("one", 0.3), ("two", 0.4)):
        made = make_study(
            ("mine", 100, np.nan, "all_pairs", "holm"),
            ("mine", 300, np.nan, "all_pairs", "holm"),
            ("mine", 300, 2, "fresh_pairs", "either"),
            fair={"mine"},
        )
        shown = made["test"].eq("all_pairs")
        made = made.assign(rejected=made["rejected"].where(~shown, level), expected=np.nan)
        design_figure(tmp_path / f"{name}.svg", made, alpha=0.05)
    one, two = ((tmp_path / f"{name}.svg").read_bytes() for name in ("one", "two"))
    differ = one != two
    assert differ
