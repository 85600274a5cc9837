"""The joint test that no TPR(a, b) depends on the winner's or on the loser's group."""

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, fdtrc

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.estimates.estimates import ROUNDING, SMALL_CELL
from fairpairs.mathematics.estimates.pairs.rates import NO_VARIANCE, PairRates
from fairpairs.mathematics.inference.gap_variances import (
    RELATED_RATIOS,
    cautious_trials,
    contrast_variances,
    few_items,
    related_df,
    unpooled_variance,
    with_related,
)


@dataclass(frozen=True)
class JointTest:
    """Wald test that no TPR(a, b) depends on the winner's or loser's group; NaN for empty cells."""

    #: Squared distance of the 2(K − 1) main effects from zero, in their covariance.
    statistic: Floats
    #: 2(K − 1).
    df: int
    #: By chi-square with the covariance under separation, widened where the unpooled variance of a
    #: rate is larger; else by F. For weighted pairs with fewer than 30 in a cell at least
    #: Bonferroni's p-value of the gaps. 1 where all rates are equal and have no variance.
    pvalue: Floats


def joint_test(rates: PairRates, pvalues: Floats, worth: tuple[Floats, Floats] | None) -> JointTest:
    """Test the main effects of the winner's and of the loser's group; `worth`: `trials_worth`.

    Under separation the rates vary with these, to first order, so K² − 1 contrasts degenerate.
    """
    theta = rates.tpr.reshape(*rates.concordant.shape[:-2], -1)
    effects = _main_effects(rates.concordant.shape[-1])
    q = len(effects)
    with np.errstate(invalid="ignore"):  # an empty cell
        main = theta @ effects.T
    pooled, rate_covariance = rates.pooled, rates.covariance
    if pooled is not None and worth is not None:
        # as for the gaps: effective trials by the unpooled and the pooled variance
        alone, together = worth
        with np.errstate(invalid="ignore"):  # an empty cell
            wider = np.sqrt(np.nan_to_num(together / cautious_trials(alone, together), nan=1))
            rate_covariance = wider[..., :, None] * pooled * wider[..., None, :]
    with np.errstate(invalid="ignore"):
        covariance = effects @ rate_covariance @ effects.T
    if rates.related is not None:
        covariance = _with_related(rates, covariance, effects)
    scale = np.ones(theta.shape[:-1])
    if rates.effective is not None and pooled is None:
        unpooled = unpooled_variance(rates, effects)[0]
        raw = with_related(rates, contrast_variances(rates.covariance, effects), effects)
        with np.errstate(invalid="ignore", divide="ignore"):
            scale = np.where(raw > 0, unpooled / raw, np.inf).max(axis=-1)
    known = np.asarray(np.isfinite(covariance).all(axis=(-1, -2)) & np.isfinite(main).all(axis=-1))
    safe = np.where(known[..., None, None], covariance, np.eye(q))
    known &= np.diagonal(safe, axis1=-2, axis2=-1).min(axis=-1) > NO_VARIANCE
    values, vectors = np.linalg.eigh(safe)
    sizes = np.abs(values)  # the rank is that of `numpy.linalg.matrix_rank`
    smallest = sizes.max(axis=-1, keepdims=True) * q * np.finfo(float).eps
    regular = known & (sizes > smallest).all(axis=-1)
    along = np.where(
        regular[..., None], (np.nan_to_num(main)[..., None, :] @ vectors)[..., 0, :], np.nan
    )
    statistic = (along**2 / values).sum(axis=-1) / scale
    if pooled is None:
        df = np.moveaxis(unpooled_variance(rates, effects)[1], -1, 0).min(axis=0)
        pvalue = fdtrc(q, df, statistic / q)
        if rates.effective is not None:
            # with few pairs in a cell the covariance may be nearly singular by chance
            few = rates.pairs.min(axis=(-2, -1)) < SMALL_CELL
            pvalue = np.where(few, np.maximum(pvalue, _bonferroni(pvalues)), pvalue)
    elif rates.units is not None:  # Hotelling's test
        df = np.maximum(np.moveaxis(related_df(rates, effects), -1, 0).min(axis=0), q)
        pvalue = fdtrc(q, df - q + 1, statistic / q * (df - q + 1) / df)
    else:
        pvalue = chdtrc(q, statistic)
    if pooled is not None:
        few = few_items(rates, np.ones((1, theta.shape[-1])))[..., 0]
        pvalue = np.where(few, np.maximum(pvalue, _bonferroni(pvalues)), pvalue)
    unvarying = np.abs(covariance).max(axis=(-2, -1)) <= NO_VARIANCE
    equal = unvarying & (np.abs(main) <= ROUNDING).all(axis=-1)  # as of a perfect model
    return JointTest(np.where(equal, 0.0, statistic), q, np.where(equal, 1.0, pvalue))


def _bonferroni(pvalues: Floats) -> Floats:
    """Return Bonferroni's p-value of the gaps that are tested."""
    number = np.isfinite(pvalues).sum(axis=-1)
    return np.asarray(np.fmin(number * np.fmin.reduce(pvalues, axis=-1), 1))


def _main_effects(k: int) -> Floats:
    """Return contrasts of K² rates: of each winner's group with the first, then of each loser's."""
    effects = np.zeros((2 * (k - 1), k, k))
    for g in range(1, k):
        effects[g - 1, g, :] += 1 / k
        effects[g - 1, 0, :] -= 1 / k
        effects[k + g - 2, :, g] += 1 / k
        effects[k + g - 2, :, 0] -= 1 / k
    return effects.reshape(len(effects), k * k)


def _with_related(rates: PairRates, covariance: Floats, effects: Floats) -> Floats:
    """Add what judges and clusters bring to the covariance of the effects, in every direction."""
    usable = np.isfinite(covariance).all(axis=(-2, -1), keepdims=True)
    safe = np.where(usable, covariance, np.eye(len(effects)))
    values, vectors = np.linalg.eigh(safe)
    root = vectors * np.sqrt(np.maximum(values, NO_VARIANCE))[..., None, :]
    inverse = vectors / np.sqrt(np.maximum(values, NO_VARIANCE))[..., None, :]
    added = effects @ np.asarray(rates.related)[..., 0, :, :] @ effects.T
    ratio, along = np.linalg.eigh(np.swapaxes(inverse, -1, -2) @ added @ inverse)
    ratio = np.maximum(1 + ratio, RELATED_RATIOS[0])
    root = root @ along
    total = (root * ratio[..., None, :]) @ np.swapaxes(root, -1, -2)
    least = with_related(rates, np.diagonal(safe, axis1=-2, axis2=-1), effects)
    with np.errstate(invalid="ignore", divide="ignore"):
        wider = np.sqrt(np.fmax(least / np.diagonal(total, axis1=-2, axis2=-1), 1))
    return np.where(usable, wider[..., :, None] * total * wider[..., None, :], covariance)
