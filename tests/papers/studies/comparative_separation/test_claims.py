"""The paper's conclusions: planted results flip the verdicts on the committed ones."""

import numpy as np
import pandas as pd
import pytest
import yaml

from fairpairs.papers.plan.claim_numbers import Count, written
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, REDONE, UNTOLD
from tests.papers.studies.planted import all_of, setting, tables

STUDY = "comparative_separation"
TABLE_2, TABLE_3, SECTION, NORMALITY, PAIRS = tables(
    STUDY, "table_2", "table_3", "section_4_1_2", "normality", "pairs_in_regression"
)
REJECTIONS = "tables/calibration/rejections.csv"
CLASSIFICATION, STORY_POINTS = "tables/classification.csv", "tables/story_points.csv"


COMPARATIVE_3 = "Comparative separation, np=2,000"
COLUMNS_3 = ("Separation, n=1,000", "Separation, n=2,000", COMPARATIVE_3,
             "Comparative separation, np=4,000")  # fmt: skip
PLANTED = [
    *((claim, FAILS, {TABLE_2: setting("f1", 0, row="FPR(A=1)-FPR(A=0)")})
      for claim in ("same-criterion", "equal-rates-suffice", "two-hypotheses-suffice")),
    ("normal-rates", IN_PART, {SECTION: setting("Simulation, n=2,000 or np=4,000", 0.47,
                                                row="mean of TPR(1,0)")}),
    ("normal-rates", UNTOLD, {SECTION: lambda f: f.assign(
        **{c: f[c] * 50 for c in f if c.endswith("(standard error)")})}),
    ("normal-rates", IN_PART, {NORMALITY: setting("distance", 0.08, classifier="f0",
                                                  rate="TPR(1,0)")}),
    ("normal-rates", UNTOLD, {NORMALITY: lambda f: f.assign(used=500)}),
    ("level-of-the-tests", FAILS, {TABLE_3: setting(COMPARATIVE_3, 0.27, row="f0, Simulation")}),
    ("level-of-the-tests", HOLDS, {REJECTIONS: setting("rejected", 0.0975, design="f0",
                                                       test="binomial", quantity="either")}),
    ("level-of-the-tests", UNTOLD, {TABLE_3: setting(COMPARATIVE_3, 0.115, row="f0, Simulation")}),
    ("twice-the-pairs", UNTOLD, {TABLE_3: setting(COMPARATIVE_3, 0.5, row="f3, Simulation")}),
    ("twice-the-pairs", IN_PART, {REJECTIONS: all_of(*(
        setting("rejected", 0.5, design=d, test=t, quantity="either")
        for d in ("f1", "f2", "f3") for t in ("separation", "drawn_pairs")))}),
    ("power-is-computed", UNTOLD, {TABLE_3: all_of(*(
        setting(column, 0.3, row=f"f{i}, Expected") for i in range(4) for column in COLUMNS_3))}),
    ("power-is-computed", IN_PART, {TABLE_3: setting(COMPARATIVE_3, 0.9, row="f3, Expected")}),
    ("power-is-computed", UNTOLD, {TABLE_3: setting(COMPARATIVE_3, 0.84, row="f3, Expected")}),
    ("more-data-more-power", FAILS, {TABLE_3: setting("Separation, n=2,000", 0.4,
                                                      row="f1, Simulation")}),
    ("treatments-reduce-violations", IN_PART, {CLASSIFICATION: setting(
        "value", 0.9, dataset="german", treatment="fairbalance", test="separation")}),
    ("treatments-reduce-violations", IN_PART, {CLASSIFICATION: setting(
        "value", 0.9, dataset="german", test="comparative_separation_dyadic")}),
    ("treatments-reduce-violations", FAILS, {CLASSIFICATION: setting("value", 0.9)}),
    ("treatments-reduce-violations", UNTOLD, {CLASSIFICATION: lambda f: f.assign(tested=4)}),
    ("tests-agree-on-real-data", FAILS, {CLASSIFICATION: all_of(
        setting("value", 0.1, dataset="german", test="separation", treatment="none"),
        setting("value", 0.5, dataset="german", test="separation", treatment="fairbalance"))}),
    ("tests-agree-on-real-data", FAILS, {CLASSIFICATION: all_of(
        setting("value", 0.55, dataset="compas", attribute="race", treatment="fairbalance",
                test="comparative_separation"))}),
    ("tests-agree-on-real-data", IN_PART, {CLASSIFICATION: setting(
        "value", 0.3, dataset="german", attribute="sex", test="comparative_separation")}),
    ("tests-agree-on-real-data", UNTOLD, {CLASSIFICATION: lambda f: f.assign(tested=20)}),
    ("fair-reweighing-lowers-information", FAILS, {STORY_POINTS: setting(
        "value", 0.02, treatment="fair_reweighing", quantity="I_sep")}),
    ("fair-reweighing-lowers-information", UNTOLD, {STORY_POINTS: setting(
        "standard_error", 0.01, quantity="I_sep")}),
    ("story-points-hardly-lower", UNTOLD, {STORY_POINTS: setting(
        "value", 0.2, treatment="fair_reweighing", test="comparative_separation")}),
    ("story-points-hardly-lower", UNTOLD, {STORY_POINTS: setting(
        "value", 0.4, treatment="fair_reweighing", test="comparative_separation")}),
    ("story-points-hardly-lower", UNTOLD, {STORY_POINTS: setting(
        "standard_error", 0.1, quantity="violated")}),
    ("story-points-little-bias", FAILS, {STORY_POINTS: setting(
        "value", 0.9, test="separation_permutation", treatment="none")}),
    ("other-criterion-in-regression", HOLDS, {STORY_POINTS: all_of(
        setting("value", 0.9, test="information_separation_permutation", treatment="none"),
        setting("value", 0.9, test="comparative_separation_all_pairs"))}),
    ("other-criterion-in-regression", FAILS, {STORY_POINTS: all_of(
        setting("value", 0.9, test="information_separation_permutation"),
        setting("value", 0.9, test="comparative_separation_all_pairs"))}),
    ("generalizes-to-regression", REDONE, {REJECTIONS: setting(
        "rejected", 0.1, design="regression_labels_differ", test="fresh_pairs")}),
    ("generalizes-to-regression", UNTOLD, {REJECTIONS: setting(
        "rejected", 0.3, design="regression_alike", test="fresh_pairs")}),
    ("generalizes-to-regression", UNTOLD, {REJECTIONS: setting(
        "rejected", 0.1, design="regression_noise", test="fresh_pairs")}),
    ("not-equivalent-in-regression", UNTOLD, {REJECTIONS: setting(
        "rejected", 0.1, design="regression_labels_differ", test="fresh_pairs")}),
    ("information-not-reliable", UNTOLD, {REJECTIONS: setting(
        "rejected", 0.9, design="regression_noise", test="permutation_information")}),
    ("pairs-in-regression", REDONE, {PAIRS: setting("rejected", 0.7)}),
    ("pairs-in-regression", UNTOLD, {PAIRS: all_of(
        setting("rejected", 0.7), setting("used", 20))}),
    ("pairs-in-regression", UNTOLD, {PAIRS: all_of(setting("rejected", 0.7), setting(
        "rejected", 0.9, test="separation_by_normal_model", violation="shift"))}),
]  # fmt: skip


