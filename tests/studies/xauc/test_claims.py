"""The paper's conclusions: the verdicts on the committed results, and planted results flip them."""

import pytest

from fairpairs.plan.claims import FAILS, HOLDS, IN_PART, UNTOLD
from fairpairs.studies.xauc.claims import CLAIMS, LOGISTIC, RANKBOOST
from tests.studies.planted import all_of, setting

STUDY = "xauc"
COMPAS = {"dataset": "compas_filtered", "attribute": "race"}
FRAMINGHAM = {"dataset": "framingham", "attribute": "sex"}
GERMAN = {"dataset": "german_age_25", "attribute": "age"}


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("compas-inequity", HOLDS),
        ("not-evident-within-groups", IN_PART),
        ("larger-among-negatives", HOLDS),
        ("largest-on-compas-and-adult", IN_PART),
        ("any-model", HOLDS),
    ],
)
def test_the_verdicts_on_the_committed_results(finding_of, claim, verdict):
    assert finding_of(STUDY, claim).verdict == verdict


PLANTED = [
    ("compas-inequity", FAILS, {LOGISTIC: setting("mean", 0.2, measure="ΔxAUC", **COMPAS)}),
    ("compas-inequity", IN_PART, {LOGISTIC: setting("mean", -0.4, measure="ΔxAUC", **COMPAS)}),
    ("compas-inequity", UNTOLD, {LOGISTIC: setting("own_error", 0.2, measure="ΔxAUC")}),
    ("not-evident-within-groups", HOLDS, {LOGISTIC: setting("rejected", 0.95, measure="ΔxAUC",
                                                            **FRAMINGHAM)}),
    ("not-evident-within-groups", FAILS, {LOGISTIC: setting("rejected", 0.1, measure="ΔxAUC")}),
    ("not-evident-within-groups", FAILS, {LOGISTIC: all_of(
        setting("rejected", 1.0, measure="ΔAUC"), setting("mean", -0.2, measure="ΔAUC"),
        setting("mean", -0.2, measure="ΔxAUC"))}),
    ("not-evident-within-groups", UNTOLD, {LOGISTIC: lambda frame: frame.assign(repeats=4)}),
    ("larger-among-negatives", FAILS, {LOGISTIC: setting("mean", -0.3, measure="ΔxAUC_1",
                                                         **COMPAS)}),
    ("larger-among-negatives", UNTOLD, {LOGISTIC: setting("standard_error", 0.1, **COMPAS)}),
    ("largest-on-compas-and-adult", HOLDS, {LOGISTIC: setting("mean", 0.01, measure="ΔxAUC",
                                                              **GERMAN)}),
    ("largest-on-compas-and-adult", UNTOLD, {LOGISTIC: setting("standard_error", 0.1,
                                                               measure="ΔxAUC")}),
    ("largest-on-compas-and-adult", FAILS, {LOGISTIC: setting("mean", 0.5, measure="ΔxAUC",
                                                              **GERMAN)}),
    ("any-model", FAILS, {RANKBOOST: setting("mean", 0.5, measure="ΔxAUC")}),
    ("any-model", IN_PART, {RANKBOOST: setting("mean", 0.5, measure="ΔxAUC", **COMPAS)}),
    ("any-model", UNTOLD, {RANKBOOST: setting("standard_error", 0.1, measure="ΔxAUC")}),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "verdict", "edits"), PLANTED)
def test_a_planted_result_flips_the_verdict(finding_of, claim, verdict, edits):
    assert finding_of(STUDY, claim, edits).verdict == verdict


def test_every_claim_has_a_planted_result_and_needs_its_tables(without_tables):
    assert {name for name, *_ in PLANTED} == {claim.name for claim in CLAIMS}
    assert without_tables(STUDY) == {UNTOLD}


def test_framingham_is_shown_without_what_is_known_later(finding_of):
    reason = finding_of(STUDY, "not-evident-within-groups").reason
    assert "without it ΔxAUC is -0.031" in reason
    edits = {LOGISTIC: lambda frame: frame[frame["dataset"] != "framingham_without_followup"]}
    assert "without it" not in finding_of(STUDY, "not-evident-within-groups", edits).reason
