"""The paper's conclusions: planted results flip the verdicts on the committed ones."""

import pytest

from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, REDONE, UNTOLD
from tests.papers.studies.planted import all_of, claims_of, setting

STUDY, RESULTS = "fairbalance", "treatments/fairbalance.csv"
OF_IT = {"treatment": "fairbalance"}


def verdict(word, **keys):
    return {RESULTS: setting("verdict", word, **keys)}


@pytest.mark.parametrize("claim", [claim.name for claim in claims_of(STUDY)])
def test_the_conclusions_hold_in_part_on_the_committed_results(finding_of, claim):
    assert finding_of(STUDY, claim).verdict == IN_PART


@pytest.mark.parametrize(
    ("claim", "expected", "edits"),
    [
        ("equalized-odds-improve", HOLDS, verdict("better", **OF_IT)),
        ("equalized-odds-improve", FAILS, verdict("worse", **OF_IT)),
        ("equalized-odds-improve", UNTOLD, verdict("open", **OF_IT)),
        ("average-odds-of-scores-improve", HOLDS, verdict("better", **OF_IT)),
        ("average-odds-of-scores-improve", UNTOLD, verdict("open", **OF_IT)),
        ("little-damage", REDONE, {RESULTS: setting("low", -0.01, measure="accuracy", **OF_IT)}),
        ("little-damage", UNTOLD, {RESULTS: all_of(
            setting("low", -0.2, measure="accuracy", **OF_IT),
            setting("high", -0.1, measure="accuracy", **OF_IT))}),
        ("ranks-are-differences", HOLDS, verdict("better")),
        ("ranks-are-differences", FAILS, verdict("worse")),
    ],
)  # fmt: skip
def test_a_planted_result_flips_the_verdict(finding_of, claim, expected, edits):
    assert finding_of(STUDY, claim, edits).verdict == expected


def test_every_claim_needs_its_tables(without_tables):
    assert without_tables(STUDY) == {UNTOLD}
