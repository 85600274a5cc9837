"""The papers' conclusions: planted results flip the verdicts on the committed ones."""

import pytest

from tests.papers.studies.comparative_separation import test_claims as comparative_separation
from tests.papers.studies.density_ratio import test_claims as density_ratio
from tests.papers.studies.differential_parity import test_claims as differential_parity
from tests.papers.studies.fairbalance import test_claims as fairbalance
from tests.papers.studies.planted import claims_of
from tests.papers.studies.rejected_dialects import test_claims as rejected_dialects
from tests.papers.studies.xauc import test_claims as xauc

STUDIES = (
    comparative_separation, density_ratio, differential_parity, fairbalance, rejected_dialects, xauc
)  # fmt: skip
PLANTED = [(study.STUDY, *planted) for study in STUDIES for planted in study.PLANTED]


@pytest.mark.slow
@pytest.mark.parametrize(("study", "claim", "verdict", "edits"), PLANTED)
def test_a_planted_result_flips_the_verdict(finding_of, study, claim, verdict, edits):
    finding = finding_of(study, claim, edits)
    assert finding.verdict == verdict, finding.numbers


@pytest.mark.parametrize("study", [study.STUDY for study in STUDIES])
def test_every_claim_has_a_planted_result(study):
    planted = {claim for of, claim, *_ in PLANTED if of == study}
    assert planted == {claim.name for claim in claims_of(study)}
