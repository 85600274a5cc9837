"""When a stream is looked at, and what is estimated then."""

import numpy as np
import pytest

from fairpairs.mathematics.sequential.difference_looks import MeanLooks, RankingLooks, differences
from fairpairs.mathematics.sequential.looks import block_size, pieces


@pytest.mark.parametrize("step", [1, 13, 400])
def test_looks_do_not_depend_on_how_items_are_divided(step):
    seen, items, last = [], 0, 0
    while items < 4000:
        for piece, look in pieces(items, last, step):
            if look:
                seen.append(items + piece.stop)
        items += step
        last = seen[-1] if seen else 0
    expected = [1]
    while expected[-1] + block_size(expected[-1]) <= items:
        expected.append(expected[-1] + block_size(expected[-1]))
    assert seen == expected


def scores(seed, n, groups=3, bins=20):
    rng = np.random.default_rng(seed)
    group, label = rng.integers(0, groups, n), rng.integers(0, 2, n)
    return group, label, np.clip(rng.normal(8 + 2 * label + group, 3, n), 0, bins - 1).astype(int)


def test_differences_of_auc_and_xauc_are_delongs():
    """Against every pair of items."""
    group, label, score = scores(0, 700)
    counts = np.zeros((3, 2, 20), dtype=int)
    np.add.at(counts, (group, label, score), 1)
    estimates, variances = differences(counts, reference=1)

    def auc(a, b):
        positives, negatives = (score[(group == g) & (label == y)] for g, y in ((a, 1), (b, 0)))
        wins = (positives[:, None] > negatives) + 0.5 * (positives[:, None] == negatives)
        return wins.mean(), [wins.mean(axis=i).var(ddof=1) for i in (1, 0)], wins.shape

    for row, other in enumerate((0, 2)):
        for column, (more, less) in enumerate((
            (auc(other, other), auc(1, 1)), (auc(other, 1), auc(1, other)),
        )):  # fmt: skip
            assert estimates[row, column] == pytest.approx(more[0] - less[0], abs=1e-12)
            variance = 0.0
            for spread, other_spread, n, m in zip(more[1], less[1], more[2], less[2], strict=True):
                both = (n * spread + m * other_spread) / (n + m)
                variance += max(spread, both) / n + max(other_spread, both) / m
            assert variances[row, column] == pytest.approx(variance, rel=1e-10)


def test_many_streams_are_estimated_at_once():
    counts = np.random.default_rng(3).integers(0, 30, (4, 5, 3, 2, 20))
    counts[1, 2, 0, 1] = 0
    whole = differences(counts, reference=1)
    for place in np.ndindex(4, 5):
        for of_all, alone in zip(whole, differences(counts[place], reference=1), strict=True):
            np.testing.assert_array_equal(of_all[place], alone)
    assert np.isnan(whole[0][1, 2, 0]).all() and not np.isnan(whole[0][1, 2, 1]).any()


def test_too_few_items_and_perfect_ranking_give_no_estimate():
    counts = np.zeros((2, 2, 5), dtype=int)
    counts[:, 0, 0], counts[:, 1, 4] = 100, 100
    assert np.isnan(differences(counts, 0)).all()
    counts[1, 1] = [1, 1, 1, 1, 1]
    assert np.isnan(differences(counts, 0)).all()


@pytest.mark.slow
@pytest.mark.parametrize("step", [1, 13, 400])
def test_estimates_do_not_depend_on_how_items_are_divided(step):
    group, label, score = scores(1, 1200)
    numbers = np.random.default_rng(2).lognormal(size=1200) * 10.0 ** (group - 1)
    whole = RankingLooks.new(3, 1, 20), MeanLooks.new(3, 1)
    parts = RankingLooks.new(3, 1, 20), MeanLooks.new(3, 1)
    expected = [whole[0].append(group, label, score), whole[1].append(group, numbers)]
    found = [[], []]
    for i in range(0, 1200, step):
        of = slice(i, i + step)
        found[0] += parts[0].append(group[of], label[of], score[of])
        found[1] += parts[1].append(group[of], numbers[of])
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(np.array(one), np.array(other))


def test_differences_of_means():
    rng = np.random.default_rng(3)
    group = rng.integers(0, 2, 500)
    numbers = rng.exponential(size=500)
    looks = MeanLooks.new(2, 0)
    found = looks.append(group, numbers)
    n = looks.last_look
    of = [numbers[:n][group[:n] == g] for g in (0, 1)]
    assert looks.estimates[0] == pytest.approx(of[1].mean() - of[0].mean())
    spreads = [max(x.var(ddof=1), numbers[:n].var(ddof=1)) for x in of]
    assert looks.variances[0] == pytest.approx(sum(v / len(x) for v, x in zip(spreads, of)))  # noqa: B905
    assert np.isnan(found[20]).all()
    assert np.isnan(MeanLooks.new(2, 0).append(group, np.zeros(500))[-1]).all()
