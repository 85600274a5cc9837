"""Which criteria count for the verdict of a whole audit."""

import numpy as np
import pytest

import fairpairs as fp
from fairpairs.audits.audit.criteria import CRITERIA

from ..synthetic import audited, loans


def test_by_default_separation_counts_and_the_ranking_of_a_score():
    assert audited().about["gate"]["criteria"] == ["separation", "xauc"]
    assert audited(score=False).about["gate"]["criteria"] == ["separation"]
    label, _, score, features = loans()
    probabilities = fp.audit(label, 1 / (1 + np.exp(-score)), sensitive_features=features)
    assert probabilities.about["gate"]["criteria"] == ["xauc"]
    numbers = fp.audit(score, score + label, sensitive_features=features)
    assert numbers.about["gate"]["criteria"] == ["comparative_separation"]


@pytest.mark.parametrize(
    ("criterion", "sentence"),
    [
        ("sepration",
         r"^criterion: 'sepration' is not a criterion: name one of separation, average_"),
        ([], "^criterion is empty: name at least one of separation, "),
        ("separation,xauc", r"^criterion: 'separation,xauc' holds several criteria: give a list, "),
        (["separation", 5], "^criterion: 5 is not a criterion: name one of"),
        ("xauc",
         r"^criterion xauc does not apply \(no score is given\): name one of separation, .*n\.$"),
    ],
)  # fmt: skip
def test_a_criterion_that_cannot_count_is_refused(criterion, sentence):
    with pytest.raises(fp.InputError, match=sentence) as error:
        audited(score=False, criterion=criterion)
    if "no criterion" in sentence:
        assert str(error.value).endswith(f"{', '.join(CRITERIA)}.")


def test_a_criterion_without_a_test_is_refused():
    label, _, score, features = loans(n=200)
    sentence = "no test of real predictions without shuffles: give n_permutations too"
    with pytest.raises(fp.InputError, match=sentence):
        fp.audit(
            score, score + label, sensitive_features=features, criterion="information_separation"
        )
