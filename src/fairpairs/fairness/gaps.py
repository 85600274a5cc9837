"""The gaps of comparative separation between TPRs of two groups, and the joint test of K groups.

Everything works on any number of tables of rates at once, along leading axes. How a gap is tested,
and why, is in docs/calibration.md.

References
----------
Xi, Capak, Stockwell and Yu, *Comparative Separation*, section 3.3.2, equations (20) to (22).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc, fdtrc, ndtr, ndtri, stdtr, stdtrit

from fairpairs.arrays import Floats
from fairpairs.fairness import inputs
from fairpairs.fairness.effect_sizes import cohens_h
from fairpairs.fairness.estimates import ROUNDING, SMALL_CELL, UNVARYING, Estimates
from fairpairs.fairness.mover import difference_limits, difference_statistic
from fairpairs.fairness.pairs.drawn import PairCounts
from fairpairs.fairness.pairs.rates import NO_VARIANCE, PairRates
from fairpairs.fairness.proportions import FEW_WRONG, few_ranked_wrong, wald_difference

#: Across groups, within groups: equations (21) and (22).
HYPOTHESES = ("H0c", "H0w")

#: Once the gap with the smaller p-value is found at this level, the groups do differ. A constant,
#: so that a p-value does not depend on the level it is held against.
FOUND = 0.05

#: With so many items behind a cell, or fewer, a p-value and an interval are rough (given pairs).
FEW_ITEMS = 10

#: What is said there.
FEW_BEHIND = f"{FEW_ITEMS} or fewer items behind a cell"

#: Items behind a cell from which on its own variance weighs more than the pooled one.
HALF_TRUSTED = 15

#: The variance of a gap is taken for so many times that of two independent rates at the least, and
#: at the most, whatever the estimate of their covariance.
RATIOS = 0.1, 2.0


@dataclass(frozen=True)
class JointTest:
    """Wald test that no TPR(a, b) depends on the winner's or on the loser's group.

    Fields have one element for each table of rates; NaN where a cell is empty.

    Attributes
    ----------
    statistic
        Squared distance of the 2(K − 1) main effects from zero, in their covariance.
    df
        2(K − 1).
    pvalue
        By chi-square with the covariance under separation, widened where the own variance of a
        rate is larger; else by F; of weighted pairs with fewer than 30 in a cell no less than
        Bonferroni's p-value of the gaps. 1 where all rates are equal and have no variance.
    """

    statistic: Floats
    df: int
    pvalue: Floats


def gap_hypotheses(groups: Sequence[Any]) -> tuple[str, ...]:
    """Name the hypotheses: across and within, for each two of the groups (equations 21 and 22)."""
    names = [inputs.group_name(group) for group in groups]
    return tuple(
        text
        for a, low in enumerate(names)
        for high in names[a + 1 :]
        for text in (
            f"TPR({high},{low}) = TPR({low},{high})",
            f"TPR({high},{high}) = TPR({low},{low})",
        )
    )


def gap_cells(k: int) -> tuple[list[int], list[int]]:
    """Return the places, among the K² cells, of the two rates that each hypothesis compares."""
    first, second = [], []
    for a in range(k):
        for b in range(a + 1, k):
            first += [b * k + a, b * k + b]
            second += [a * k + b, a * k + a]
    return first, second


def comparative_separation_from_counts(pairs: PairCounts, *, alpha: float = 0.05) -> Estimates:
    """Test H0c and H0w, equations (21) and (22), on any number of tables of counts.

    The variance is the binomial one of equation (20), which treats the pairs as independent.

    Parameters
    ----------
    pairs
        Counts of shape (..., K, K).
    alpha
        The intervals cover 1 − alpha.

    Returns
    -------
    Estimates
        Fields of shape (..., 2) for two groups: first TPR(1,0) − TPR(0,1), then
        TPR(1,1) − TPR(0,0); for K groups these two for each two groups, shape (..., K(K − 1)).
    """
    k = pairs.right.shape[-1]
    first, second = gap_cells(k)
    right, usable = (x.reshape(*x.shape[:-2], k * k) for x in (pairs.right, pairs.usable))
    return wald_difference(
        right[..., first], usable[..., first], right[..., second], usable[..., second], alpha=alpha
    )


def comparative_separation_from_rates(
    rates: PairRates, *, alpha: float = 0.05
) -> tuple[Estimates, JointTest]:
    """Test the gaps of any number of tables of rates whose pairs share items.

    The two gaps of each two groups are tested from the items of those two alone. A rate has as many
    independent trials as its own variance tells, or as its own and the variance pooled over both
    groups tell together (the harmonic mean), whichever are fewer; a gap is tested by MOVER with the
    normal quantile. Once the gap with the smaller p-value is found, the other one must be found by
    its own standard error and Student's t with Satterthwaite's degrees of freedom, too. Rates
    without a pooled variance (weighted pairs, real labels as they are) are tested by the latter
    alone.

    The limit of an interval that is nearer to 0 agrees with the test; the other one takes the fewer
    trials of both variances and Student's t.

    Parameters
    ----------
    rates
        Rates of K groups, fields of shape (..., K, K).
    alpha
        The intervals cover 1 − alpha.

    Returns
    -------
    difference
        Fields of shape (..., K(K − 1)), in the order of `gap_hypotheses`. `smallest_cell` is the
        number of items in the smallest class of the two groups for all pairs, else of pairs in the
        smaller cell.
    joint
        Fields of shape (...).
    """
    shape = rates.right.shape[:-2]
    theta = rates.tpr.reshape(*shape, -1)
    gaps = _gaps_of_two(_stacked(rates.each_two or (rates,), len(shape)), alpha)
    gaps = gaps.reshape(*shape, -1)
    return gaps, _joint_test(rates, theta, gaps.pvalue)


def _stacked(tables: Sequence[PairRates], axis: int) -> PairRates:
    """Put the rates of each two groups side by side, along an axis before those of the rates."""
    fields = {
        name: None if value is None else np.stack([getattr(one, name) for one in tables], axis=axis)
        for name, value in vars(tables[0]).items()
        if name != "each_two"
    }
    return PairRates(**fields)  # type: ignore[arg-type]  # None stays None


def _gaps_of_two(rates: PairRates, alpha: float) -> Estimates:
    """Test the two gaps of two groups, fields of shape (..., 2)."""
    shape = rates.right.shape[:-2]
    first, second = gap_cells(2)
    theta = rates.tpr.reshape(*shape, 4)
    one, two = theta[..., first], theta[..., second]
    estimate = one - two
    gaps = np.eye(4)[first] - np.eye(4)[second]
    own, df = own_variance(rates, gaps)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt(np.where(own > NO_VARIANCE, own, np.nan))
        wald = estimate / error
        margin = stdtrit(df, 1 - alpha / 2) * error
        low, high = estimate - margin, estimate + margin
    by_wald = 2 * stdtr(df, -np.abs(wald))
    if rates.pooled is None:
        statistic, pvalue = wald, by_wald
    else:
        trials, fewest = (
            (n[..., first], n[..., second]) for n in _trials(rates, rates.pooled, gaps)
        )
        statistic = difference_statistic(one, two, *trials)
        pvalue = 2 * ndtr(-np.abs(statistic))
        smaller = pvalue[..., ::-1]
        also = (smaller < FOUND) & (smaller < pvalue) & np.isfinite(wald)
        below, above = difference_limits(one, two, *trials, ndtri(1 - alpha / 2))
        below = np.where(also, np.fmin(below, low), below)
        above = np.where(also, np.fmax(above, high), above)
        also &= by_wald > pvalue
        statistic, pvalue = np.where(also, wald, statistic), np.where(also, by_wald, pvalue)
        # a variance by chance too small shortens an interval away from 0 where no test minds
        quantile = np.where(np.isfinite(error), stdtrit(df, 1 - alpha / 2), ndtri(1 - alpha / 2))
        far = difference_limits(one, two, *fewest, quantile)
        low = np.where(estimate > 0, below, np.fmin(below, far[0]))
        high = np.where(estimate < 0, above, np.fmax(above, far[1]))
    tested = np.isfinite(statistic)
    pairs = rates.pairs.reshape(*shape, 4)
    in_cells = np.stack([pairs[..., first], pairs[..., second]])
    if rates.effective is None:
        smallest = np.repeat(rates.class_sizes.min(axis=-1)[..., None], 2, axis=-1)
    else:
        smallest = in_cells.min(axis=0)
    empty = (in_cells == 0).any(axis=0)
    few, wrong = np.zeros_like(empty), np.zeros_like(empty)
    if rates.items is not None:
        items = rates.items.reshape(*shape, 4)
        few = np.minimum(items[..., first], items[..., second]) <= FEW_ITEMS
    elif rates.class_sizes.shape[-1] == 4:  # group and label
        sizes = rates.class_sizes.reshape(*shape, 2, 2)
        winners, losers = sizes[..., [0, 0, 1, 1], 0], sizes[..., [0, 1, 0, 1], 1]
        in_cell = few_ranked_wrong(theta, winners, losers)
        wrong = (in_cell[..., first] | in_cell[..., second]) & (smallest >= SMALL_CELL)
    return Estimates(
        estimate=estimate,
        ci_low=np.where(tested, np.maximum(low, -1), np.nan),
        ci_high=np.where(tested, np.minimum(high, 1), np.nan),
        statistic=statistic,
        pvalue=pvalue,
        n=in_cells.sum(axis=0).astype(np.int64),
        smallest_cell=smallest.astype(np.int64),
        reason=np.select(
            [empty, ~tested, few, wrong],
            ["empty cell", UNVARYING, FEW_BEHIND, FEW_WRONG],
            default="",
        ),
        effect_size=cohens_h(one, two),
    )


def _worth(rates: PairRates, pooled: Floats) -> tuple[Floats, Floats]:
    """Return the independent trials that each of K² rates is worth, by own and by pooled variance.

    A rate without a variance has the other number, NaN if there is neither.
    """
    rate = rates.tpr.reshape(*rates.right.shape[:-2], -1)
    usable = rates.usable.sum(axis=(-2, -1))
    common = (rates.right.sum(axis=(-2, -1)) / np.where(usable > 0, usable, 1))[..., None]
    own = own_variance(rates, np.eye(rate.shape[-1]))[0]
    both = []
    with np.errstate(invalid="ignore", divide="ignore"):
        for theta, variance in ((rate, own), (common, np.diagonal(pooled, axis1=-2, axis2=-1))):
            both.append(np.where(variance > NO_VARIANCE, theta * (1 - theta) / variance, np.nan))
    alone, together = both
    known = np.isfinite(alone), np.isfinite(together)
    return np.where(known[0], alone, together), np.where(known[1], together, alone)


def _cautious(alone: Floats, together: Floats) -> Floats:
    """Return the own trials, or the harmonic mean of own and pooled ones if that is smaller."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.fmin(alone, 2 / (1 / alone + 1 / together))


