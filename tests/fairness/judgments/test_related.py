"""The covariance of judgments that share items, judges and clusters, against a plain loop."""

import numpy as np
import pytest

from fairpairs.fairness.judgments import related
from fairpairs.fairness.judgments.related import Relations


def plain(one, two, shared, influence, cell, c):
    """Sum the products over all pairs of judgments that share anything."""
    total = np.zeros((c, c))
    for i in range(len(one)):
        for j in range(len(one)):
            related = bool({one[i], two[i]} & {one[j], two[j]})
            related |= any(code[i] == code[j] for code in shared)
            total[cell[i], cell[j]] += related * influence[i] * influence[j]
    return total


@pytest.mark.parametrize("kinds", [0, 1, 2])
@pytest.mark.parametrize("items", [3, 12])
@pytest.mark.parametrize("dense", [0, 1 << 16])
def test_the_covariance_is_that_of_a_loop_over_all_pairs(kinds, items, dense, monkeypatch):
    monkeypatch.setattr(related, "DENSE", dense)
    rng = np.random.default_rng(kinds + items)
    m, c = 60, 9
    one, two = rng.integers(items, size=(2, m))  # some are of an item with itself
    shared = tuple(rng.integers(size, size=m) for size in (5, 8)[:kinds])
    influence, cell = rng.normal(size=m), rng.integers(c, size=m)
    found = Relations(one, two, shared).covariance(influence, cell, c)
    assert found == pytest.approx(plain(one, two, shared, influence, cell, c), abs=1e-9)


def test_a_kind_within_another_one_drops():
    judge = np.array([0, 0, 0, 1, 1, 1])
    prompt = np.array([0, 0, 1, 2, 2, 2])  # each prompt has one judge
    other = np.array([0, 1, 0, 1, 0, 1])
    one, two = np.arange(6), np.arange(6, 12)
    relations = Relations(one, two, (prompt, judge, other)).coarsest
    assert [code.tolist() for code in relations.shared] == [judge.tolist(), other.tolist()]
    assert relations.items_within
    assert not Relations(one * 0, two, (judge,)).items_within


def test_a_variance_is_never_below_that_of_one_kind_alone_unless_it_lies_within_another():
    rng = np.random.default_rng(1)
    m = 40
    one, two, judge = rng.integers(30, size=m), rng.integers(30, size=m), rng.integers(3, size=m)
    for _ in range(20):
        influence = rng.normal(size=m)
        both = Relations(one, two, (judge,)).variance(influence)
        items = Relations(one, two).variance(influence)
        judges = np.bincount(judge, influence) @ np.bincount(judge, influence)
        assert both >= max(items, judges) - 1e-12
    opposite = np.array([1.0, 2.0, -1.0, -2.0])  # of two versions of two texts
    versions = Relations(np.arange(4), np.arange(4, 8), (np.array([0, 1, 0, 1]),))
    assert versions.variance(opposite) == 0
