"""Measures from counts against scikit-learn, loops over items and shuffled items."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import fisher_exact
from sklearn.metrics import mutual_info_score

from fairpairs.mathematics.estimates.cell_measures import (
    information_separation_from_counts,
    separation_ratio_from_counts,
    shuffled_counts,
    shuffling_pvalue,
)
from fairpairs.mathematics.inference.permutation import permute_within
from fairpairs.papers.experiments.item_counts import cell_counts


@pytest.fixture
def items():
    rng = np.random.default_rng(3)
    group, label = rng.integers(0, 2, (2, 400))
    prediction = (rng.random(400) < 0.3 + 0.4 * label + 0.2 * group * label).astype(np.int64)
    return label, prediction, group


def counts_of(items):
    return cell_counts(*items)[0]


def test_the_information_is_the_mean_mutual_information_over_the_labels(items):
    label, prediction, group = items
    given = {
        y: mutual_info_score(group[label == y], prediction[label == y]) * (label == y).mean()
        for y in (0, 1)
    }
    # H(A | Y) is the information of the group on itself
    entropy = sum(
        mutual_info_score(group[label == y], group[label == y]) * (label == y).mean()
        for y in (0, 1)
    )
    value = information_separation_from_counts(counts_of(items))
    assert_allclose(value, sum(given.values()) / entropy, rtol=1e-12)


def test_the_information_is_all_or_nothing():
    told = np.array([[[9, 0], [7, 0]], [[0, 5], [0, 8]]])  # the prediction is the group
    assert_allclose(information_separation_from_counts(told), 1)
    same = np.array([[[9, 3], [6, 2]], [[18, 6], [3, 1]]])
    assert_allclose(information_separation_from_counts(same), 0, atol=1e-12)
    no_group_left = np.array([[[9, 3], [0, 0]], [[0, 0], [3, 1]]])
    assert np.isnan(information_separation_from_counts(no_group_left))


def test_the_ratio_is_the_mean_over_the_items(items):
    label, prediction, group = items

    def share(a, y, c):
        own = (group == a) & (label == y)
        return (prediction[own] == c).mean()

    ratios = [share(1, y, c) / share(0, y, c) for y, c in zip(label, prediction, strict=True)]
    assert_allclose(separation_ratio_from_counts(counts_of(items)), np.mean(ratios), rtol=1e-12)
    # in group 0 alone it is 1
    assert_allclose(np.mean([r for r, a in zip(ratios, group, strict=True) if a == 0]), 1)


def test_a_ratio_without_a_divisor():
    never = np.array([[[9, 0], [6, 2]], [[5, 5], [3, 1]]])
    assert separation_ratio_from_counts(never) == np.inf
    nobody = np.array([[[9, 3], [0, 0]], [[5, 5], [3, 1]]])
    assert np.isnan(separation_ratio_from_counts(nobody))
    one_label = np.array([[[9, 3], [0, 0]], [[5, 5], [0, 0]]])
    assert_allclose(separation_ratio_from_counts(one_label), (14 * 2 / 3 + 8 * 2) / 22)


def test_many_tables_at_once(items):
    table = counts_of(items)
    tables = shuffled_counts(table, 5, np.random.default_rng(0))
    for function in (information_separation_from_counts, separation_ratio_from_counts):
        assert_allclose(function(tables), [function(one) for one in tables])


def test_shuffled_counts_keep_the_margins_and_follow_shuffled_items(items):
    label, prediction, group = items
    table = counts_of(items)
    drawn = shuffled_counts(table, 4000, np.random.default_rng(1))
    assert (drawn >= 0).all()
    assert (drawn.sum(axis=1) == table.sum(axis=0)).all()
    assert (drawn.sum(axis=3) == table.sum(axis=2)).all()
    groups = permute_within(group, label, 2000, np.random.default_rng(2))
    slow = np.array([cell_counts(label, prediction, own)[0] for own in groups])
    error = slow[:, 1, :, 1].std(axis=0) * np.sqrt(1 / 2000 + 1 / 4000)
    gap = drawn[:, 1, :, 1].mean(axis=0) - slow[:, 1, :, 1].mean(axis=0)
    assert (np.abs(gap) < 4 * error).all()
    assert_allclose(drawn[:, 1, :, 1].std(axis=0), slow[:, 1, :, 1].std(axis=0), rtol=0.08)


def test_the_pvalue_is_fishers_where_one_label_occurs():
    table = np.array([[[12, 5], [0, 0]], [[6, 11], [0, 0]]])
    shuffled = shuffled_counts(table, 40_000, np.random.default_rng(0))
    pvalue = shuffling_pvalue(
        float(information_separation_from_counts(table)),
        information_separation_from_counts(shuffled),
    )
    # equal sizes of the groups: the tables as far away are as improbable
    assert_allclose(pvalue, fisher_exact(table[:, 0]).pvalue, atol=0.006)


def test_no_pvalue_without_a_value():
    assert np.isnan(shuffling_pvalue(np.inf, np.ones(3)))
    assert shuffling_pvalue(1.5, np.array([1.0, np.inf, np.nan])) == 3 / 4
