"""Detectors of changes: by hand, against plain loops, and their run lengths and delays."""

import numpy as np
import pytest
from scipy.stats import binom

from fairpairs.mathematics.sequential.rate_bets import EFFECTS, SHARES, Changes, Period, RateChanges


def plain(threshold, batches):
    """Sum over all bettors of the products of the factors since each began, by a plain loop."""
    bettors, periods, differs = [], [], False
    for number, blocks in enumerate(batches, 1):
        bettors.append(np.ones((2, len(EFFECTS))))
        for factor in blocks:
            bettors = [wealth * factor for wealth in bettors]
            of_sides = (sum(bettors) @ SHARES) if bettors else np.zeros(2)
            if (of_sides.min() if differs else of_sides.mean()) >= threshold:
                differs, bettors = not differs, []
                periods.append(number)
    return periods


def test_the_sum_of_all_bettors_decides():
    rng, changed = np.random.default_rng(0), 0
    for _ in range(30):
        batches = [np.exp(rng.normal(0, 0.6, (rng.integers(0, 4), 2, 3))) for _ in range(40)]
        changes = Changes(30.0)
        for number, blocks in enumerate(batches, 1):
            changes.begin(number, 1.0)
            changes.add(lambda _, first, blocks=blocks: np.log(blocks)[first:])
        shown = [x for one in changes.periods for x in (one.shown, one.shown_ended) if x]
        assert shown == plain(30.0, batches)
        changed += len(shown)
    assert changed > 20


def test_a_period_is_dated_by_when_the_wealth_began_to_rise():
    changes = Changes(100.0)
    for number in range(1, 13):
        changes.begin(number, 1.0)
        up = 2.0 if (4 <= number <= 8) != changes.differs else -1.0
        changes.add(lambda _, first, up=up: np.full((1 - first, 2, 3), up))
    assert changes.periods[0] == Period(began=4, shown=6, ended=9, shown_ended=11)


@pytest.mark.parametrize("differs", [False, True])
@pytest.mark.parametrize("margin", [None, 0.05])
def test_a_block_multiplies_wealth_by_at_most_1_on_average(differs, margin):
    """By all outcomes of a block of 6 + 9 items, on the edge of each hypothesis."""
    line = RateChanges(0.1, margin, Changes(100.0))
    tolerated = (0.1 if margin is None else margin) if differs else margin or 0.0
    hits = np.stack(np.meshgrid(np.arange(7), np.arange(10), indexing="ij"), -1).reshape(-1, 2)
    items = np.array([6, 9])
    counts = np.stack([items - hits, hits], axis=-1)
    earlier = np.broadcast_to(np.array([[31, 22], [60, 44]]), counts.shape)
    factors = np.exp(line._log_factors(earlier, counts, differs=differs))
    for side, sign in enumerate((1, -1)):
        for rate in (0.2, 0.45, 0.7):
            chances = binom.pmf(hits, items, [rate + sign * tolerated, rate]).prod(axis=1)
            assert (chances @ factors[:, side] <= 1 + 1e-9).all()


def test_items_are_counted_alike_however_they_are_cut():
    rng = np.random.default_rng(1)
    in_group, hit = rng.random(1000) < 0.2, rng.random(1000) < 0.6
    lines = [RateChanges(0.1, None, Changes(1e9)) for _ in range(2)]
    for line, step in zip(lines, (1000, 7), strict=True):
        line.changes.begin(1, 1.0)
        for start in range(0, 1000, step):
            line.append(in_group[start : start + step], hit[start : start + step])
    whole, cut = lines
    assert (whole.counts == cut.counts).all() and (whole.waiting == cut.waiting).all()
    np.testing.assert_array_equal(whole.changes.sums, cut.changes.sums)
    np.testing.assert_array_equal(whole.changes.runs, cut.changes.runs)


def test_a_batch_of_one_group_shows_nothing():
    line = RateChanges(0.1, None, Changes(10.0))
    line.changes.begin(1, 1.0)
    line.append(np.ones(500, dtype=bool), np.arange(500) % 3 == 0)
    np.testing.assert_allclose(line.changes.sums.sum(axis=1), 1)
    assert line.changes.periods == []
