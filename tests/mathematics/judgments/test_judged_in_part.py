"""The variance of judgments of which some have a human outcome is a sum over related pairs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairpairs.mathematics.judgments.related import Relations
from fairpairs.mathematics.judgments.two_phases import RelatedJudgments


def related(one, two, judge, i, j):
    """Whether two judgments share an item or a judge."""
    return bool({one[i], two[i]} & {one[j], two[j]}) or judge[i] == judge[j]


@pytest.mark.parametrize("seed", range(3))
def test_products_are_summed_over_related_judgments(seed):
    rng = np.random.default_rng(seed)
    m, n = 40, 15
    one = rng.integers(20, size=m)
    two = (one + rng.integers(1, 20, size=m)) % 20
    labelled = np.sort(rng.permutation(m)[:n])
    judge = 10 + np.arange(m)  # nobody but for the labelled ones
    judge[labelled] = rng.integers(4, size=n)
    judge = np.unique(judge, return_inverse=True)[1]
    cell = rng.integers(3, size=m)
    sums = RelatedJudgments(Relations(one, two, (judge,)), cell, labelled)
    mean, rest = rng.normal(size=(2, 3)), rng.normal(size=(2, n))
    added = mean[:, cell]
    added[:, labelled] += rest
    ways = [
        lambda i, j: related(one, two, judge, i, j),
        lambda i, j: judge[i] == judge[j],
        lambda i, j: bool({one[i], two[i]} & {one[j], two[j]}),
    ]
    totals = [
        sum(np.outer(added[:, i], added[:, j]) for i in range(m) for j in range(m) if way(i, j))
        for way in ways
    ]
    expected = max(totals, key=lambda x: x[0, 0] + x[1, 1] - 2 * x[0, 1])
    least = np.square(added).sum(axis=1)
    found = sums.covariance(mean, rest)
    assert_allclose(np.diagonal(found), np.maximum(np.diagonal(expected), least))
    if (np.diagonal(expected) > least).all():
        assert_allclose(found, expected)
    shares = rng.random((2, n))
    here = [
        np.outer(shares[:, i], shares[:, j])
        for i in range(n)
        for j in range(n)
        if related(one[labelled], two[labelled], judge[labelled], i, j)
    ]
    assert_allclose(sums.together(shares), sum(here))
