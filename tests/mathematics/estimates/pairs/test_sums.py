"""Sums over pairs, and what an item adds to them."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fairpairs.mathematics.estimates.pairs import binary
from fairpairs.mathematics.estimates.pairs.all_pairs import (
    all_pairs,
    projections,
    sums_over_labels,
    sums_over_pairs,
)
from fairpairs.mathematics.estimates.pairs.binary import PlacementSums

from .synthetic import LABELS, hit_of, items


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


@pytest.mark.parametrize("ties", ["wrong", "half"])
@pytest.mark.parametrize("labels", LABELS)
def test_sums_over_pairs_and_labels_are_those_of_a_loop(ties, labels):
    y, s, _ = (np.stack(x) for x in zip(*(items(i, 23, 2, labels) for i in (0, 1)), strict=True))
    columns = np.random.default_rng(1).normal(size=(3, 2, 23))
    beaten, beating = sums_over_pairs(y, s, columns, ties=ties)
    lower, higher = sums_over_labels(y, columns)
    expected = np.zeros((4, 3, 2, 23))
    for r, i, j in product(range(2), range(23), range(23)):
        if y[r, i] > y[r, j]:
            hit = hit_of(s[r], i, j, ties)
            expected[0, :, r, i] += hit * columns[:, r, j]
            expected[1, :, r, j] += hit * columns[:, r, i]
            expected[2, :, r, i] += columns[:, r, j]
            expected[3, :, r, j] += columns[:, r, i]
    for found, wanted in zip((beaten, beating, lower, higher), expected, strict=True):
        assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


def test_a_class_of_items_adds_the_squares_of_its_projections():
    y, s, group = items(13, 80, 3, "few")
    right, usable, _, added, _ = (
        x[0] for x in projections(y[None], s[None], group[None], 3, "wrong")
    )
    assert_allclose(added.sum(axis=0), 0, atol=1e-12)
    rates = all_pairs(y, s, group, 3)
    assert rates.pooled is None
    assert rates.effective is None
    assert rates.items is None
    expected = np.zeros((3, 9, 9))
    theta = right / usable
    for g in range(3):
        m = (group == g).sum()
        for i in np.flatnonzero(group == g):
            own = np.zeros((3, 3))
            for j in range(80):
                if y[i] > y[j]:
                    cell = g, group[j]
                    own[cell] += (hit_of(s, i, j, "wrong") - theta[cell]) / usable[cell]
                if y[j] > y[i]:
                    cell = group[j], g
                    own[cell] += (hit_of(s, j, i, "wrong") - theta[cell]) / usable[cell]
            assert_allclose(added[i], own.ravel(), rtol=1e-9, atol=1e-14)
            expected[g] += m / (m - 1) * np.outer(own, own)
    assert_allclose(rates.components, expected, rtol=1e-9, atol=1e-14)


def test_what_items_add_is_centred_within_group_and_stratum():
    y, s, group = items(14, 90, 2, "few")
    strata = y.astype(int)
    weights = np.random.default_rng(0).uniform(0.2, 1, 90)
    one = (y[None], s[None], group[None], 2, "wrong", weights[None])
    plain, centred = projections(*one)[3][0], projections(*one, strata[None])[3][0]
    for g, level in product(range(2), range(4)):
        own = (group == g) & (strata == level)
        m = own.sum()
        assert m > 1
        expected = np.sqrt(m / (m - 1)) * (plain[own] - plain[own].mean(axis=0))
        assert_allclose(centred[own], expected, rtol=1e-9, atol=1e-14)
    # an item that is alone stays as it is
    strata[0] = 9
    assert_allclose(projections(*one, strata[None])[3][0, 0], plain[0], rtol=1e-12)
