"""Streams of many items at once."""

import numpy as np
import pytest

from benchmarks.repeated_looks.bets import largest, wealth
from benchmarks.repeated_looks.streams import NEVER, Independent, Rows
from fairpairs.mathematics.sequential.rate_bets import RateBets

DIFFERENCES = np.array([-0.1, 0, 0.1])


@pytest.mark.slow
def test_wealth_of_many_streams_is_that_of_each():
    rng = np.random.default_rng(0)
    shape = (15, 3000)
    in_group, hit, counts = (
        rng.random(shape) < 0.2,
        rng.random(shape) < 0.3,
        rng.random(shape) < 0.9,
    )
    found = [[] for _ in in_group]
    for at, log_wealth in wealth(Rows(in_group, hit, counts), DIFFERENCES, shape[1]):
        for i in np.flatnonzero(at <= shape[1]):
            found[i].append(log_wealth[i])
    for group, outcome, mask, of_stream in zip(in_group, hit, counts, found, strict=True):
        ended = RateBets.new(DIFFERENCES).append(group[mask], outcome[mask])
        np.testing.assert_array_equal(np.array(ended), np.array(of_stream))


def test_a_block_ends_at_the_row_that_completes_it():
    in_group = np.tile([True, True, False, False], 100)[None]
    hit = np.ones_like(in_group)
    rows = [at[0] for at, _ in wealth(Rows(in_group, hit), DIFFERENCES, 400)]
    bets = RateBets.new(DIFFERENCES)
    ends = [i + 1 for i in range(400) if bets.append(in_group[0, i : i + 1], hit[0, i : i + 1])]
    assert rows == ends


@pytest.mark.slow
def test_blocks_of_independent_rows_are_distributed_as_rows_are():
    """Items of both groups, hits and rows of the tenth block of five items."""
    number, share, rates = 8000, 0.3, (0.6, 0.2)
    rng = np.random.default_rng(1)
    in_group = rng.random((number, 300)) < share
    hit = rng.random(in_group.shape) < np.where(in_group, *rates)
    for size in (1, 5):
        found = []
        for streams in (Rows(in_group, hit), Independent(rng, number, share, rates)):
            for _ in range(5):
                block = streams.block(np.full(number, size))
            found.append(np.column_stack(block))
        assert found[0].max() < NEVER
        for moment in (1, 2):
            ours, theirs = ((each.astype(float) ** moment) for each in found)
            error = np.sqrt((ours.var(axis=0) + theirs.var(axis=0)) / number)
            assert (np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) < 4.5 * error).all()


def test_the_largest_evidence_leaves_out_later_rows():
    rng = np.random.default_rng(2)
    in_group = rng.random((20, 2000)) < 0.5
    hit = rng.random(in_group.shape) < np.where(in_group, 0.7, 0.4)

    def of_zero(log_wealth):
        return log_wealth[..., 1].sum(axis=-1)

    early, late = (largest(Rows(in_group, hit), DIFFERENCES, rows, of_zero) for rows in (100, 2000))
    first = largest(Rows(in_group[:, :100], hit[:, :100]), DIFFERENCES, 100, of_zero)
    np.testing.assert_array_equal(early, first)
    assert (late >= early).all() and late.mean() > early.mean() + 5
