"""Variances of gaps between TPRs, and the independent trials that rates are worth.

A rate has an unpooled variance, and a pooled one that holds under separation.
docs/explanation/comparative-separation.md documents how they are weighted, and why.

References: E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988), Comparing the areas under
two or more correlated receiver operating characteristic curves; E. B. Wilson (1927), Probable
inference, the law of succession, and statistical inference.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.estimates import ROUNDING
from fairpairs.mathematics.estimates.pairs.rates import NO_VARIANCE, PairRates

#: With at most this many items behind a cell, p-values and intervals are rough (given pairs).
FEW_ITEMS = 10
#: With more items than this behind a cell, its unpooled variance outweighs the pooled one.
HALF_TRUSTED = 15
#: With more judges or clusters than this, a gap of related pairs has its own variance alone.
UNITS_HALF_TRUSTED = 100
#: Smallest and largest variance of a gap, as a multiple of that of two independent rates.
RATIOS = 0.1, 2.0
#: The same where judges or clusters relate pairs; the first is also the least share of a variance.
RELATED_RATIOS = 0.01, 2.0
#: The least share of a variance that is attributed to judges and clusters.
LEAST_SHARE = 0.01
#: To n items of a label an interval adds some whose placements are 0 and 1 only: at least the first
#: number, and up to the second times √n for a score that ranks nearly all right, or all wrong. Few
#: placements, or few wrong ones, tell too little of their spread. Chosen by simulation.
ADDED = 3, 1.5
#: Placements that are all the same count as if they had this share of the largest variance that is
#: possible, θ(1 − θ). So n such items are worth 2 n trials at the most. Chosen by simulation.
UNVARYING_SHARE = 0.5


def unpooled_variance(rates: PairRates, contrasts: Floats) -> tuple[Floats, Floats]:
    """Return the unpooled variance of each contrast, and Satterthwaite's degrees of freedom.

    With few items behind a cell it shrinks to the pooled one; judges and clusters are in both.
    """
    variance, df = _unpooled_by_items(rates, contrasts)
    return with_related(rates, variance, contrasts), np.fmin(df, related_df(rates, contrasts))


def few_items(rates: PairRates, contrasts: Floats) -> NDArray[np.bool_]:
    """Return whether few items are behind a cell of each contrast."""
    shape = *rates.concordant.shape[:-2], len(contrasts)
    if rates.items is None:
        return np.zeros(shape, dtype=bool)
    items = rates.items.reshape(*shape[:-1], -1)
    return np.asarray(items[..., _taken(contrasts)[0]].min(axis=-1) <= FEW_ITEMS)


def related_df(rates: PairRates, contrasts: Floats) -> Floats:
    """Return the degrees of freedom that E judges or clusters leave: (E − 1) / their share."""
    shape = *rates.concordant.shape[:-2], len(contrasts)
    if rates.units is None:
        return np.full(shape, np.inf)
    units = rates.units.reshape(*shape[:-1], -1)[..., _taken(contrasts)[0]].min(axis=-1)
    shares = [_related_share(rates, rates.covariance, contrasts)]
    if rates.pooled is not None:
        shares.append(_related_share(rates, rates.pooled, contrasts, pooled=True))
    return np.asarray(np.maximum((units - 1) / np.fmax.reduce(shares), 1))


def _related_share(
    rates: PairRates, covariance: Floats, contrasts: Floats, *, pooled: bool = False
) -> Floats:
    """Return the share of the variance of each contrast that judges and clusters bring."""
    alone = contrast_variances(covariance, contrasts)
    total = with_related(rates, alone, contrasts, pooled=pooled)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where((total > NO_VARIANCE) & (total >= alone), 1 - alone / total, 1)
    return np.clip(share, LEAST_SHARE, 1)


def with_related(
    rates: PairRates, variance: Floats, contrasts: Floats, *, pooled: bool = False
) -> Floats:
    """Add what judges and clusters bring to a variance of each contrast; a loss in proportion."""
    if rates.related is None or rates.related_pooled is None:
        return variance
    if pooled and rates.pooled is not None:
        item_variance = contrast_variances(rates.pooled, contrasts)
        extra = contrast_variances(rates.related_pooled, contrasts)
    else:
        item_variance = contrast_variances(rates.covariance, contrasts)
        ways = np.moveaxis(rates.related, -3, 0)
        extra = np.max([contrast_variances(way, contrasts) for way in ways], axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        left = np.where(item_variance > NO_VARIANCE, 1 + extra / item_variance, 1)
    return np.where(extra < 0, variance * np.maximum(left, RELATED_RATIOS[0]), variance + extra)


def related_covariance(rates: PairRates) -> Floats:
    """Return the covariance with that of judges and clusters, not negative in any direction."""
    if rates.related is None:
        return rates.covariance
    values, vectors = np.linalg.eigh(rates.covariance + rates.related[..., 0, :, :])
    total = (vectors * np.maximum(values, 0)[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    alone = np.diagonal(rates.covariance, axis1=-2, axis2=-1)
    return widened(total, with_related(rates, alone, np.eye(alone.shape[-1])))


def widened(covariance: Floats, least: Floats) -> Floats:
    """Return a covariance whose variances are at least these, (..., c), with its correlations."""
    with np.errstate(invalid="ignore", divide="ignore"):
        wider = np.sqrt(np.fmax(least / np.diagonal(covariance, axis1=-2, axis2=-1), 1))
    return np.asarray(wider[..., :, None] * covariance * wider[..., None, :])


def trials_left(rates: PairRates, alpha: float) -> Floats | float:
    """Return the share of trials that makes Wilson's interval as wide as Student's t does."""
    if rates.units is None:
        return 1.0
    student = stdtrit(np.maximum(rates.units - 1, 1), 1 - alpha / 2)
    return np.asarray((ndtri(1 - alpha / 2) / student) ** 2)


@np.errstate(invalid="ignore", divide="ignore")
def _unpooled_by_items(rates: PairRates, contrasts: Floats) -> tuple[Floats, Floats]:
    """Return the unpooled variance where pairs share items alone, and its degrees of freedom."""
    parts = np.moveaxis(contrast_variances(rates.components, contrasts), -2, 0)
    total = parts.sum(axis=0)
    sizes = np.moveaxis(rates.class_sizes, -1, 0)[..., None]
    df = total**2 / (parts**2 / np.maximum(sizes - 1, 1)).sum(axis=0)
    df = np.where(np.isfinite(df), np.maximum(df, 1), 1.0)
    variance = total - contrast_variances(rates.counted_twice, contrasts)
    if rates.effective is None:
        return variance, df
    # few shared items: at least the variance without them, and at least the pooled one
    shape = rates.concordant.shape[:-2]
    theta, n = (x.reshape(*shape, -1) for x in (rates.tpr, rates.effective))
    cells, row = _taken(contrasts)
    p, m, square = theta[..., cells], n[..., cells], row**2
    mean = (p * m).sum(axis=-1, keepdims=True) / m.sum(axis=-1, keepdims=True)
    # a cell with few pairs estimates its variance badly
    df = np.fmin(df, np.maximum(m.min(axis=-1) - 1, 1))
    apart = (square * p * (1 - p) / m).sum(axis=-1)
    alike = (square * mean * (1 - mean) / m).sum(axis=-1)
    factor = np.where(apart > 0, np.maximum(1, alike / apart), 1)
    unpooled = np.where(apart > 0, np.fmax(variance, apart) * factor, alike)
    if rates.pooled is None or rates.items is None:
        return unpooled, df
    # the fewer items are behind a cell, the more the variance under separation counts
    behind = rates.items.reshape(*shape, -1)
    items = behind[..., cells].min(axis=-1)
    # the binomial standard deviation of each rate, by that of the rate of all pairs
    common = rates.common[..., None]
    scale = np.sqrt(np.maximum(theta * (1 - theta), 0) / (common * (1 - common)))
    pooled = contrast_variances(rates.pooled * scale[..., :, None] * scale[..., None, :], contrasts)
    trust = items**2 / (items**2 + HALF_TRUSTED**2)
    unpooled = np.where(pooled > 0, trust * unpooled + (1 - trust) * pooled, unpooled)
    return unpooled, np.fmin(df, np.maximum(items - 1, 1))


def contrast_variances(covariance: Floats, contrasts: Floats) -> Floats:
    """Return the variance of each contrast (row), all of as many cells; others may be empty."""
    cells, row = _taken(contrasts)
    taken = covariance[..., cells[:, :, None], cells[:, None, :]]
    return np.asarray((row[:, :, None] * taken * row[:, None, :]).sum(axis=(-2, -1)))


def _taken(contrasts: Floats) -> tuple[Integers, Floats]:
    """Return the cells of each contrast, and its coefficients there."""
    cells = np.nonzero(contrasts)[1].reshape(len(contrasts), -1)
    return cells, np.take_along_axis(contrasts, cells, axis=1)


def smallest_trials(rates: PairRates) -> Floats:
    """Return the independent trials behind each rate, shape (..., K, K).

    Of all pairs at least the items of the smaller class; given pairs by their pooled variance.
    """
    if rates.effective is not None:
        if rates.pooled is None:
            return rates.pairs
        pooled = np.diagonal(rates.pooled, axis1=-2, axis2=-1)
        pooled = with_related(rates, pooled, np.eye(pooled.shape[-1]), pooled=True)
        pooled = pooled.reshape(rates.pairs.shape)
        with np.errstate(invalid="ignore", divide="ignore"):
            worth = (rates.common * (1 - rates.common))[..., None, None] / pooled
        return np.where(pooled > NO_VARIANCE, np.fmin(worth, rates.pairs), rates.pairs)
    k = rates.concordant.shape[-1]
    sizes = rates.class_sizes
    classes = sizes.reshape(*sizes.shape[:-1], k, -1)  # (winners, losers), or the group
    return np.minimum(classes[..., :, None, 0], classes[..., None, :, -1])


def gap_trials(
    rates: PairRates, gaps: Floats, worth: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """Return the trials of the four rates of two groups: for the test, and the fewest.

    Covarying rates have the trials of their gap's variance; `worth` are those of `trials_worth`.
    """
    assert rates.pooled is not None
    cells, identity = np.abs(gaps), np.eye(gaps.shape[1])
    bounds = RATIOS if rates.related is None else RELATED_RATIOS
    by_kind = []
    for trials, covariance, is_pooled in zip(
        worth, (rates.covariance, rates.pooled), (False, True), strict=True
    ):
        with np.errstate(invalid="ignore", divide="ignore"):
            alone = np.diagonal(covariance, axis1=-2, axis2=-1)
            if rates.related is not None:  # an empty cell
                alone = np.nan_to_num(with_related(rates, alone, identity, pooled=is_pooled))
            apart = alone @ cells.T
            variance = contrast_variances(covariance, gaps)
            ratio = with_related(rates, variance, gaps, pooled=is_pooled) / apart
            ratio = np.clip(np.where(apart > NO_VARIANCE, ratio, 1), *bounds)
            ratio = np.where(few_items(rates, gaps), np.maximum(ratio, 1), ratio)
            by_kind.append(trials / (ratio @ cells))
    if rates.units is not None:
        # where the other gap is not 0, the pooled variance is not that of this gap
        units = rates.units.reshape(by_kind[0].shape) ** 2
        trust = units / (units + UNITS_HALF_TRUSTED**2)
        with np.errstate(invalid="ignore", divide="ignore"):
            mixed = 1 / (trust / by_kind[0] + (1 - trust) / by_kind[1])
        by_kind[1] = np.where(np.isfinite(mixed), mixed, by_kind[1])
    # opposite rates of 0 and 1 without any variance
    rate = rates.tpr.reshape(*rates.concordant.shape[:-2], 4)
    differ = np.abs(rate @ gaps.T) @ cells > ROUNDING
    least = np.where(differ, smallest_trials(rates).reshape(rate.shape), np.nan)
    tested, fewest = cautious_trials(*by_kind), np.fmin(*by_kind)
    return np.where(np.isnan(tested), least, tested), np.where(np.isnan(fewest), least, fewest)


def trials_worth(rates: PairRates) -> tuple[Floats, Floats] | None:
    """Return the effective trials of each rate, by unpooled and pooled variance, or the other."""
    if rates.pooled is None:
        return None
    rate = rates.tpr.reshape(*rates.concordant.shape[:-2], -1)
    common, identity = np.nan_to_num(rates.common)[..., None], np.eye(rate.shape[-1])
    variances = unpooled_variance(rates, identity)[0]
    together = with_related(
        rates, np.diagonal(rates.pooled, axis1=-2, axis2=-1), identity, pooled=True
    )
    if rates.effective is not None:
        # few items estimate a variance badly: at least the one without shared items
        n = rates.effective.reshape(rate.shape)
        few = few_items(rates, identity) & (n > 0)
        share = np.divide(1, n, out=np.zeros(n.shape), where=few)
        variances = np.fmax(variances, rate * (1 - rate) * share)
        together = np.fmax(together, common * (1 - common) * share)
    with np.errstate(invalid="ignore", divide="ignore"):
        alone, together = (
            np.where(variance > NO_VARIANCE, theta * (1 - theta) / variance, np.nan)
            for theta, variance in ((rate, variances), (common, together))
        )
    known = np.isfinite(alone), np.isfinite(together)
    return np.where(known[0], alone, together), np.where(known[1], together, alone)


def cautious_trials(alone: Floats, together: Floats) -> Floats:
    """Return the unpooled trials, or their harmonic mean with the pooled if that is smaller."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.fmin(alone, 2 / (1 / alone + 1 / together))