def _trials(rates: PairRates, pooled: Floats, gaps: Floats) -> tuple[Floats, Floats]:
    """Return the trials of the four rates of two groups: for the test, and the fewest.

    Where the two rates of a gap covary, each has the trials that give the gap its variance.
    """
    cells = np.abs(gaps)
    by_kind = []
    for trials, covariance in zip(_worth(rates, pooled), (rates.covariance, pooled), strict=True):
        with np.errstate(invalid="ignore", divide="ignore"):
            apart = np.diagonal(covariance, axis1=-2, axis2=-1) @ cells.T
            ratio = contrast_variances(covariance, gaps) / apart
            ratio = np.clip(np.where(apart > NO_VARIANCE, ratio, 1), *RATIOS)
            by_kind.append(trials / (ratio @ cells))
    # opposite rates of 0 and 1 without any variance
    rate = rates.tpr.reshape(*rates.right.shape[:-2], 4)
    differ = np.abs(rate @ gaps.T) @ cells > ROUNDING
    least = np.where(differ, smallest_trials(rates).reshape(rate.shape), np.nan)
    tested, fewest = _cautious(*by_kind), np.fmin(*by_kind)
    return np.where(np.isnan(tested), least, tested), np.where(np.isnan(fewest), least, fewest)


def smallest_trials(rates: PairRates) -> Floats:
    """Return the independent trials behind each rate, shape (..., K, K).

    For all pairs they are at the least the items of the smaller of its two classes. Given pairs are
    worth as many as would give the rate of all its pooled variance, at the most their number.
    """
    if rates.effective is not None:
        if rates.pooled is None:
            return rates.pairs
        pooled = np.diagonal(rates.pooled, axis1=-2, axis2=-1).reshape(rates.pairs.shape)
        with np.errstate(invalid="ignore", divide="ignore"):
            common = rates.right.sum(axis=(-2, -1)) / rates.usable.sum(axis=(-2, -1))
            worth = (common * (1 - common))[..., None, None] / pooled
        return np.where(pooled > NO_VARIANCE, np.fmin(worth, rates.pairs), rates.pairs)
    k = rates.right.shape[-1]
    sizes = rates.class_sizes
    classes = sizes.reshape(*sizes.shape[:-1], k, -1)  # (winners, losers), or the group
    return np.minimum(classes[..., :, None, 0], classes[..., None, :, -1])


