"""Judgments that share items, judges and clusters: covariances and components."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import ttest_rel

from fairpairs.mathematics.judgments import related
from fairpairs.mathematics.judgments.comparative_judgments import (
    comparative_separation_from_judgments,
)
from fairpairs.mathematics.judgments.related import Relations, variance_components
from fairpairs.mathematics.judgments.two_phases import RelatedJudgments


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


def components_plain(contribution, cell, one, two, kinds):
    """Regress the product of each two judgments on what they share."""
    rows, products = [], []
    m = len(contribution)
    for i in range(m):
        for j in range(m):
            if i == j:
                continue
            ends = [a == b for a in (one[i], two[i]) for b in (one[j], two[j])]
            rows.append([
                sum(ends),
                {one[i], two[i]} == {one[j], two[j]},
                *(code[i] == code[j] for code in kinds.values()),
                cell[i] == cell[j] == 0,
                cell[i] == cell[j] == 1,
                cell[i] != cell[j],
            ])  # fmt: skip
            products.append(contribution[i] * contribution[j])
    found = np.linalg.lstsq(np.array(rows, dtype=float), np.array(products), rcond=None)[0]
    return found[: 2 + len(kinds)]


@pytest.mark.parametrize("sizes", [{}, {"judge": 5}, {"judge": 6, "cluster": 9}])
def test_the_components_are_those_of_least_squares_over_all_pairs(sizes):
    rng = np.random.default_rng(len(sizes))
    m, n = 90, 14
    one = rng.integers(n, size=m)
    two = (one + rng.integers(1, n, size=m)) % n
    cell, kinds = rng.integers(2, size=m), {k: rng.integers(s, size=m) for k, s in sizes.items()}
    effects = rng.normal(size=(3, 40))
    x = effects[0, one] + effects[0, two] + rng.normal(size=m)
    x = x + sum(effects[1 + i, code] for i, code in enumerate(kinds.values()))
    x = x - np.bincount(cell, x)[cell] / np.bincount(cell)[cell]
    parts = variance_components(x, cell, one, two, kinds)
    expected = components_plain(x, cell, one, two, kinds)
    assert list(parts) == ["item", "pair", *kinds]
    assert list(parts.values()) == pytest.approx(np.maximum(expected, 0), abs=1e-9)
    assert sum(value > 0 for value in parts.values()) > len(kinds)


def test_what_no_two_judgments_share_has_no_component():
    x = np.array([0.5, -0.5, 1.0, -1.0])
    place = np.arange(4)
    parts = variance_components(x, np.array([0, 0, 1, 1]), place, place + 4, {"judge": place})
    assert parts == {"item": 0, "pair": 0, "judge": 0}


def test_the_component_of_judges_is_that_of_an_analysis_of_variance():
    # 12 judges with 9 judgments each, in one cell: (MSB − MSW) / n, with the mean taken off
    rng = np.random.default_rng(3)
    judge = np.repeat(np.arange(12), 9)
    x = rng.normal(size=12)[judge] + rng.normal(size=108)
    by_judge = x.reshape(12, 9)
    between = 9 * by_judge.mean(axis=1).var(ddof=1)
    within = by_judge.var(axis=1, ddof=1).mean()
    place = np.arange(108)
    parts = variance_components(
        x - x.mean(), np.zeros(108, dtype=int), place, place + 108, {"judge": judge}
    )
    assert parts["judge"] == pytest.approx((between - within) / 9)


def judged_in_part_related(one, two, judge, i, j):
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
        lambda i, j: judged_in_part_related(one, two, judge, i, j),
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
        if judged_in_part_related(one[labelled], two[labelled], judge[labelled], i, j)
    ]
    assert_allclose(sums.together(shares), sum(here))
