"""When a stream is looked at, and what is estimated then."""

from functools import partial

import numpy as np
import pytest

from fairpairs.mathematics.sequential.difference_looks import MeanLooks, RankingLooks, ranked_block
from fairpairs.mathematics.sequential.evidence import block_size, pieces


@pytest.mark.parametrize("step", [1, 13, 400])
def test_looks_do_not_depend_on_how_items_are_divided(step):
    seen, items, last = [], 0, 0
    while items < 4000:
        for piece, look in pieces(items, last, step):
            if look:
                seen.append(items + piece.stop)
        items += step
        last = seen[-1] if seen else 0
    assert seen == look_ends(items)


def scores(seed, n, groups=3, bins=20):
    rng = np.random.default_rng(seed)
    group, label = rng.integers(0, groups, n), rng.integers(0, 2, n)
    return group, label, np.clip(rng.normal(8 + 2 * label + group, 3, n), 0, bins - 1).astype(int)


def of_stream(group, other, looks, fewest, block_of):
    """Estimates and variances of a group less group 1 at looks, from all items of each block.

    `block_of` returns numbers of items, a difference, and variances of samples, alone and together.
    """
    found, ended, start = [], [], 0
    for look in looks:
        block = block_of((np.arange(len(group)) >= start) & (np.arange(len(group)) < look), other)
        if block is None:  # fewer than two items of a sample
            blocks = ended
        else:
            blocks = [*ended, block]
            if min(block[0]) >= fewest:
                ended, start = blocks, look
        if not ended:
            found.append((np.nan, np.nan))
            continue
        weights = [1 / sum(1 / n for n in items) for items, *_ in blocks]
        difference = sum(w * d for w, (_, d, *_) in zip(weights, blocks, strict=True))
        variance = 0
        for sample in range(len(blocks[0][0])):
            variance += max(
                sum(
                    w**2 * spreads[kind][sample] / items[sample]
                    for w, (items, _, *spreads) in zip(weights, blocks, strict=True)
                )
                for kind in (0, 1)
            )
        found.append((difference / sum(weights), variance / sum(weights) ** 2))
    return np.array(found)


def look_ends(n):
    ends = [1]
    while ends[-1] + block_size(ends[-1]) <= n:
        ends.append(ends[-1] + block_size(ends[-1]))
    return ends


def test_differences_of_auc_and_xauc_are_delongs_within_blocks():
    """Against every pair of items."""
    group, label, score = scores(0, 2500)
    ends = look_ends(2500)
    found = np.array(RankingLooks.new(3, 1, 20).append(group, label, score))

    def auc(known, a, b):
        positives, negatives = (
            score[known & (group == g) & (label == y)] for g, y in ((a, 1), (b, 0))
        )
        wins = (positives[:, None] > negatives) + 0.5 * (positives[:, None] == negatives)
        return wins.mean(), [wins.mean(axis=i).var(ddof=1) for i in (1, 0)], wins.shape

    def block(known, other, *, crossed):
        cells = [known & (group == g) & (label == y) for g in (other, 1) for y in (0, 1)]
        if min(cell.sum() for cell in cells) < 2:
            return None
        more, less = (
            (auc(known, other, 1), auc(known, 1, other))
            if crossed
            else (auc(known, other, other), auc(known, 1, 1))
        )
        together = [
            (n * spread + m * other_spread) / (n + m)
            for spread, other_spread, n, m in zip(more[1], less[1], more[2], less[2], strict=True)
        ]
        return (*more[2], *less[2]), more[0] - less[0], (*more[1], *less[1]), together * 2

    for row, other in enumerate((0, 2)):
        for column, crossed in enumerate((False, True)):
            wanted = of_stream(group, other, ends, 50, partial(block, crossed=crossed))
            np.testing.assert_allclose(found[:, :, row, column], wanted, rtol=1e-9)
    assert (np.isfinite(found[:, 0]).sum(axis=0) > 50).all()


def test_blocks_of_many_streams_are_counted_at_once():
    counts = np.random.default_rng(3).integers(0, 30, (4, 5, 2, 2, 20))
    counts[1, 2, 0, 1] = 0
    whole = ranked_block(counts)
    for place in np.ndindex(4, 5):
        for of_all, alone in zip(whole, ranked_block(counts[place]), strict=True):
            np.testing.assert_array_equal(of_all[place], alone)
    assert whole[0][1, 2].min() == 0 < whole[0][0, 0].min()


def test_too_few_items_and_perfect_ranking_give_no_estimate():
    group = np.repeat([0, 1], 200)
    label = np.tile([0, 1], 200)
    for score in (4 * label, np.where(np.arange(400) < 398, 4 * label, 2)):
        looks = RankingLooks.new(2, 0, 5)
        looks.append(group, label, score)
        known = np.isfinite([looks.estimates, looks.variances])
        assert known.all() if score.min() else not known.any()


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


def test_differences_of_means_are_those_within_blocks():
    """Against the items of each block; numbers and the shares of the groups drift."""
    rng = np.random.default_rng(3)
    time = np.linspace(0, 1, 3000)
    group = np.where(rng.random(3000) < 0.2 + 0.6 * time, 0, rng.integers(1, 3, 3000))
    numbers = rng.exponential(size=3000) + 5 * time
    looks = MeanLooks.new(3, 1)
    found = np.array(looks.append(group, numbers))

    def block(known, other):
        both = [numbers[known & (group == g)] for g in (other, 1)]
        if min(map(len, both)) < 2:
            return None
        together = np.concatenate(both).var(ddof=1)
        return (
            [len(x) for x in both], both[0].mean() - both[1].mean(), [x.var(ddof=1) for x in both],
            [together, together],
        )  # fmt: skip

    for row, other in enumerate((0, 2)):
        wanted = of_stream(group, other, look_ends(3000), 30, block)
        np.testing.assert_allclose(found[:, :, row], wanted, rtol=1e-9)
    assert abs(looks.estimates[0]) < 0.2 < numbers[group == 0].mean() - numbers[group == 1].mean()
    assert looks.items.tolist() == np.bincount(group).tolist()
    assert np.isnan(found[20]).all()
    assert np.isnan(MeanLooks.new(3, 1).append(group, np.zeros(3000))[-1]).all()