def contrast_variances(covariance: Floats, contrasts: Floats) -> Floats:
    """Variance of each contrast (row); a cell that it leaves out may be empty."""
    return np.stack(
        [
            np.einsum(
                "i,...ij,j->...", row[cells], covariance[..., cells[:, None], cells], row[cells]
            )
            for row in contrasts
            for cells in [np.flatnonzero(row)]
        ],
        axis=-1,
    )


def own_variance(rates: PairRates, contrasts: Floats) -> tuple[Floats, Floats]:
    """Return each contrast's own variance, and Satterthwaite's degrees of freedom."""
    classes = range(rates.components.shape[-3])
    parts = np.stack(
        [contrast_variances(rates.components[..., c, :, :], contrasts) for c in classes]
    )
    total = parts.sum(axis=0)
    sizes = np.moveaxis(rates.class_sizes, -1, 0)[..., None]
    with np.errstate(invalid="ignore", divide="ignore"):
        df = total**2 / (parts**2 / np.maximum(sizes - 1, 1)).sum(axis=0)
    df = np.where(np.isfinite(df), np.maximum(df, 1), 1.0)
    variance = total - contrast_variances(rates.counted_twice, contrasts)
    if rates.effective is None:
        return variance, df
    # few shared items: no less than for pairs without a shared item, and no less than pooled
    shape = rates.right.shape[:-2]
    theta, n = (x.reshape(*shape, -1) for x in (rates.tpr, rates.effective))
    apart, alike = np.empty_like(variance), np.empty_like(variance)
    with np.errstate(invalid="ignore", divide="ignore"):
        for number, row in enumerate(contrasts):
            cells = np.flatnonzero(row)
            p, m, square = theta[..., cells], n[..., cells], row[cells] ** 2
            mean = (p * m).sum(axis=-1, keepdims=True) / m.sum(axis=-1, keepdims=True)
            # a cell of few pairs says little of its own variance
            df[..., number] = np.fmin(df[..., number], np.maximum(m.min(axis=-1) - 1, 1))
            apart[..., number] = (square * p * (1 - p) / m).sum(axis=-1)
            alike[..., number] = (square * mean * (1 - mean) / m).sum(axis=-1)
        factor = np.where(apart > 0, np.maximum(1, alike / apart), 1)
        own = np.where(apart > 0, np.fmax(variance, apart) * factor, alike)
    if rates.pooled is None or rates.items is None:
        return own, df
    # the fewer items are behind a cell, the more the variance under separation counts
    behind = rates.items.reshape(*shape, -1)
    items = np.stack([behind[..., row != 0].min(axis=-1) for row in contrasts], axis=-1)
    scale = _spread_ratio(rates, theta)
    pooled = contrast_variances(rates.pooled * scale[..., :, None] * scale[..., None, :], contrasts)
    trust = _trust(items)
    own = np.where(pooled > 0, trust * own + (1 - trust) * pooled, own)
    return own, np.fmin(df, np.maximum(items - 1, 1))


