"""Rates with balanced labels: against the two groups alone and plain loops."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairpairs import InputError, comparative_separation_test
from fairpairs.mathematics.estimates.balance import balancing_weights, label_strata
from fairpairs.mathematics.estimates.pairs.all_pairs import (
    balanced_given_pairs,
    balanced_pairs,
    effective_items,
)


def regression(seed, sizes, apart=1.0, noise=0.5, r=None):
    """Labels that are `apart` standard deviations apart, and scores that satisfy separation."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(len(sizes)), sizes)
    group = group if r is None else np.tile(group, (r, 1))
    y = rng.normal(size=group.shape) + apart * group
    return y, y + noise * rng.normal(size=group.shape), group


@pytest.mark.parametrize("pairs", ["all", 2000])
def test_a_gap_is_balanced_by_the_labels_of_its_two_groups(pairs):
    y, s, group = regression(0, [80, 60, 70])
    if pairs != "all":
        pairs = np.random.default_rng(1).integers(len(y), size=(pairs, 2))
    whole = comparative_separation_test(y, s, sensitive_features=group, pairs=pairs)
    frame = whole.to_frame().set_index("hypothesis")
    for a, b in combinations(range(3), 2):
        own = (group == a) | (group == b)
        of_two = pairs
        if not isinstance(pairs, str):
            of_two = (np.cumsum(own) - 1)[pairs[own[pairs].all(axis=1)]]
        alone = comparative_separation_test(
            y[own], s[own], sensitive_features=group[own], pairs=of_two, correction="none"
        ).to_frame()
        columns = ["estimate", "ci_low", "ci_high", "statistic", "smallest_cell"]
        expected = alone.set_index("hypothesis")[columns]
        assert_allclose(frame.loc[expected.index, columns], expected, rtol=1e-9)


def test_the_smallest_cell_is_the_number_of_items_that_the_weights_leave():
    y, s, group = regression(1, [100, 100], apart=2)
    strata = label_strata(y)
    weights = balancing_weights(group, strata, 2)
    expected = [weights[group == g].sum() ** 2 / (weights[group == g] ** 2).sum() for g in (0, 1)]
    assert_allclose(effective_items(weights[None], group[None], 2)[0], expected)
    result = comparative_separation_test(y, s, sensitive_features=group)
    assert (result.difference.smallest_cell == int(min(expected))).all()
    assert min(expected) < 50


def test_the_pooled_covariance_is_that_of_a_plain_loop():
    y, s, group = regression(2, [25, 35], apart=0.5)
    strata = label_strata(y)
    weights = balancing_weights(group, strata, 2)
    rates = balanced_pairs(y, s, group, 2)
    n, common = len(y), rates.concordant.sum() / rates.comparable.sum()
    won, lost = np.zeros(n), np.zeros(n)
    for i in range(n):
        for j in range(n):
            if strata[i] > strata[j]:
                excess = (s[i] > s[j]) - common
                won[i] += weights[j] * excess
                lost[j] += weights[i] * excess
    chance = rates.comparable.sum() / weights.sum() ** 2
    expected = np.zeros((2, 2, 2, 2))
    for g in (0, 1):
        members = group == g
        spread = np.zeros((2, 2))
        for stratum in np.unique(strata[weights > 0]):
            here = (strata == stratum) & (weights > 0)
            within = np.cov(won[here], lost[here]) if here.sum() > 1 else np.zeros((2, 2))
            spread += (weights[members & here] ** 2).sum() * within
        spread /= (weights.sum() * chance * weights[members].sum()) ** 2
        for x in (0, 1):
            for z in (0, 1):
                expected[g, x, g, z] += spread[0, 0]  # as winners of both rates
                expected[x, g, z, g] += spread[1, 1]
                expected[g, x, z, g] += spread[0, 1]
                expected[x, g, g, z] += spread[1, 0]
    worth = rates.class_sizes
    for x in (0, 1):
        for z in (0, 1):
            pairs = chance * worth[x] * worth[z]
            expected[x, z, x, z] += common * (1 - common) / pairs
    assert_allclose(rates.pooled, expected.reshape(4, 4), rtol=1e-9)


def test_many_data_sets_have_two_groups():
    y, s, group = regression(5, [20, 20, 20], r=2)
    with pytest.raises(InputError, match="one data set at a time"):
        balanced_pairs(y, s, group, 3)
    winner, loser = np.random.default_rng(0).integers(60, size=(2, 2, 50))
    with pytest.raises(InputError, match="one data set at a time"):
        balanced_given_pairs(y, winner, loser, np.ones((2, 50)), group, 3)
