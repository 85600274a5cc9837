"""The covariance of judgments that share items, judges and clusters, against a plain loop."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from fairpairs.mathematics.judgments import related
from fairpairs.mathematics.judgments.comparative_judgments import (
    comparative_separation_from_judgments,
)
from fairpairs.mathematics.judgments.related import Relations


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
    # each item has one prompt, but not one of the others
    assert Relations(prompt, two, (prompt, other)).items_within


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


def test_a_gap_of_many_versions_does_not_depend_on_judgments_across():
    """Where the rates across differ widely, the gap within keeps its paired test."""
    rng = np.random.default_rng(2)
    n = 2000
    prompt = np.arange(n)
    chosen, rejected = (
        (side * n + prompt for side in (0, 1)),
        (side * n + prompt for side in (2, 3)),
    )
    (a, b), (not_a, not_b) = chosen, rejected
    group = np.tile(np.repeat(["a", "b"], n), 2)
    common = rng.random(n) < 0.6
    within = np.where([common, common], rng.random((2, n)) < [[0.9], [0.87]], False)
    across = rng.random((2, n)) < [[0.5], [0.95]]
    hit = np.where(np.concatenate([within, across]), 1, -1)
    pairs = [(a, not_a), (b, not_b), (a, not_b), (b, not_a)]
    some = {
        k: comparative_separation_from_judgments(
            np.concatenate([left for left, _ in pairs[:k]]),
            np.concatenate([right for _, right in pairs[:k]]),
            np.ones(k * n), sensitive_features=group, predicted=hit[:k].ravel(),
            clusters=np.tile(prompt, k),
        ).difference.take(1)
        for k in (2, 4)
    }  # fmt: skip
    paired = ttest_rel(*(within[::-1]).astype(float))
    assert some[4].estimate == some[2].estimate == pytest.approx(np.diff(within.mean(axis=1))[0])
    assert some[4].statistic == pytest.approx(some[2].statistic, rel=0.01)
    assert some[4].pvalue == pytest.approx(paired.pvalue, rel=0.1)
