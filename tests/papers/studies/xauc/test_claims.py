"""The paper's conclusions: planted results flip the verdicts on the committed ones."""

import pytest

from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD
from tests.papers.studies.planted import all_of, claims_of, setting, tables

STUDY = "xauc"
LOGISTIC, RANKBOOST, HELD_OUT, CALIBRATION, NORMAL_SCORES, SECTION_6 = tables(
    STUDY, "ranking_logistic_regression", "ranking_rankboost",
    "held_out/ranking_logistic_regression", "calibration/ranking_logistic_regression",
    "normal_scores", "section_6",
)  # fmt: skip
COMPAS = {"dataset": "compas_filtered", "attribute": "race"}
FRAMINGHAM = {"dataset": "framingham", "attribute": "sex"}
GERMAN = {"dataset": "german_age_25", "attribute": "age"}
#: The tail of others who reoffend, against white people who do not.
REVERSE = "xAUC(1,0) ≤ 0.1"


def showing(estimate, pvalue, **keys):
    """An edit of the held-out items: a difference and its p-value."""
    return all_of(setting("estimate", estimate, **keys), setting("pvalue", pvalue, **keys))


AS_AUC = all_of(showing(-0.2, 0.0, measure="ΔxAUC"), showing(-0.2, 0.0, measure="ΔAUC"))
PLANTED = [
    ("not-evident-within-groups", FAILS, {HELD_OUT: AS_AUC}),
    ("not-evident-within-groups", IN_PART, {HELD_OUT: showing(0.05, 0.0, measure="ΔAUC",
                                                             **FRAMINGHAM)}),
    ("not-evident-within-groups", UNTOLD, {HELD_OUT: all_of(*(
        showing(0.05, 0.2, measure="ΔxAUC", dataset=f"framingham{coding}")
        for coding in ("", "_without_followup", "_ten_years")))}),
    ("auc-decomposes", FAILS, {HELD_OUT: setting("estimate", 0.5, measure="xAUC(0,1)", **COMPAS)}),
    ("auc-decomposes", FAILS, {HELD_OUT: setting("positives", 7, measure="xAUC_1(1)", **GERMAN)}),
    ("calibrated-by-group", UNTOLD, {CALIBRATION: setting("deviation", 0.12, **COMPAS)}),
    ("calibrated-by-group", IN_PART, {CALIBRATION: setting("deviation", 0.12, group="1",
                                                           **COMPAS)}),
    ("calibrated-by-group", UNTOLD, {CALIBRATION: setting("standard_error", 0.04, group="0",
                                                          **COMPAS)}),
    ("any-model", UNTOLD, {RANKBOOST: setting("mean", 0.5, measure="ΔxAUC")}),
    ("any-model", IN_PART, {RANKBOOST: setting("mean", 0.5, measure="ΔxAUC", **COMPAS)}),
    ("any-model", UNTOLD, {RANKBOOST: setting("standard_error", 0.1, measure="ΔxAUC")}),
    ("also-where-auc-is-optimised", UNTOLD, {RANKBOOST: setting("own_error", 0.2,
                                                                measure="ΔxAUC")}),
    ("higher-auc-for-black-people", UNTOLD, {HELD_OUT: showing(-0.04, 0.001, measure="ΔAUC",
                                                             **COMPAS)}),
    ("higher-auc-for-black-people", UNTOLD, {HELD_OUT: showing(0.04, 0.3, measure="ΔAUC",
                                                              **COMPAS)}),
    ("compas-inequity", FAILS, {LOGISTIC: setting("mean", 0.2, measure="ΔxAUC", **COMPAS)}),
    ("compas-inequity", IN_PART, {LOGISTIC: setting("mean", -0.4, measure="ΔxAUC", **COMPAS)}),
    ("compas-inequity", UNTOLD, {LOGISTIC: setting("own_error", 0.2, measure="ΔxAUC")}),
    ("larger-among-negatives", FAILS, {HELD_OUT: setting("estimate", -0.3, measure="ΔxAUC_1",
                                                         **COMPAS)}),
    ("larger-among-negatives", UNTOLD, {HELD_OUT: setting("standard_error", 0.1, **COMPAS)}),
    ("on-all-data-sets", FAILS, {HELD_OUT: all_of(showing(0.001, 0.6, measure="ΔxAUC"), setting(
        "standard_error", 0.002, measure="ΔxAUC"))}),
    ("on-all-data-sets", IN_PART, {HELD_OUT: all_of(
        showing(0.001, 0.6, measure="ΔxAUC", **GERMAN),
        setting("standard_error", 0.002, measure="ΔxAUC", **GERMAN))}),
    ("on-all-data-sets", UNTOLD, {HELD_OUT: showing(-0.08, 0.1, measure="ΔxAUC", **GERMAN)}),
    ("largest-on-compas-and-adult", HOLDS, {LOGISTIC: setting("mean", 0.01, measure="ΔxAUC",
                                                              **GERMAN)}),
    ("largest-on-compas-and-adult", UNTOLD, {LOGISTIC: setting("standard_error", 0.1)}),
    ("largest-on-compas-and-adult", FAILS, {LOGISTIC: all_of(
        setting("mean", 0.5, measure="ΔxAUC", **GERMAN),
        setting("mean", 0.5, measure="ΔxAUC_0", **GERMAN))}),
    ("nearly-indistinguishable", UNTOLD, {HELD_OUT: setting("estimate", 0.62, measure="xAUC(0,1)",
                                                            **COMPAS)}),
    ("nearly-indistinguishable", UNTOLD, {HELD_OUT: setting("estimate", 0.7, measure="xAUC(0,1)",
                                                            **COMPAS)}),
    ("perfect-and-random", IN_PART, {NORMAL_SCORES: setting("xauc", 0.6, separation=0)}),
    ("perfect-and-random", FAILS, {NORMAL_SCORES: setting("xauc", 0.7)}),
    ("precision-and-separation", IN_PART, {NORMAL_SCORES: setting(
        "xauc", lambda rows: 0.6 + rows["sd_0_1"] / 100, separation=1)}),
    ("precision-and-separation", FAILS, {NORMAL_SCORES: setting(
        "xauc", lambda rows: 0.9 + rows["sd_0_1"] / 100 + rows["sd_1_0"] / 100
        - rows["separation"] / 100)}),
    ("light-and-heavy-tails", UNTOLD, {HELD_OUT: setting("estimate", 0.3, measure=REVERSE,
                                                         **COMPAS)}),
    ("light-and-heavy-tails", UNTOLD, {HELD_OUT: setting("standard_error", 0.1, measure=REVERSE,
                                                         **COMPAS)}),
    ("unequal-with-equal-means", IN_PART, {NORMAL_SCORES: setting("disparity", 0.0, sd_0_0=2.0)}),
    ("unequal-with-equal-means", FAILS, {NORMAL_SCORES: setting("disparity", 0.0)}),
    ("white-recidivists-above-nearly-all", UNTOLD, {SECTION_6: setting("Number", 60.0)}),
]  # fmt: skip


