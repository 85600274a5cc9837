"""Differences of AUC, xAUC and balanced xAUC: their variances, tests and intervals.

Every function takes the rates of `ranking.ranking_rates`, where all items are a further group, and
works on many data sets at once, along leading axes. A placement is the share of the negative items
that a positive one outscores, or of the positive ones that outscore a negative one (DeLong, DeLong
and Clarke-Pearson, 1988). The derivations, and the levels that were measured, are in
docs/explanation/ranking.md.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.estimates import (
    SMALL_CELL,
    UNVARYING,
    Estimates,
    cohens_h,
    two_sided,
)
from fairpairs.mathematics.estimates.pairs.rates import NO_VARIANCE, PairRates
from fairpairs.mathematics.estimates.ranking_rates import ranking_cells
from fairpairs.mathematics.inference.contrast import Contrast
from fairpairs.mathematics.inference.contrasts.score import differences_of_two
from fairpairs.mathematics.inference.gap_variances import binary_trials
from fairpairs.mathematics.inference.rates import (
    FEW_WRONG,
    few_ranked_wrong,
    rate_limits,
    sum_limits,
)


def differences_from_rates(rates: PairRates, *, alpha: float = 0.05) -> Estimates:
    """Test the differences of any number of tables of rates that `ranking_rates` returned.

    The statistic is normal, with the larger of two variances that hold where the rates are equal:
    DeLong's with the mean rate, and that of the placements of both groups. Newcombe's interval (Zou
    2007) is cut at 0 to agree. Fields are (..., 2K(K − 1)), in the order of `ranking_hypotheses`.
    """
    first, second = _cells(rates)
    one, two = rates.tpr[..., *first], rates.tpr[..., *second]
    estimate = one - two
    sizes = _sizes(rates)
    positives, negatives = (
        np.minimum(sizes[..., first[label], label], sizes[..., second[label], label])
        for label in (0, 1)
    )
    several = (positives > 1) & (negatives > 1)
    variance = np.fmax(_null_variances(rates), _pooled_variances(rates))
    with np.errstate(invalid="ignore"):
        known = several & (variance > NO_VARIANCE)
        statistic = estimate / np.where(known, np.sqrt(variance), np.nan)
        pvalue = two_sided(statistic)
        low, high = _intervals(rates, alpha)
        rejected, above = pvalue < alpha, estimate > 0
        low = np.where(rejected, np.where(above, np.maximum(low, 0), low), np.minimum(low, 0))
        high = np.where(rejected, np.where(above, high, np.minimum(high, 0)), np.maximum(high, 0))
    in_cell = few_ranked_wrong(rates.tpr, sizes[..., :, None, 0], sizes[..., None, :, 1])
    wrong = in_cell[..., *first] | in_cell[..., *second]
    wrong &= np.minimum(positives, negatives) >= SMALL_CELL
    reason = np.select(
        [positives == 0, negatives == 0, positives == 1, negatives == 1, ~known, wrong],
        [
            "a group without positive rows",
            "a group without negative rows",
            "a group with one positive row",
            "a group with one negative row",
            UNVARYING,
            FEW_WRONG,
        ],
        default="",
    )
    return Estimates(
        estimate=estimate,
        ci_low=np.where(several, low, np.nan),
        ci_high=np.where(several, high, np.nan),
        statistic=statistic,
        pvalue=pvalue,
        n=np.broadcast_to(sizes[..., -1, :].sum(axis=-1)[..., None], one.shape).astype(np.int64),
        smallest_cell=np.minimum(positives, negatives).astype(np.int64),
        reason=reason,
        effect_size=cohens_h(one, two),
    )


def difference_contrasts(rates: PairRates) -> tuple[Contrast | None, ...]:
    """Return the tests of each difference against any value, in the order of `ranking_hypotheses`.

    Each rate is worth the trials of `binary_trials`; the two may covary. None where a hypothesis
    rests on fewer than two positive or two negative items.
    """
    first, second = _cells(rates)
    trials = np.where(_spread_is_known(rates), binary_trials(rates), np.nan)
    return differences_of_two(
        np.stack([rates.tpr[first], rates.tpr[second]], axis=-1),
        np.stack([trials[first], trials[second]], axis=-1),
        correlation=_correlations(rates, trials),
    )


def difference_variances(rates: PairRates) -> Floats:
    """Return DeLong's variance of each difference; NaN with fewer than two items of a label."""
    first, second = _cells(rates)
    known = _spread_is_known(rates)
    one, two, shared = _variances(rates)
    return np.where(known[..., *first] & known[..., *second], one + two - 2 * shared, np.nan)


def rate_variances(rates: PairRates) -> Floats:
    """Return DeLong's variance of each rate, (..., K + 1, K + 1); NaN with one item of a label."""
    variance = np.diagonal(rates.covariance, axis1=-2, axis2=-1).reshape(rates.concordant.shape)
    return np.where(_spread_is_known(rates), variance, np.nan)


