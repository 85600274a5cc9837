"""Shuffles by the chances of the groups given the label, and what they do to a test."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.special import expit, ndtri
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression

from fairpairs.mathematics.estimates.balance import label_strata
from fairpairs.mathematics.fairness.separation import (
    separation_permutation_test,
)
from fairpairs.mathematics.inference.conditional_shuffles import (
    EXCHANGES,
    MAX_SLOPE,
    conditional_shuffles,
)


@pytest.mark.slow
def test_conditional_shuffles_have_the_chances_of_the_groups_given_the_label():
    """All 20 assignments of 3 of 6 items, against their chances; 200 draws, 4.5 errors."""
    labels, group = np.array([0.1, 0.5, 0.2, 1.4, 1.1, 2.0]), np.array([0, 0, 1, 1, 0, 1])
    scores = ndtri((np.array([1, 3, 2, 5, 4, 6]) - 0.5) / 6)[:, None]
    slope = LogisticRegression(tol=1e-10).fit(scores, group).coef_[0, 0]
    chosen = np.array(list(combinations(range(6), 3)))
    chance = np.exp(slope * scores[chosen, 0].sum(axis=1))
    chance /= chance.sum()
    rng, one = np.random.default_rng(0), np.zeros(6, dtype=np.int64)
    place = {tuple(row): i for i, row in enumerate(chosen)}
    drawn = [conditional_shuffles(group, one, labels, rng)(1)[0] for _ in range(200)]
    counts = np.bincount([place[tuple(np.flatnonzero(row))] for row in drawn], minlength=20)
    assert all(row.sum() == 3 for row in drawn)
    error = np.sqrt(200 * chance * (1 - chance))
    assert (np.abs(counts - 200 * chance) < 4.5 * error).all()


def test_groups_stay_within_their_strata_and_keep_their_sizes():
    rng = np.random.default_rng(1)
    labels, group = rng.normal(size=90), rng.integers(0, 3, 90)
    strata = label_strata(labels)
    for shuffled in conditional_shuffles(group, strata, labels, rng)(5):
        for stratum in np.unique(strata):
            inside = strata == stratum
            assert_array_equal(np.sort(shuffled[inside]), np.sort(group[inside]))


def test_groups_whose_labels_hardly_overlap_are_noted():
    rng = np.random.default_rng(7)
    group = np.tile([0, 1, 2], 40)
    for apart, noted in ((0.0, False), (1.0, False), (3.0, True)):
        y = rng.normal(size=120) + apart * (group == 2)
        note = separation_permutation_test(
            y, y + rng.normal(size=120), sensitive_features=group, n_permutations=99, random_state=0
        ).note
        assert ("hardly overlap" in note) is noted
    levels = np.repeat([0, 1, 2], 40)
    levels[:2], levels[40:42], group = [1, 2], [2, 0], np.sort(group)
    result = separation_permutation_test(
        levels, levels + rng.normal(size=120), sensitive_features=group, statistic="rates",
        n_permutations=99, random_state=0,
    )  # fmt: skip
    assert "hardly overlap" not in result.note  # discrete labels: the test is exact


def plain_exchanges(group, strata, labels, rng):
    """Exchange pairs one by one, by the chance that the log odds of the four cases give."""
    n = len(group)
    scores = ndtri((rankdata(labels) - 0.5) / n)[:, None]
    model = LogisticRegression(solver="newton-cholesky", tol=MAX_SLOPE).fit(scores, group)
    logs = scores @ model.coef_.T
    logs = np.hstack([np.zeros((n, 1)), logs]) if logs.shape[1] == 1 else logs
    steps = []
    for step in range(EXCHANGES):
        order = np.lexsort((rng.random(n), strata))[step % 2 :]
        pairs = zip(order[::2], order[1::2], strict=False)
        steps.append([(i, j) for i, j in pairs if strata[i] == strata[j]])

    def exchange(rows, steps):
        rows = rows.copy()
        for pairs in steps:
            chance = rng.random((len(rows), len(pairs)))
            for row, chances in zip(rows, chance, strict=True):
                for (i, j), drawn in zip(pairs, chances, strict=True):
                    odds = logs[i, row[j]] + logs[j, row[i]] - (logs[i, row[i]] + logs[j, row[j]])
                    if drawn < expit(odds):
                        row[i], row[j] = row[j], row[i]
        return rows

    centre = exchange(group[None], steps[::-1])
    return lambda size: exchange(np.repeat(centre, size, axis=0), steps)


@pytest.mark.parametrize("k", [2, 3, 12])
def test_shuffles_are_those_of_exchanges_one_by_one(k):
    rng = np.random.default_rng(k)
    group, labels = np.arange(96) % k, rng.normal(size=96)
    given = (group, label_strata(labels), labels)
    shuffle = conditional_shuffles(*given, np.random.default_rng(4))
    expected = plain_exchanges(*given, np.random.default_rng(4))
    for size in (3, 2):
        assert_array_equal(shuffle(size), expected(size))
    assert shuffle(2).dtype == group.dtype
