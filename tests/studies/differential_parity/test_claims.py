"""The paper's conclusions: the verdicts on the committed results, and planted results flip them."""

import pytest

from fairpairs.plan.claims import FAILS, HOLDS, IN_PART, UNTOLD
from fairpairs.studies.differential_parity.bridge_summaries import OF_TWO
from fairpairs.studies.differential_parity.claims import (
    BIASED,
    CLAIMS,
    CONCLUSIONS,
    LABELS,
    SECTION,
    UNBIASED,
)
from tests.studies.planted import all_of, setting

STUDY = "differential_parity"
OPPOSITE, LARGEST = "RQ1, opposite conclusions", "RQ1, largest DPD of an inconsistency"
ERROR = "Ours (standard error)"


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("robust-against-sampling", IN_PART),
        ("models-less-robust", FAILS),
        ("no-opposite-conclusions", IN_PART),
        ("biased-bridge-better", HOLDS),
        ("biased-bridge-all-right", FAILS),
    ],
)
def test_the_verdicts_on_the_committed_results(finding_of, claim, verdict):
    assert finding_of(STUDY, claim).verdict == verdict


PLANTED = [
    ("robust-against-sampling", HOLDS, {SECTION: setting("Ours", 27.2, row=LABELS)}),
    ("robust-against-sampling", IN_PART, {SECTION: all_of(
        setting("Ours", 27.2, row=LABELS), setting("Ours", 0.5, row=OPPOSITE))}),
    ("robust-against-sampling", FAILS, {SECTION: setting("Ours", 15.0, row=LABELS)}),
    ("robust-against-sampling", UNTOLD, {SECTION: setting(ERROR, 6.0, row=LABELS)}),
    ("models-less-robust", HOLDS, {CONCLUSIONS: setting("mean", 12.0, row=OF_TWO)}),
    ("models-less-robust", UNTOLD, {SECTION: setting(ERROR, 6.0, row=LABELS)}),
    ("no-opposite-conclusions", HOLDS, {SECTION: setting("Ours", 0.08, row=LARGEST)}),
    ("no-opposite-conclusions", FAILS, {SECTION: setting("Ours", 0.7, row=OPPOSITE)}),
    ("no-opposite-conclusions", UNTOLD, {SECTION: setting(ERROR, 0.3, row=LARGEST)}),
    ("biased-bridge-better", FAILS, {SECTION: setting("Ours", 30.0, row=UNBIASED)}),
    ("biased-bridge-better", IN_PART, {CONCLUSIONS: setting("missed", 0.6, row=BIASED)}),
    ("biased-bridge-better", UNTOLD, {SECTION: setting(ERROR, 5.0, row=BIASED)}),
    ("biased-bridge-all-right", HOLDS, {SECTION: all_of(
        setting("Ours", 32.0, row=BIASED), setting(ERROR, 0.0, row=BIASED))}),
    ("biased-bridge-all-right", UNTOLD, {SECTION: setting(ERROR, 5.0, row=BIASED)}),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "verdict", "edits"), PLANTED)
def test_a_planted_result_flips_the_verdict(finding_of, claim, verdict, edits):
    assert finding_of(STUDY, claim, edits).verdict == verdict


def test_every_claim_has_a_planted_result_and_needs_its_tables(without_tables):
    assert {name for name, *_ in PLANTED} == {claim.name for claim in CLAIMS}
    assert without_tables(STUDY) == {UNTOLD}


def test_intervals_that_do_not_cover_are_said(finding_of):
    edit = setting("missed", 0.6, row=BIASED)
    reason = finding_of(STUDY, "biased-bridge-all-right", {CONCLUSIONS: edit}).reason
    assert "do not cover" in reason