def _intervals(rates: PairRates, alpha: float) -> tuple[Floats, Floats]:
    """Return the ends of Newcombe's interval of each difference; the two rates may covary."""
    first, second = _cells(rates)
    trials = binary_trials(rates)
    low, high = rate_limits(rates.tpr, trials, alpha=alpha)
    correlation = np.ones((*rates.tpr[..., *first].shape, 2, 2))
    correlation[..., 0, 1] = correlation[..., 1, 0] = _correlations(rates, trials)
    values, lows, highs = (
        np.stack([ends[..., *first], ends[..., *second]], axis=-1)
        for ends in (rates.tpr, low, high)
    )
    below, above = sum_limits(values, lows, highs, np.array([1.0, -1.0]), correlation)
    return np.maximum(below, -1), np.minimum(above, 1)


def _correlations(rates: PairRates, trials: Floats) -> Floats:
    """Return the correlation of the two rates of each difference, 0 where one does not vary."""
    first, second = _cells(rates)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt(rates.tpr * (1 - rates.tpr) / trials)
        product = error[..., *first] * error[..., *second]
        return np.clip(np.where(product > 0, _variances(rates)[2] / product, 0), -1, 1)


def _null_variances(rates: PairRates) -> Floats:
    """Return DeLong's variance of each difference, as it is where the two rates are equal.

    A rate keeps its trials, θ(1 − θ) / variance, and takes the mean of the two rates.
    """
    first, second = _cells(rates)
    sizes = _sizes(rates)
    weights = []
    theta = [rates.tpr[..., *cells] for cells in (first, second)]
    with np.errstate(invalid="ignore", divide="ignore"):
        for cells in (first, second):
            # items that both rates rest on weigh both alike
            apart = [
                (a != b) / sizes[..., cell, label]
                for label, (a, b, cell) in enumerate(zip(first, second, cells, strict=True))
            ]
            weights.append(1 / (apart[0] + apart[1]))
        mean = (weights[0] * theta[0] + weights[1] * theta[1]) / (weights[0] + weights[1])
        binomials = (rate * (1 - rate) for rate in theta)
        x, y = (np.where(b > 0, np.sqrt(mean * (1 - mean) / b), 0) for b in binomials)
    one, two, shared = _variances(rates)
    return np.asarray(x**2 * one + y**2 * two - 2 * x * y * shared)


def _pooled_variances(rates: PairRates) -> Floats:
    """Return variances if placements of both groups, among both or all, are distributed alike."""
    all_items = rates.concordant.shape[-1] - 1
    columns = []
    for two in combinations(range(all_items), 2):
        both = sum(_pooled_part(rates, two, label, two) for label in (0, 1))
        balanced = [_pooled_part(rates, two, label, (all_items,)) for label in (0, 1)]
        columns += [both, both, *balanced]
    return np.stack(columns, axis=-1)


def _pooled_part(
    rates: PairRates, groups: tuple[int, int], label: int, others: Sequence[int]
) -> Floats:
    """Return the part that items of a label (0: positive) add, placed among groups `others`."""
    sizes = _sizes(rates)
    components = rates.components.reshape(*sizes.shape, *2 * rates.concordant.shape[-2:])
    theta = rates.tpr if label == 0 else np.swapaxes(rates.tpr, -1, -2)
    size = [sizes[..., other, 1 - label] for other in others]
    n, mean, squares = [], [], []
    with np.errstate(invalid="ignore", divide="ignore"):
        share = [number / sum(size) for number in size]
        for g in groups:
            rows = np.s_[..., g, 0, g, :, g, :] if label == 0 else np.s_[..., g, 1, :, g, :, g]
            covariance = components[rows]
            n.append(sizes[..., g, label])
            # sums term by term, so that a data set has the same bytes alone and among others
            terms = list(zip(share, others, strict=True))
            mean.append(sum(x * theta[..., g, i] for x, i in terms))
            variance = sum(x * y * covariance[..., i, j] for x, i in terms for y, j in terms)
            squares.append((n[-1] - 1) * n[-1] * variance)
        total = n[0] + n[1]
        between = n[0] * n[1] / total * (mean[0] - mean[1]) ** 2
        spread = (squares[0] + squares[1] + between) / (total - 1)
        return np.asarray(spread * (1 / n[0] + 1 / n[1]))


def _variances(rates: PairRates) -> tuple[Floats, Floats, Floats]:
    """Return DeLong's variances of the two rates of each hypothesis, and their covariance."""
    first, second = (rates.concordant.shape[-1] * a + b for a, b in _cells(rates))
    compared = (first, first), (second, second), (first, second)
    one, two, shared = (rates.covariance[..., i, j] for i, j in compared)
    return one, two, shared


def _sizes(rates: PairRates) -> Floats:
    """Return the positive and the negative items of each group, shape (..., K + 1, 2)."""
    return rates.class_sizes.reshape(*rates.concordant.shape[:-1], 2)


def _spread_is_known(rates: PairRates) -> NDArray[np.bool_]:
    """Return which rates have two positive and two negative items, shape (..., K + 1, K + 1)."""
    several = _sizes(rates) > 1
    return np.asarray(several[..., :, None, 0] & several[..., None, :, 1])


def _cells(rates: PairRates) -> tuple[tuple[Integers, Integers], tuple[Integers, Integers]]:
    """Return the positive and negative groups of the two rates that each hypothesis compares."""
    first, second = np.array(ranking_cells(rates.concordant.shape[-1] - 1)).transpose(1, 2, 0)
    return tuple(first), tuple(second)