def _trust(items: Floats) -> Floats:
    """Return the weight of a variance of their own that so many items have, from 0 to 1."""
    return np.asarray(items**2 / (items**2 + HALF_TRUSTED**2))


def _spread_ratio(rates: PairRates, theta: Floats) -> Floats:
    """Return the binomial standard deviation of each rate, by that of the rate of all pairs."""
    with np.errstate(invalid="ignore", divide="ignore"):
        common = (rates.right.sum(axis=(-2, -1)) / rates.usable.sum(axis=(-2, -1)))[..., None]
        return np.asarray(np.sqrt(np.maximum(theta * (1 - theta), 0) / (common * (1 - common))))


def _joint_test(rates: PairRates, theta: Floats, of_gaps: Floats) -> JointTest:
    """Test the main effects of the winner's and of the loser's group.

    K² − 1 contrasts would be degenerate: under separation the rates vary, to first order, with the
    winner's and the loser's group alone.
    """
    k = rates.right.shape[-1]
    effects = np.zeros((2 * (k - 1), k, k))
    for g in range(1, k):
        effects[g - 1, g, :] += 1 / k
        effects[g - 1, 0, :] -= 1 / k
        effects[k + g - 2, :, g] += 1 / k
        effects[k + g - 2, :, 0] -= 1 / k
    effects = effects.reshape(len(effects), k * k)
    q = len(effects)
    with np.errstate(invalid="ignore"):  # an empty cell
        main = theta @ effects.T
    pooled, of_rates = rates.pooled, rates.covariance
    if pooled is not None:
        # as for the gaps: a rate has the trials that own and pooled variance tell
        alone, together = _worth(rates, pooled)
        with np.errstate(invalid="ignore"):  # an empty cell
            wider = np.sqrt(np.nan_to_num(together / _cautious(alone, together), nan=1))
            of_rates = wider[..., :, None] * pooled * wider[..., None, :]
    with np.errstate(invalid="ignore"):
        covariance = effects @ of_rates @ effects.T
    scale = np.ones(theta.shape[:-1])
    if rates.effective is not None and pooled is None:
        own, raw = own_variance(rates, effects)[0], contrast_variances(rates.covariance, effects)
        with np.errstate(invalid="ignore", divide="ignore"):
            scale = np.where(raw > 0, own / raw, np.inf).max(axis=-1)
    known = np.asarray(np.isfinite(covariance).all(axis=(-1, -2)) & np.isfinite(main).all(axis=-1))
    safe = np.where(known[..., None, None], covariance, np.eye(q))
    solved = np.linalg.pinv(safe, hermitian=True) @ np.nan_to_num(main)[..., None]
    known &= np.diagonal(safe, axis1=-2, axis2=-1).min(axis=-1) > NO_VARIANCE
    regular = known & (np.linalg.matrix_rank(safe, hermitian=True) == q)
    statistic = np.where(regular, np.nan_to_num(main * solved[..., 0]).sum(axis=-1), np.nan) / scale
    if pooled is None:
        df = np.moveaxis(own_variance(rates, effects)[1], -1, 0).min(axis=0)
        pvalue = fdtrc(q, df, statistic / q)
        if rates.effective is not None:
            # few pairs in a cell: their covariance may by chance be near to singular
            number = np.isfinite(of_gaps).sum(axis=-1)
            together = np.fmin(number * np.fmin.reduce(of_gaps, axis=-1), 1)
            few = rates.pairs.min(axis=(-2, -1)) < SMALL_CELL
            pvalue = np.where(few, np.maximum(pvalue, together), pvalue)
    else:
        pvalue = chdtrc(q, statistic)
    unvarying = np.abs(covariance).max(axis=(-2, -1)) <= NO_VARIANCE
    equal = unvarying & (np.abs(main) <= ROUNDING).all(axis=-1)  # as of a perfect model
    return JointTest(np.where(equal, 0.0, statistic), q, np.where(equal, 1.0, pvalue))
