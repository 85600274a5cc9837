"""The gaps of comparative separation that a collection is expected to show, and their errors.

docs/explanation/comparative-separation.md derives the variances.
"""

from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.estimates.pairs.binary import all_pairs_from_counts
from fairpairs.mathematics.estimates.pairs.rates import PairRates, cell_probabilities
from fairpairs.mathematics.inference.gaps import gap_cells, gaps_from_rates
from fairpairs.mathematics.power.items import PilotOfScores, checked_items

#: Smallest expected content of a cell, which keeps divisions finite.
TINY = 1e-9
#: The cells (group of the winner, group of the loser) that items of each class are in: winners and
#: losers of group 0, and of group 1.
CELLS_OF_CLASSES = np.array([[0, 1], [0, 2], [2, 3], [1, 3]])
#: The classes of the winners of each cell, and of its losers.
CLASSES_OF_CELLS = np.array([[0, 0, 2, 2], [1, 3, 1, 3]])


def gaps_and_covariance(
    items: Floats | PilotOfScores, n_items: float, n_pairs: float | None = None
) -> tuple[Floats, Floats]:
    """Return the two gaps of comparative separation, (2,), and the covariance of their estimates.

    Over all pairs V = ζ10/m + ζ01/n + (θ(1 − θ) − ζ10 − ζ01)/(mn), with ζ10 = t(1 − t)u², ζ01 = u(1
    − u)t² for θ = t u; over M drawn pairs V + (θ(1 − θ) − V) E[1/pairs].
    """
    theta, flat, usable = _rates_of_pairs(items, n_items)
    if n_pairs is not None:
        variance = np.diagonal(flat).reshape(2, 2)
        added = (theta * (1 - theta) - variance) * _expected_inverse(n_pairs, usable)
        flat = flat + np.diag(added.ravel())
    first, second = gap_cells(2)
    contrasts = np.eye(4)[first] - np.eye(4)[second]
    return contrasts @ theta.ravel(), contrasts @ flat @ contrasts.T


def _rates_of_pairs(items: Floats | PilotOfScores, n_items: float) -> tuple[Floats, Floats, Floats]:
    """Return the rates of all pairs, (2, 2), their covariance, (4, 4), and each cell's chance."""
    if not isinstance(items, PilotOfScores):
        return _cell_rates(checked_items(items), n_items)
    rates = expected_rates(items, n_items)
    return rates.tpr, rates.covariance, 2 * rates.comparable / float(n_items) ** 2


def either_found(gaps: Floats, covariance: Floats, critical: Floats) -> float:
    """Return the chance that one of two normal estimates exceeds `critical`, shape (2,)."""
    from scipy.stats import multivariate_normal  # noqa: PLC0415  (slow)

    if not (np.diagonal(covariance) > 0).all():
        return 0.0  # without variance there is no rejection
    accepted = multivariate_normal.cdf(
        critical, gaps, covariance, allow_singular=True, lower_limit=-critical
    )
    return float(1 - accepted)


def critical_gaps(rates: PairRates, level: float) -> Floats:
    """Return how large each gap must be to be significant at a level, shape (2,).

    It is the distance to the limit that is nearer to 0.
    """
    with np.errstate(invalid="ignore"):  # more pairs than an integer holds
        gaps = gaps_from_rates(rates, alpha=level)
    return np.where(gaps.estimate > 0, gaps.estimate - gaps.ci_low, gaps.ci_high - gaps.estimate)


def expected_rates(
    items: Floats | PilotOfScores, n_items: float, n_pairs: float | None = None
) -> PairRates:
    """Return the rates of a collection in which the numbers in all cells are the expected ones."""
    if isinstance(items, PilotOfScores):
        rates = all_pairs_from_counts(n_items * items.items, ties=items.ties)
    else:
        rates = all_pairs_from_counts(n_items * items)
    if n_pairs is None:
        return rates
    pairs = 2 * n_pairs * rates.comparable.ravel() / float(n_items) ** 2
    return rates_of_drawn_pairs(rates, pairs, pairs * rates.tpr.ravel())


