"""Verdicts on the paper's conclusions follow from the results, and flip with them."""

import pytest

from fairpairs.studies.rejected_dialects.claims import (
    FOR_ALL,
    FOR_MOST,
    NOT,
    gap_claims,
    paper_claims,
)
from fairpairs.studies.rejected_dialects.effects import measure_effects
from fairpairs.studies.rejected_dialects.gaps import measure_gaps


@pytest.fixture
def verdicts(make_scores):
    """A function from the (lean, worse) of each model to the verdicts."""

    def of(*models):
        scores = {
            f"o/{i}": make_scores(i, n=1000, lean=lean, worse=worse)
            for i, (lean, worse) in enumerate(models)
        }
        claims = paper_claims(measure_effects(scores)) + gap_claims(measure_gaps(scores))
        return [claim.verdict for claim in claims], [claim.evidence for claim in claims]

    return of


def test_all_models_lean_and_are_worse(verdicts):
    assert verdicts((0.8, 0.5), (0.8, 0.5), (0.8, 0.5))[0][:4] == [FOR_ALL] * 4


def test_one_model_of_three_treats_the_dialects_alike(verdicts):
    found, evidence = verdicts((0.8, 0.5), (0.8, 0.5), (0.0, 0.0))
    assert found[:4] == [FOR_MOST] * 4
    assert "significantly in 2 (Holm)" in evidence[0]
    assert "1 of 3 models show no gap (Holm); 0 of these lean" in evidence[3]


def test_fair_models_give_no_conclusion(verdicts):
    assert verdicts((0.0, 0.0), (0.0, 0.0), (0.8, 0.5))[0][:4] == [NOT] * 4


def test_models_that_lean_the_other_way_give_none_either(verdicts):
    assert verdicts((-0.8, -0.5), (-0.8, -0.5))[0][:4] == [NOT] * 4


def test_a_lean_alone_is_seen_across_the_dialects_only(verdicts):
    found, evidence = verdicts((0.8, 0.0), (0.8, 0.0))
    assert found[0] == NOT
    assert found[1:4] == [FOR_ALL] * 3
    assert "2 of 2 models show no gap (Holm); 2 of these lean towards WME" in evidence[3]


def test_pairing_is_credited_only_where_it_finds_more(verdicts):
    found, evidence = verdicts((0.0, 0.2), (0.0, 0.2), (0.0, 0.2))
    assert found[4] == "holds"
    assert "not adjusted: 3 of 3 paired by prompt" in evidence[4]
    assert verdicts((0.0, 1.0), (0.0, 1.0))[0][4] == NOT  # both find all
