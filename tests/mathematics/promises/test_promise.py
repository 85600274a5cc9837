"""Promises by Clopper and Pearson: limits, verdicts, results with and without a note."""

import numpy as np
import pytest
from scipy.stats import binomtest

from fairpairs.mathematics.promises.promise import Measured, Said, measured, share


def counted(count, sets, promised, kind="level"):
    return Measured("it", kind, False, promised, count, sets, 0.0)


@pytest.mark.parametrize(("found", "sets"), [(0, 50), (7, 100), (50, 50), (412, 1000)])
def test_limits_are_those_of_clopper_and_pearson(found, sets):
    row = counted(found, sets, 0.05)
    low = binomtest(found, sets, alternative="greater").proportion_ci(0.99).low
    high = binomtest(found, sets, alternative="less").proportion_ci(0.99).high
    assert (row.low, row.high) == pytest.approx((low, high))
    assert row.bound == row.low
    assert counted(found, sets, 0.05, "power").bound == row.high


@pytest.mark.parametrize(
    ("count", "sets", "kind", "promised", "verdict"),
    [
        (50, 1000, "level", 0.05, "not known yet"),
        (5000, 100_000, "level", 0.05, "kept"),
        (90, 1000, "level", 0.05, "broken"),
        (0, 20, "level", 0.05, "not known yet"),
        (990, 1000, "coverage", 0.93, "kept"),
        (850, 1000, "coverage", 0.93, "broken"),
        (770, 1000, "power", 0.77, "not known yet"),
        (300, 1000, "level", np.nan, ""),
    ],
)
def test_a_promise_is_kept_broken_or_not_known_yet(count, sets, kind, promised, verdict):
    assert counted(count, sets, promised, kind).verdict() == verdict


def test_shares_of_intervals_have_the_error_of_the_data_sets():
    values = np.array([1.0, 0.5, np.nan, 0.0])
    row = share("it", "coverage", values, 0.93)
    assert (row.sets, row.rate) == (3, 0.5)
    assert row.error == pytest.approx(np.std([1, 0.5, 0], ddof=1) / np.sqrt(3))


def test_notes_are_counted_apart_unless_they_are_few():
    noted = np.repeat([True, False], [20, 80])
    plain, with_note = measured(Said("it", "level", noted.astype(float), noted), 0.05)
    assert (plain.promised, plain.rate, plain.sets) == (0.05, 0, 80)
    assert (with_note.promised, with_note.rate, with_note.sets) == (0.1, 1, 20)
    (one,) = measured(Said("it", "level", np.zeros(100), np.arange(100) < 5), 0.05)
    assert (one.noted, one.sets) == (False, 100)
    assert not list(measured(Said("it", "level", np.full(3, np.nan), np.zeros(3, bool)), 0.05))