def differences_of_separation(
    items: Floats, n_items: float, level: float
) -> tuple[Floats, Floats, Floats]:
    """Return differences of separation, their covariance, and how large they must be (pooled z)."""
    totals = items.sum(axis=-1)
    positive = items[..., 1]
    rates, common = positive / totals, positive.sum(axis=0) / totals.sum(axis=0)
    unpooled = (rates * (1 - rates) / (n_items * totals)).sum(axis=0)
    pooled = common * (1 - common) * (1 / (n_items * totals)).sum(axis=0)
    return rates[1] - rates[0], np.diag(unpooled), ndtri(1 - level / 2) * np.sqrt(pooled)


def rates_of_drawn_pairs(every: PairRates, pairs: Floats, right: Floats) -> PairRates:
    """Return what `given_pairs` would for pairs drawn with replacement, (..., 4), some `right`.

    docs/explanation/comparative-separation.md has what drawing adds to variances of `every` pair.
    """
    shape = every.tpr.shape
    known = every.covariance if every.pooled is None else every.pooled
    with np.errstate(invalid="ignore", divide="ignore"):
        rate = right / pairs
        common = right.sum(axis=-1, keepdims=True) / pairs.sum(axis=-1, keepdims=True)
        unpooled, pooled = (
            np.nan_to_num(np.maximum(p * (1 - p) - np.diagonal(v, axis1=-2, axis2=-1), 0))
            / np.maximum(pairs, TINY)
            for p, v in ((rate, every.covariance), (common, known))
        )
    components = every.components.copy()
    for number, cells in enumerate(CELLS_OF_CLASSES):
        components[..., number, cells, cells] += unpooled[..., cells]
    met = pairs[..., CELLS_OF_CLASSES].sum(axis=-1) / np.maximum(every.class_sizes, TINY)
    counts = pairs.reshape(shape)
    # the number of pairs of an item is nearly Poisson: its second and fourth moments
    sizes = every.class_sizes[..., CLASSES_OF_CELLS]
    mean = pairs[..., None, :] / np.maximum(sizes, TINY)
    second = (sizes * (mean + mean**2)).sum(axis=-2)
    fourth = (sizes * (mean + 7 * mean**2 + 6 * mean**3 + mean**4)).sum(axis=-2)
    return replace(
        every,
        concordant=right.reshape(shape),
        comparable=counts,
        pairs=counts,
        components=components,
        class_sizes=every.class_sizes * -np.expm1(-met),  # of the items that are in a pair
        counted_twice=unpooled[..., None] * np.eye(4),
        pooled=known + pooled[..., None] * np.eye(4),
        effective=counts,
        items=(second**2 / np.maximum(fourth, TINY)).reshape(shape),
    )


def few_are_expected(items: Floats, n_items: float, n_pairs: float | None) -> bool:
    """Return whether a cell is expected to have too few items or pairs for the normal test."""
    kinds = [n_items * items]
    if n_pairs is not None:
        kinds.append(n_pairs * np.stack(cell_probabilities(items), axis=-1))
    return any(counts.min() < SMALL_CELL for counts in kinds)


def _cell_rates(items: Floats, n_items: float) -> tuple[Floats, Floats, Floats]:
    """Return the rates, their covariance on all pairs, and the chance of a pair in each cell."""
    totals = items.sum(axis=-1)
    rates = items[..., 1] / totals
    t, u = rates[:, 1], 1 - rates[:, 0]
    theta = np.outer(t, u)
    few_winners, few_losers = (_expected_inverse(n_items, totals[:, label]) for label in (1, 0))
    covariance = np.zeros((2, 2, 2, 2))
    for g in (0, 1):  # cells that share their winners, and their losers
        covariance[g, :, g, :] += t[g] * (1 - t[g]) * few_winners[g] * np.outer(u, u)
        covariance[:, g, :, g] += u[g] * (1 - u[g]) * few_losers[g] * np.outer(t, t)
    first_order = (t * (1 - t))[:, None] * u**2 + t[:, None] ** 2 * (u * (1 - u))
    alone = theta * (1 - theta)
    variance = np.einsum("abab->ab", covariance).copy()
    variance += (alone - first_order) * np.outer(few_winners, few_losers)
    flat = covariance.reshape(4, 4)
    np.fill_diagonal(flat, variance.ravel())
    return theta, flat, 2 * np.outer(totals[:, 1], totals[:, 0])


def _expected_inverse(n: float, chance: Floats) -> Floats:
    """E[1/k] of a binomial count k that is not 0, to the second order."""
    mean = n * chance
    return np.asarray(np.minimum((1 + (1 - chance) / mean) / mean, 1))