@pytest.fixture
def story_points(committed):
    frame = pd.read_csv(committed / "results" / STORY_POINTS)
    return frame.set_index(["treatment", "test", "quantity"])["value"].unstack("treatment")


def test_the_two_possibilities_for_story_points(finding_of, committed, story_points):
    # Section 4.2.2 names two. Both facts that the paper names for (1), little bias, are met, and no
    # test that holds its level contradicts it. But such a test hardly finds a moderate violation in
    # 65 items, so the run can tell neither of (1) nor of (2), another criterion.
    rates = story_points.xs("violated", level="quantity")
    ours = rates.loc["comparative_separation"]
    assert ours["none"] == pytest.approx(0.334, abs=0.02)
    assert ours["fair_reweighing"] == pytest.approx(0.313, abs=0.02)
    real = pd.read_csv(committed / "results" / CLASSIFICATION)
    treated = real[
        (real["test"] == "comparative_separation") & (real["quantity"] == "violated")
        & real["treatment"].isin(["fairbalance", "reweighing"])
    ]["value"]  # fmt: skip
    assert len(treated) == 8
    assert treated.between(ours.min() - 0.05, ours.max() + 0.15).all()
    assert (story_points.loc["information_separation", "I_sep"] < 0.015).all()
    sound = ["comparative_separation_dyadic", "comparative_separation_all_pairs",
             "separation_permutation", "information_separation_permutation"]  # fmt: skip
    assert (rates.loc[sound] < 0.05).all(axis=None)
    assert (rates.loc["comparative_separation_permuted"] > ours).all()
    power = pd.read_csv(committed / "results" / REJECTIONS)
    power = power[(power["design"] == "regression_shift") & (power["n"] == 100)].set_index("test")
    for test, most in (("all_pairs_raw", 0.4), ("drawn_pairs", 0.13)):
        own = power.loc[test].query("quantity == 'holm' and not pairs_per_item > 1")
        assert len(own) == 1
        assert own["rejected"].iloc[0] < most
    assert finding_of(STUDY, "story-points-little-bias").verdict == UNTOLD
    assert finding_of(STUDY, "other-criterion-in-regression").verdict == UNTOLD