def test_framingham_is_shown_as_printed_without_the_leak_and_within_ten_years(finding_of):
    numbers = finding_of(STUDY, "not-evident-within-groups").numbers
    shown = [[round(mean.value, 3) for mean in both] for both in numbers.values()]
    assert shown[2:] == [[0.056, -0.004], [-0.034, -0.045], [-0.142, -0.066]]
    edits = {HELD_OUT: lambda frame: frame[frame["dataset"] != "framingham_without_followup"]}
    fewer = finding_of(STUDY, "not-evident-within-groups", edits).numbers
    assert len(fewer) == len(numbers) - 1


def test_the_largest_disparities_are_compared_by_both_measures(finding_of):
    by_xauc, by_xauc_0, _ = finding_of(STUDY, "largest-on-compas-and-adult").numbers.values()
    assert [round(mean.value, 3) for mean in by_xauc.ours] == [0.213, 0.051, 0.113, 0.071]
    assert by_xauc_0.printed == pytest.approx([0.125, 0.028, 0.015, 0.048])


def test_violent_recidivism_is_shown_where_the_run_has_it(finding_of, committed, tmp_path):
    (*_, violent) = finding_of(STUDY, "compas-inequity").numbers.values()
    assert [round(mean.value, 2) for mean in violent] == [-0.27, 0.04]
    (claim,) = (claim for claim in claims_of(STUDY) if claim.name == "compas-inequity")
    for name in (LOGISTIC, "tables/xauc/table_1.csv"):
        target = tmp_path / "results" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((committed / "results" / name).read_bytes())
    found = claim.check(Results(STUDY, tmp_path, {}, {}, ()))
    assert (found.verdict, len(found.numbers)) == (HOLDS, 4)
