"""Claims of a run that has little, or not all numbers: a verdict, never an error."""

import pytest

from fairpairs.papers.plan.judged_claims import study_claims
from fairpairs.papers.plan.studies import find_studies
from fairpairs.papers.plan.study_files import study_folders
from fairpairs.papers.published.verdicts import FAILS, UNTOLD

CLAIMS = [
    (study, claim.name)
    for study, folder in study_folders().items()
    if study in find_studies() and (folder / "claims.py").exists()
    for claim in study_claims(study, folder)
]
#: Columns that say how many repeats there are.
REPEATS = ("repeats", "tested", "used", "splits")


def without_numbers(frame):
    numbers = frame.select_dtypes("number").columns.difference(["cap", "n", "pairs_per_item"])
    return frame.assign(**dict.fromkeys(numbers, float("nan")))


def of_repeats(number):
    def edit(frame):
        return frame.assign(**{column: number for column in REPEATS if column in frame})

    return edit


def of_one_repeat(frame):
    """Errors of one repeat are missing."""
    errors = [c for c in frame if "standard error" in c or c in ("standard_error", "sd")]
    return of_repeats(1)(frame).assign(**dict.fromkeys(errors, float("nan")))


@pytest.mark.slow
@pytest.mark.parametrize(("study", "claim"), CLAIMS)
def test_a_run_with_less_gives_a_verdict(finding_of, study, claim):
    evidence = finding_of(study, claim).evidence
    for path in evidence:
        for edit in (lambda frame: frame.iloc[:0], lambda frame: None):
            finding = finding_of(study, claim, {path: edit})
            # what fails on one table needs no other one
            assert finding.verdict in (UNTOLD, FAILS), (path, finding)
            assert finding.evidence
    for edit in (without_numbers, of_repeats(0), of_one_repeat):
        finding = finding_of(study, claim, dict.fromkeys(evidence, edit))
        assert "nan" not in finding.note
        assert finding.evidence
    assert finding_of(study, claim, dict.fromkeys(evidence, without_numbers)).verdict == UNTOLD