def test_only_slightly_lower_is_met_and_within_chance(finding_of):
    _, difference = finding_of(STUDY, "story-points-hardly-lower").numbers.values()
    # 0.3217 ± 0.0066 and 0.3009 ± 0.0042
    assert written(difference) == "0.0208 ± 0.0078"


@pytest.mark.slow
def test_consistent_results_are_directions_and_the_rates_differ_as_printed(root, finding_of):
    printed = yaml.safe_load((root / f"config/published/{STUDY}/table_5.yaml").read_text("utf-8"))
    values = {row["name"]: row["values"] for row in printed["rows"]}
    assert (values["Reweighing, Separation"][3], values["Reweighing, Comparative separation"][3]
            ) == (0.135, 0.35)  # fmt: skip
    for test in ("Separation", "Comparative separation"):
        for treatment in ("FairBalance", "Reweighing"):
            cells = zip(values[f"{treatment}, {test}"], values[f"None, {test}"], strict=True)
            assert all(treated < none for treated, none in cells)
    same, fewer, _, differ, *_ = finding_of(STUDY, "tests-agree-on-real-data").numbers.values()
    assert (same, fewer, differ) == (Count(11, 12), Count(8, 8), Count(8, 12))


def test_a_regression_that_satisfies_separation_may_violate_comparative_separation():
    # Labels 1 and 2 in group 0, 1 and 3 in group 1; the prediction is the label plus -1, 0 or 1,
    # each with the same chance in both groups.
    labels = {0: (1, 2), 1: (1, 3)}

    def tpr(winners, losers):
        pairs = [(u, v) for u in labels[winners] for v in labels[losers] if u > v]
        right = [u + e > v + d for u, v in pairs for e in (-1, 0, 1) for d in (-1, 0, 1)]
        return sum(right) / len(right)

    rates = {cell: tpr(*cell) for cell in [(1, 0), (0, 1), (1, 1), (0, 0)]}
    assert rates == {(1, 0): 7 / 9, (0, 1): 6 / 9, (1, 1): 8 / 9, (0, 0): 6 / 9}


def test_predictions_of_three_values_may_meet_equation_4_alone():
    ones, zero = np.array([[0.4, 0.6, 0], [0.6, 0, 0.4]]), np.array([0.5, 0.25, 0.25])
    values = np.arange(3)
    above, below = values[:, None] > values, values[:, None] < values
    right, reversed_ = ([float(one @ where @ zero) for one in ones] for where in (above, below))
    assert right == pytest.approx([0.3, 0.3])
    assert reversed_ == pytest.approx([0.35, 0.3])
