"""Sums of placements are whole numbers, the same for any division into blocks and for counts."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fairpairs.mathematics.estimates.pairs import binary
from fairpairs.mathematics.estimates.pairs.binary import PlacementSums


def rows(seed, n=200, k=3, levels=25, most=4):
    """Cells, scores ascending, and counts of rows; some levels are common, most are rare."""
    rng = np.random.default_rng(seed)
    score = np.sort(np.minimum(rng.geometric(0.1, n), levels))
    cell = rng.integers(0, 2 * k, n)
    count = rng.integers(1, most, n)
    return cell, score, count


def sums(cell, score, count, k, ties, cuts=()):
    size = np.bincount(cell, count, minlength=2 * k).astype(np.int64).reshape(k, 2)
    of_all = PlacementSums(size, ties)
    for start, stop in zip([0, *cuts], [*cuts, len(cell)], strict=True):
        part = slice(start, stop)
        of_all.add(cell[part], np.diff(score[part], prepend=-1) > 0, count[part])
    return of_all


def by_loop(cell, score, k, ties):
    """Twice the placements of each item, and the sums of them and of their products."""
    group, label = cell // 2, cell % 2
    total, product = np.zeros((2, k, k), dtype=object), np.zeros((2, k, k, k), dtype=object)
    tie = 1 if ties == "half" else 0
    for i in range(len(cell)):
        other = label != label[i]
        sign = 1 if label[i] else -1
        won = 2 * (sign * (score[i] - score) > 0) + tie * (score == score[i])
        twice = np.bincount(group[other], won[other], minlength=k).astype(int).astype(object)
        total[label[i], group[i]] += twice
        product[label[i], group[i]] += twice[:, None] * twice
    return total, product


@pytest.mark.parametrize("ties", ["half", "wrong"])
@pytest.mark.parametrize("block", [1, 7, 60, 1 << 15])
def test_the_sums_are_those_of_a_loop(monkeypatch, block, ties):
    monkeypatch.setattr(binary, "BLOCK", block)
    cell, score, count = rows(0)
    repeated = np.repeat(cell, count), np.repeat(score, count)
    total, product = by_loop(*repeated, 3, ties)
    ones = np.ones(len(repeated[0]), dtype=np.int64)
    cut = int(np.flatnonzero(np.diff(score))[9]) + 1
    for found in (
        sums(cell, score, count, 3, ties),
        sums(cell, score, count, 3, ties, cuts=[cut]),
        sums(*repeated, ones, 3, ties),
    ):
        assert_array_equal(found._sums, total)
        assert_array_equal(found._products, product)


def test_sums_of_a_billion_items_are_exact():
    cell, score, count = rows(1, n=40, k=2)
    small = sums(cell, score, count, 2, "half")
    large = sums(cell, score, count * 10**8, 2, "half")
    assert_array_equal(large._sums, small._sums * 10**16)
    assert_array_equal(large._products, small._products * 10**24)


def test_the_order_within_a_level_does_not_matter():
    cell, score, count = rows(2)
    order = np.lexsort([np.random.default_rng(0).random(len(cell)), score])
    assert_array_equal(
        sums(cell, score, count, 3, "half")._products,
        sums(cell[order], score[order], count[order], 3, "half")._products,
    )
