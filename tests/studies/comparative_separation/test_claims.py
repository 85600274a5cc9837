"""The paper's conclusions: the verdicts on the committed results, and planted results flip them."""

import pytest

from fairpairs.plan.claims import FAILS, HOLDS, IN_PART, UNTOLD
from tests.studies.planted import all_of, setting

STUDY = "comparative_separation"
TABLE_2, TABLE_3, SECTION = (
    f"tables/comparative_separation/{name}.csv" for name in ("table_2", "table_3", "section_4_1_2")
)
REJECTIONS = "tables/calibration/rejections.csv"
CLASSIFICATION, STORY_POINTS = "tables/classification.csv", "tables/story_points.csv"


def as_separation(frame):
    """The comparative test finds what that of separation does."""
    columns = ["dataset", "attribute", "treatment"]
    own = frame[frame["test"] == "separation"].set_index(columns)["value"]
    rows = (frame["test"] == "comparative_separation") & (frame["quantity"] == "violated")
    frame = frame.copy()
    frame.loc[rows, "value"] = own.loc[list(map(tuple, frame.loc[rows, columns].to_numpy()))].array
    return frame


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("same-criterion", IN_PART),
        ("normal-rates", HOLDS),
        ("level-of-the-tests", IN_PART),
        ("twice-the-pairs", IN_PART),
        ("power-is-computed", HOLDS),
        ("more-data-more-power", HOLDS),
        ("treatments-reduce-violations", HOLDS),
        ("tests-agree-on-real-data", IN_PART),
        ("fair-reweighing-lowers-information", HOLDS),
        ("story-points-violated-a-third", FAILS),
        ("other-criterion-in-regression", UNTOLD),
    ],
)
def test_the_verdicts_on_the_committed_results(finding_of, claim, verdict):
    assert finding_of(STUDY, claim).verdict == verdict


COMPARATIVE_3 = "Comparative separation, np=2,000"
COLUMNS_3 = ("Separation, n=1,000", "Separation, n=2,000", COMPARATIVE_3,
             "Comparative separation, np=4,000")  # fmt: skip
PLANTED = [
    ("same-criterion", FAILS, {TABLE_2: setting("f1", 0, row="FPR(A=1)-FPR(A=0)")}),
    ("normal-rates", IN_PART, {SECTION: setting("Simulation, n=2,000 or np=4,000", 0.47,
                                                row="mean of TPR(1,0)")}),
    ("normal-rates", UNTOLD, {SECTION: lambda f: f.assign(
        **{c: f[c] * 50 for c in f if c.endswith("(standard error)")})}),
    ("level-of-the-tests", FAILS, {TABLE_3: setting(COMPARATIVE_3, 0.27, row="f0, Simulation")}),
    ("level-of-the-tests", HOLDS, {REJECTIONS: setting("rejected", 0.0975, design="f0",
                                                       test="binomial", quantity="either")}),
    ("level-of-the-tests", UNTOLD, {TABLE_3: setting(COMPARATIVE_3, 0.115, row="f0, Simulation")}),
    ("twice-the-pairs", FAILS, {TABLE_3: setting(COMPARATIVE_3, 0.5, row="f3, Simulation")}),
    ("twice-the-pairs", HOLDS, {REJECTIONS: all_of(*(
        setting("rejected", 0.5, design=d, test=t, quantity="either")
        for d in ("f1", "f2", "f3") for t in ("separation", "drawn_pairs")))}),
    ("power-is-computed", FAILS, {TABLE_3: all_of(*(
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
    ("tests-agree-on-real-data", HOLDS, {CLASSIFICATION: as_separation}),
    ("tests-agree-on-real-data", UNTOLD,
     {CLASSIFICATION: lambda f: as_separation(f).assign(tested=50)}),
    ("tests-agree-on-real-data", FAILS, {CLASSIFICATION: all_of(
        setting("value", 0.1, dataset="german", test="separation", treatment="none"),
        setting("value", 0.5, dataset="german", test="separation", treatment="fairbalance"))}),
    ("fair-reweighing-lowers-information", FAILS, {STORY_POINTS: setting(
        "value", 0.02, treatment="fair_reweighing", quantity="I_sep")}),
    ("fair-reweighing-lowers-information", UNTOLD, {STORY_POINTS: setting(
        "standard_error", 0.01, quantity="I_sep")}),
    ("story-points-violated-a-third", HOLDS, {STORY_POINTS: all_of(
        setting("value", 0.2, treatment="fair_reweighing", test="comparative_separation"),
        setting("value", 0.1, test="comparative_separation_permuted"))}),
    ("story-points-violated-a-third", IN_PART, {STORY_POINTS: setting(
        "value", 0.2, treatment="fair_reweighing", test="comparative_separation")}),
    ("story-points-violated-a-third", UNTOLD, {STORY_POINTS: setting(
        "standard_error", 0.1, quantity="violated")}),
    ("other-criterion-in-regression", HOLDS, {STORY_POINTS: all_of(
        setting("value", 0.9, test="information_separation_permutation", treatment="none"),
        setting("value", 0.9, test="comparative_separation_all_pairs"))}),
    ("other-criterion-in-regression", FAILS, {STORY_POINTS: all_of(
        setting("value", 0.9, test="information_separation_permutation"),
        setting("value", 0.9, test="comparative_separation_all_pairs"))}),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "verdict", "edits"), PLANTED)
def test_a_planted_result_flips_the_verdict(finding_of, claim, verdict, edits):
    finding = finding_of(STUDY, claim, edits)
    assert finding.verdict == verdict, finding.reason
    assert "nan" not in finding.reason


def test_a_measure_of_a_violation_that_is_shown_falls_without_the_limit(finding_of):
    shown = setting("value", 0.9, test="information_separation_permutation")
    finding = finding_of(STUDY, "fair-reweighing-lowers-information", {STORY_POINTS: shown})
    assert finding.verdict == HOLDS
    assert "no violation is shown" not in finding.reason


def test_every_claim_has_a_planted_result():
    from fairpairs.studies.comparative_separation.claims import CLAIMS

    assert {name for name, *_ in PLANTED} == {claim.name for claim in CLAIMS}


def test_without_tables_nothing_can_be_told(without_tables):
    assert without_tables(STUDY) == {UNTOLD}
