"""Given pairs against loops over pairs of pairs."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs
from fairpairs.mathematics.estimates.pairs.given import given_pairs

from .synthetic import FIELDS, items


def drawn(seed, n, k, m, labels="few"):
    """Draw pairs; some items are paired with themselves and some pairs recur."""
    y, s, group = items(seed, n, k, labels)
    left, right = np.random.default_rng(seed + 1).integers(n, size=(2, m))
    higher = y[left] > y[right]
    winner, loser = np.where(higher, left, right), np.where(higher, right, left)
    kept = (y[left] != y[right]) | (left == right)
    winner, loser = np.append(winner[kept], [0, 3]), np.append(loser[kept], [0, 3])
    return winner, loser, (s[winner] > s[loser]).astype(float), group


def contradicting(seed, n, k, m):
    """Draw judgments that contradict each other: either item of two may be the winner."""
    rng = np.random.default_rng(seed)
    winner, loser = rng.integers(n, size=(2, m))
    return winner, loser, rng.integers(2, size=m).astype(float), rng.integers(k, size=n)


DESIGNS = {
    "few items": lambda: (*drawn(20, 14, 2, 90), 2),
    "many items": lambda: (*drawn(21, 60, 2, 60), 2),
    "binary": lambda: (*drawn(22, 30, 2, 70, "binary"), 2),
    "three groups": lambda: (*drawn(23, 30, 3, 120), 3),
    "contradicting": lambda: (*contradicting(24, 9, 2, 60), 2),
}


@pytest.fixture(params=DESIGNS)
def design(request):
    winner, loser, hit, group, k = DESIGNS[request.param]()
    assert (winner == loser).any()
    kept = winner != loser
    return winner[kept], loser[kept], hit[kept], group, k, given_pairs(winner, loser, hit, group, k)


def test_given_pairs_are_counted_one_by_one_without_self_pairs(design):
    winner, loser, hit, group, k, rates = design
    right, usable = np.zeros((2, k, k))
    for i, j, h in zip(winner, loser, hit, strict=True):
        right[group[i], group[j]] += h
        usable[group[i], group[j]] += 1
    assert_array_equal(rates.concordant, right)
    for number in (rates.comparable, rates.pairs, rates.effective):
        assert_array_equal(number, usable)
    for a, b in product(range(k), repeat=2):
        both = np.concatenate([winner, loser])[np.tile(
            (group[winner] == a) & (group[loser] == b), 2
        )].astype(int)  # fmt: skip
        times = np.bincount(both).astype(float)
        expected = (times**2).sum() ** 2 / (times**4).sum() if len(both) else 0
        assert_allclose(rates.items[a, b], expected, rtol=1e-12)


def clusters(winner, loser, hit, group, k, weights=None):
    """The components and what they count twice, pair of pairs by pair of pairs."""
    weights = np.ones(len(winner)) if weights is None else weights
    cell = group[winner] * k + group[loser]
    usable, right = (np.bincount(cell, x, k * k) for x in (weights, weights * hit))
    added = [weights[p] * (hit[p] - right[c] / usable[c]) / usable[c] for p, c in enumerate(cell)]
    n = len(group)
    won, lost = np.bincount(winner, minlength=n), np.bincount(loser, minlength=n)
    class_of = 2 * group + (won < lost)
    sizes = np.bincount(class_of[won + lost > 0], minlength=2 * k)
    components, twice = np.zeros((2 * k, k * k, k * k)), np.zeros((k * k, k * k))
    for p, q in product(range(len(winner)), repeat=2):
        shared = {winner[p], loser[p]} & {winner[q], loser[q]}
        for item in shared:
            m = sizes[class_of[item]]
            factor = m / (m - 1) if m > 1 else 1
            components[class_of[item], cell[p], cell[q]] += factor * added[p] * added[q]
        if len(shared) == 2:
            twice[cell[p], cell[q]] += added[p] * added[q]
    return components, sizes, twice


def assert_clusters(rates, *pairs):
    components, sizes, twice = clusters(*pairs)
    assert_array_equal(rates.class_sizes, sizes)
    assert_allclose(rates.components, components, rtol=1e-9, atol=1e-14)
    assert_allclose(rates.counted_twice, twice, rtol=1e-9, atol=1e-14)


def test_the_dyadic_covariance_is_that_of_a_loop_over_pairs_that_share_an_item(design):
    *pairs, rates = design
    assert_clusters(rates, *pairs)
    expected = rates.components.sum(axis=0) - rates.counted_twice
    assert_allclose(rates.covariance, expected, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("k", [2, 3])
def test_hits_of_one_half_are_those_of_a_loop(k):
    winner, loser, _, group = contradicting(30, 12, k, 120)
    kept = winner != loser
    winner, loser = winner[kept], loser[kept]
    hit = np.random.default_rng(2).choice([0, 0.5, 1], size=len(winner))
    rates = given_pairs(winner, loser, hit, group, k)
    assert_clusters(rates, winner, loser, hit, group, k)
    assert_allclose(rates.pooled, pooled_loop(winner, loser, hit, group, k), rtol=1e-9, atol=1e-14)


def pooled_loop(winner, loser, hit, group, k):
    """One covariance for each kind of pairs of pairs, a mean over items or over dyads.

    Judgments that contradict each other share both items, but turned: a kind of its own, because
    where one is right the other is wrong.
    """
    residual = hit - hit.mean()
    cell = group[winner] * k + group[loser]
    usable = np.bincount(cell, minlength=k * k)
    each = np.bincount(np.concatenate([winner, loser]))
    kinds, total, weights = np.zeros((5, k * k, k * k)), np.zeros(5), np.zeros((5, len(each)))
    for p, q in product(range(len(winner)), repeat=2):
        shared, weight = winner[p], 1
        if winner[p] == winner[q] and loser[p] == loser[q]:
            kind = 3
        elif winner[p] == loser[q] and loser[p] == winner[q]:
            kind = 4
        elif winner[p] == winner[q]:
            kind = 0
        elif loser[p] == loser[q]:
            kind, shared = 1, loser[p]
        elif winner[p] == loser[q]:
            kind = 2
        elif loser[p] == winner[q]:
            kind, shared = 2, loser[p]
        else:
            continue
        if kind < 3:
            weight = 1 / each[shared]
        kinds[kind, cell[p], cell[q]] += 1
        total[kind] += weight * residual[p] * residual[q]
        weights[kind, shared] += weight
    sums = weights.sum(axis=1)
    covariances = np.where(sums > 0, total / np.where(sums > 0, sums, 1), 0)
    numbers = kinds.sum(axis=(1, 2))
    covariances += max(0, (covariances * numbers).sum() / len(winner) ** 2)
    for kind in (0, 1):
        if sums[kind]:
            items = sums[kind] ** 2 / (weights[kind] ** 2).sum()
            largest = hit.mean() * (1 - hit.mean())
            covariances[kind] += (largest - covariances[kind]) / items**2
    return np.einsum("t,tij->ij", covariances, kinds) / np.outer(usable, usable)


@pytest.mark.parametrize("name", list(DESIGNS))
def test_the_pooled_covariance_is_that_of_a_loop_over_pairs_of_pairs(name):
    winner, loser, hit, group, k = DESIGNS[name]()
    kept = winner != loser
    expected = pooled_loop(winner[kept], loser[kept], hit[kept], group, k)
    found = given_pairs(winner, loser, hit, group, k).pooled
    assert_allclose(found, expected, rtol=1e-9, atol=1e-14)


def test_weights_of_pairs():
    winner, loser, hit, group = drawn(25, 25, 2, 120)
    weights = np.random.default_rng(0).uniform(0.1, 2, len(winner))
    weights[::6] = 0
    rates = given_pairs(winner, loser, hit, group, 2, weights=weights)
    kept = (winner != loser) & (weights > 0)
    winner, loser, hit, weights = (x[kept] for x in (winner, loser, hit, weights))
    cell = 2 * group[winner] + group[loser]
    total = [np.bincount(cell, x, 4) for x in (weights * hit, weights, weights**2)]
    assert_allclose(rates.concordant.ravel(), total[0], rtol=1e-12)
    assert_allclose(rates.comparable.ravel(), total[1], rtol=1e-12)
    assert_array_equal(rates.pairs.ravel(), np.bincount(cell, minlength=4))
    assert_allclose(rates.effective.ravel(), total[1] ** 2 / total[2], rtol=1e-12)
    assert_clusters(rates, winner, loser, hit, group, 2, weights)
    assert rates.pooled is None


@pytest.mark.parametrize("weighted", [False, True])
def test_samples_of_pairs_at_once_are_as_one_by_one(weighted):
    rng = np.random.default_rng(0)
    winner, loser = rng.integers(20, size=(2, 5, 80))
    hit, group = rng.integers(2, size=(5, 80)).astype(float), rng.integers(3, size=(5, 20))
    # where judgments contradict each other there is a test of its own
    winner, loser = np.maximum(winner, loser), np.minimum(winner, loser)
    weights = rng.uniform(size=(5, 80)) if weighted else None
    for groups in (group, group[0]):
        together = given_pairs(winner, loser, hit, groups, 3, weights=weights)
        for row in range(5):
            alone = given_pairs(
                winner[row],
                loser[row],
                hit[row],
                groups[row] if groups.ndim == 2 else groups,
                3,
                weights=weights[row] if weighted else None,
            )
            fields = (*FIELDS, "effective", "items", *(() if weighted else ("pooled",)))
            for field in fields:
                assert_allclose(
                    getattr(together, field)[row], getattr(alone, field), rtol=1e-9, atol=1e-14
                )


@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_of_data_sets_change_nothing(weighted, monkeypatch):
    rng = np.random.default_rng(5)
    winner, loser = rng.integers(20, size=(2, 7, 80))
    hit, group = rng.integers(2, size=(7, 80)).astype(float), rng.integers(2, size=(7, 20))
    weights = rng.uniform(size=(7, 80)) if weighted else None
    at_once = given_pairs(winner, loser, hit, group, 2, weights=weights)
    monkeypatch.setattr("fairpairs.mathematics.estimates.pairs.given.BLOCK", 170)
    in_blocks = given_pairs(winner, loser, hit, group, 2, weights=weights)
    for field in (*FIELDS, "effective", "items", "pooled"):
        assert_array_equal(getattr(in_blocks, field), getattr(at_once, field))


def test_all_pairs_given_one_by_one_have_the_variance_of_all_pairs():
    # DeLong's variance divides by m − 1 in the same way, but leaves out what only a pair adds
    y, s, group = items(28, 120, 2, "binary", "real")
    winner, loser = (x.ravel() for x in np.meshgrid(np.flatnonzero(y == 1), np.flatnonzero(y == 0)))
    given = given_pairs(winner, loser, (s[winner] > s[loser]).astype(float), group, 2)
    every = all_pairs(y, s, group, 2)
    assert_allclose(given.concordant, every.concordant, rtol=1e-12)
    assert_array_equal(given.class_sizes, every.class_sizes)
    assert_allclose(given.components, every.components, rtol=1e-9, atol=1e-14)
