"""That a new gap is not worse."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from fairpairs.mathematics.inference.contrast import StudentContrast
from fairpairs.mathematics.inference.contrasts.equivalence import GapComparison
from fairpairs.mathematics.inference.contrasts.paired import PairedContrast, paired_ends

ALPHA = 0.05


def compared(old, new, errors=(1.0, 1.0), correlation=0.0):
    """Two normal gaps with these standard errors."""
    first, second = errors
    both = 2 * correlation * first * second
    change, total = (np.sqrt(first**2 + second**2 + sign * both) for sign in (-1, 1))
    return GapComparison(
        StudentContrast(old, first),
        StudentContrast(new, second),
        StudentContrast(new - old, change),
        StudentContrast((new + old) / 2, total / 2),
    )


def test_a_gap_that_vanishes_is_improved_and_not_worse():
    result = compared(0.3, 0.0, (0.03, 0.03))
    assert result.not_worse(0.05, ALPHA) < 1e-6
    assert result.improved() < 1e-3
    assert result.worse() == 1


def test_the_sign_of_the_gaps_does_not_matter():
    for old, new in ((2.0, 1.0), (4.0, -1.0), (0.1, 3.0), (-2.0, 5.0)):
        one, other = compared(old, new, (0.5, 0.7), 0.4), compared(-old, -new, (0.5, 0.7), 0.4)
        for margin in (0.0, 1.0):
            assert one.not_worse(margin, ALPHA) == pytest.approx(other.not_worse(margin, ALPHA))
            assert one.worse(margin) == pytest.approx(other.worse(margin))


def test_a_gap_that_turns_its_sign_and_grows_is_worse():
    result = compared(0.05, -0.4, (0.02, 0.02))
    assert result.worse() < 1e-6
    assert result.worse(0.1) < 1e-6
    assert result.not_worse(0.1, ALPHA) > 0.99
    assert compared(0.3, -0.3, (0.02, 0.02)).worse() > 0.5


def test_gaps_near_0_are_not_worse_if_they_hardly_differ():
    assert compared(0.001, -0.002, (0.02, 0.02), 0.9).not_worse(0.05, ALPHA) < ALPHA


def test_a_new_gap_within_the_margin_is_not_worse_whatever_the_old_one():
    # the change exceeds the margin, and the sign of the old gap is not known
    result = compared(-0.038, 0.004, (0.016, 0.01))
    assert result.change.within(0.03) > 0.5
    assert result.not_worse(0.03, ALPHA) == pytest.approx(4 * result.new.within(0.03))
    assert result.not_worse(0.03, ALPHA) < ALPHA
    # where its interval is longer than both margins, it takes no part of the level
    unknown = compared(0.0, 0.0, (0.016, 0.016), 0.95)
    assert unknown.not_worse(0.03, ALPHA) == pytest.approx(1.05 * unknown.change.within(0.03))


def test_the_sign_of_the_old_gap_takes_one_of_21_parts_of_the_level():
    result = compared(3.0, 1.0, (0.1, 1.0))  # the interval of the new gap is too long
    assert result.not_worse(0.5, ALPHA) == pytest.approx(21 / 20 * ndtr(-2.5 / np.sqrt(1.01)))


def test_two_claims_share_the_level():
    # neither the change nor the sum is below the margin, and the old gap has no sign
    assert compared(0.0, 0.1, (0.05, 0.05)).not_worse(0.1, ALPHA) > 0.5


def test_the_limits_of_a_change_of_a_gap_put_those_of_both_groups_together_by_squares():
    n, moves = np.array([50.0, 80]), np.array([[3, 1], [0, 5]])  # up and down, by group
    change, changed = (moves[:, 0] - moves[:, 1]) / n, moves.sum(axis=1) / n
    given = change, changed, n - 1, float(ndtri(1 - ALPHA / 2))
    low, high = (paired_ends(*given, np.full(2, side)) for side in (-1.0, 1.0))
    gap = change[0] - change[1]
    expected = (
        gap - np.hypot(change[0] - low[0], high[1] - change[1]),
        gap + np.hypot(high[0] - change[0], change[1] - low[1]),
    )
    contrast = PairedContrast(gap, change, changed, n - 1, np.array([1.0, -1.0]), np.eye(2))
    assert contrast.limits(ALPHA) == pytest.approx(expected)
