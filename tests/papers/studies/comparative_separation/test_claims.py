"""The paper's conclusions: planted results flip the verdicts on the committed ones."""

from itertools import product

import pytest
from numpy.testing import assert_array_equal

from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, REDONE, UNTOLD
from fairpairs.papers.studies.comparative_separation.claims import criteria_on_grid
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


GROUPS = (0, 1)


def chances(tpr, tnr):
    """P(C_ij = 1) and P(C_ij = −1) given Y_ij = 1, in hundredths, by the group of i and of j.

    A plain loop over the predictions of the two items; the third outcome, 0, is a tie.
    """
    ranked = {}
    for a, b in product(GROUPS, GROUPS):
        of_sign = {1: 0, 0: 0, -1: 0}
        for c_i, c_j in product((0, 1), (0, 1)):
            chance_i = tpr[a] if c_i else 10 - tpr[a]
            chance_j = 10 - tnr[b] if c_j else tnr[b]
            of_sign[c_i - c_j] += chance_i * chance_j
        assert sum(of_sign.values()) == 100
        ranked[a, b] = of_sign
    return ranked


@pytest.mark.slow
def test_theorem_3_3_on_the_grid_of_rates():
    # By Definition 3.1, with both signs of C_ij, it holds for every classifier of 11⁴. By equation
    # (4), which has one sign, it fails where no pair is ranked right.
    table = criteria_on_grid()
    by_definition, by_equation_4, by_hypotheses = [], [], []
    for rates, row in zip(product(range(11), repeat=4), table.to_numpy(), strict=True):
        tpr, tnr = rates[:2], rates[2:]
        of = chances(tpr, tnr)
        separation = tpr[0] == tpr[1] and tnr[0] == tnr[1]
        definition = all(len({of[ab][sign] for ab in of}) == 1 for sign in (1, -1))
        equation_4 = len({of[ab][1] for ab in of}) == 1
        hypotheses = of[1, 0][1] == of[0, 1][1] and of[1, 1][1] == of[0, 0][1]
        assert_array_equal(row, [*rates, separation, definition, equation_4, hypotheses])
        if definition != separation:
            by_definition.append(rates)
        if equation_4 != definition:
            by_equation_4.append(rates)
        if hypotheses != definition:
            by_hypotheses.append(rates)
    assert len(table) == 14_641
    assert by_definition == []
    assert len(by_equation_4) == 220
    assert by_hypotheses == by_equation_4
    assert all(rates[:2] == (0, 0) or rates[2:] == (0, 0) for rates in by_equation_4)
