"""The covariance of judgments that share items, judges and clusters, against a plain loop."""

import numpy as np
import pytest

from fairpairs.fairness.judgments.related import Relations


def plain(one, two, shared, influence):
    """Sum the products over all pairs of judgments that share anything."""
    total = np.zeros((influence.shape[1], influence.shape[1]))
    for i in range(len(one)):
        for j in range(len(one)):
            related = bool({one[i], two[i]} & {one[j], two[j]})
            related |= any(code[i] == code[j] for code in shared)
            total += related * np.outer(influence[i], influence[j])
    return total


@pytest.mark.parametrize("kinds", [0, 1, 2])
@pytest.mark.parametrize("items", [3, 12])
def test_the_covariance_is_that_of_a_loop_over_all_pairs(kinds, items):
    rng = np.random.default_rng(kinds + items)
    m = 60
    one, two = rng.integers(items, size=(2, m))  # some are of an item with itself
    shared = tuple(rng.integers(size, size=m) for size in (5, 8)[:kinds])
    influence = rng.normal(size=(m, 3))
    found = Relations(one, two, shared).covariance(influence)
    assert found == pytest.approx(plain(one, two, shared, influence), abs=1e-9)


def test_a_variance_is_never_below_that_of_one_kind_alone():
    rng = np.random.default_rng(1)
    m = 40
    one, two, judge = rng.integers(30, size=m), rng.integers(30, size=m), rng.integers(3, size=m)
    for _ in range(20):
        influence = rng.normal(size=(m, 1))
        both = Relations(one, two, (judge,)).variances(influence)
        items = Relations(one, two).variances(influence)
        judges = np.bincount(judge, influence[:, 0]) @ np.bincount(judge, influence[:, 0])
        assert both[0] >= max(items[0], judges) - 1e-12
