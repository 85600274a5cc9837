"""That a new gap is not worse: what is shown, and how often wrongly."""

import numpy as np
import pytest
from scipy.special import ndtri

from fairpairs.mathematics.inference.contrast import StudentContrast
from fairpairs.mathematics.inference.contrasts.equivalence import GapComparison
from fairpairs.mathematics.inference.contrasts.paired import PairedContrast, paired_ends
from tests import promises

SETS = promises.sets(1000)
ALPHA = 0.05
#: Two standard errors.
NOISE = 2 * np.sqrt(ALPHA * (1 - ALPHA) / SETS)


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
    assert result.not_worse(0.05) < 1e-6
    assert result.improved() < 1e-3
    assert result.worse() == 1


def test_the_sign_of_the_gaps_does_not_matter():
    for old, new in ((2.0, 1.0), (4.0, -1.0), (0.1, 3.0), (-2.0, 5.0)):
        one, other = compared(old, new, (0.5, 0.7), 0.4), compared(-old, -new, (0.5, 0.7), 0.4)
        for margin in (0.0, 1.0):
            assert one.not_worse(margin) == pytest.approx(other.not_worse(margin))
            assert one.worse(margin) == pytest.approx(other.worse(margin))


def test_a_gap_that_turns_its_sign_and_grows_is_worse():
    result = compared(0.05, -0.4, (0.02, 0.02))
    assert result.worse() < 1e-6
    assert result.worse(0.1) < 1e-6
    assert result.not_worse(0.1) > 0.99
    assert compared(0.3, -0.3, (0.02, 0.02)).worse() > 0.5


def test_gaps_near_0_are_not_worse_if_they_hardly_differ():
    assert compared(0.001, -0.002, (0.02, 0.02), 0.9).not_worse(0.05) < ALPHA


def test_two_claims_share_the_level():
    # neither the change nor the sum is below the margin, and the old gap has no sign
    assert compared(0.0, 0.1, (0.05, 0.05)).not_worse(0.1) > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("correlation", promises.some([-0.9, 0.0, 0.5, 0.95], 0, 3))
@pytest.mark.parametrize("error", promises.some([0.3, 1.0, 3.0], 0, 1))
def test_a_gap_worse_by_the_margin_is_called_not_worse_in_at_most_the_level(correlation, error):
    rng = np.random.default_rng(0)
    noise = rng.multivariate_normal(
        [0, 0], [[1, correlation * error], [correlation * error, error**2]], SETS
    )
    sizes = {}
    for old in (0.0, 0.3, 1.0, 2.5):
        for margin in (1.0,):
            for sign in (1, -1):
                gaps = noise + np.array([old, sign * (old + margin)])
                shown = [
                    compared(*gap, (1.0, error), correlation).not_worse(margin) < ALPHA
                    for gap in gaps.tolist()
                ]
                sizes[old, margin, sign] = np.mean(shown)
    print(f"\ncorrelation {correlation}, error {error}: at most {max(sizes.values()):.4f}")
    assert max(sizes.values()) <= ALPHA + NOISE


def ends(counts, sizes, alpha):
    """The limits of the change of a gap from changes up and down, shape (SETS, 2) each group."""
    parts = []
    for moves, n in zip(counts, sizes, strict=True):
        kinds, place = np.unique(moves, axis=0, return_inverse=True)
        (up, down), place = kinds.T, place.ravel()
        items = np.full(len(up), n - 1.0)
        change = (up - down) / n
        given = change, (up + down) / n, items, float(ndtri(1 - alpha / 2))
        low, high = (paired_ends(*given, np.full(len(up), side)) for side in (-1.0, 1.0))
        parts.append([each[place] for each in (change, low, high)])
    (first, low, high), (second, other_low, other_high) = parts
    change = first - second
    return (
        change - np.hypot(first - low, other_high - second),
        change + np.hypot(high - first, second - other_low),
    )


def drawn(chances, sizes, seed=0):
    rng = np.random.default_rng(seed)
    return [
        rng.multinomial(n, [up, down, 1 - up - down], SETS)[:, :2]
        for (up, down), n in zip(chances, sizes, strict=True)
    ]


def test_the_vectorised_limits_are_those_of_the_contrast():
    sizes, counts = (50, 80), np.array([[3, 1], [0, 5]])
    n = np.array(sizes)
    change, changed = (counts @ np.array([[1, 1], [-1, 1]]) / n[:, None]).T
    contrast = PairedContrast(
        change[0] - change[1], change, changed, n - 1.0, np.array([1.0, -1.0]), np.eye(2)
    )
    low, high = ends([moves[None] for moves in counts], sizes, ALPHA)
    assert contrast.limits(ALPHA) == pytest.approx((low[0], high[0]))


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(20, 20), (20, 200), (50, 50), (200, 50), (50, 1000)])
def test_few_changed_decisions_keep_the_level(sizes):
    shares = {}
    for changes in (0.5, 1, 2, 3, 5):
        up = changes / sizes[0]
        designs = {f"{changes} in one, both rise": [(up, 0), (up, 0)]}
        for others in (0.5, 3, 5):
            half = up / 2, others / 2 / sizes[1]
            designs[f"{changes} and {others} both ways"] = [(part, part) for part in half]
        for name, chances in designs.items():
            low, high = ends(drawn(chances, sizes), sizes, ALPHA)
            shares[name] = ((low > 0) | (high < 0)).mean()
    worst = max(shares, key=shares.get)
    print(f"\n{sizes}: at most {shares[worst]:.4f} ({worst})")
    assert shares[worst] <= ALPHA + NOISE


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(20, 200), (50, 50), (200, 1000)])
@pytest.mark.parametrize("margin", [0.05, 0.1])
def test_a_change_at_the_margin_is_called_smaller_in_at_most_the_level(sizes, margin):
    shares = {}
    for base in (0.0, 0.02, 0.1):
        for other in (0.002, 0.05):
            chances = [(margin + base, base), (other, other)]
            shares[base, other] = (ends(drawn(chances, sizes), sizes, 2 * ALPHA)[1] < margin).mean()
    print(f"\n{sizes}, margin {margin}: at most {max(shares.values()):.4f}")
    assert max(shares.values()) <= ALPHA + NOISE