def binary_trials(rates: PairRates) -> Floats:
    """Return how many independent trials each rate is worth, shape (..., K, K); NaN without pairs.

    It is θ(1 − θ) by DeLong's variance, with items `ADDED` and `UNVARYING_SHARE`.
    """
    theta = rates.tpr
    sizes = rates.class_sizes.reshape(*theta.shape[:-1], 2)
    parts = np.diagonal(rates.components, axis1=-2, axis2=-1)  # by class of items, then rate
    parts = parts.reshape(*sizes.shape, *theta.shape[-2:])
    by_label = (
        (np.einsum("...aab->...ab", parts[..., 0, :, :]), sizes[..., :, None, 0]),
        (np.einsum("...bab->...ab", parts[..., 1, :, :]), sizes[..., None, :, 1]),
    )
    largest = theta * (1 - theta)
    inverse = np.zeros(theta.shape)
    with np.errstate(invalid="ignore", divide="ignore"):
        for part, items in by_label:
            varying = (part > NO_VARIANCE) & (largest > 0)
            share = np.where(varying, items * part / largest, UNVARYING_SHARE)
            added = np.maximum(ADDED[0], ADDED[1] * np.sqrt(items) * (2 * theta - 1) ** 2)
            inverse += (items * share + added) / (items + added) / items
        return np.asarray(1 / inverse)
