"""The gaps of comparative separation between TPRs of two groups, for any number of groups.

Everything works on any number of tables of rates at once, along leading axes. How a gap is tested,
alone, against a margin and with the others, is in docs/explanation/comparative-separation.md.

References: Xi, Capak, Stockwell and Yu, *Comparative Separation*, section 3.3.2, equations (20) to
(22).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc, fdtrc, ndtri, stdtrit

from fairpairs.base.arrays import Array, Floats
from fairpairs.mathematics.arguments.read import group_pair_hypotheses
from fairpairs.mathematics.estimates.estimates import (
    ROUNDING,
    SMALL_CELL,
    UNVARYING,
    Estimates,
    cohens_h,
    two_sided,
)
from fairpairs.mathematics.estimates.pairs.rates import NO_VARIANCE, PairCounts, PairRates
from fairpairs.mathematics.inference.contrast import Contrast, StudentContrast
from fairpairs.mathematics.inference.contrasts.score import (
    PARTNERS,
    ProductContrast,
    continuity,
    differences_of_two,
    shrunk,
)
from fairpairs.mathematics.inference.gap_variances import (
    FEW_ITEMS,
    RELATED_RATIOS,
    binary_trials,
    cautious_trials,
    contrast_variances,
    few_items,
    gap_trials,
    related_df,
    trials_worth,
    unpooled_variance,
    widened,
    with_related,
)
from fairpairs.mathematics.inference.rates import (
    FEW_WRONG,
    difference_limits,
    difference_statistic,
    few_ranked_wrong,
    wald_difference,
)

#: Numbers of the two rates that are compared, or of both variances.
Pair = tuple[Floats, Floats]

#: Across groups, within groups: equations (21) and (22).
HYPOTHESES = ("H0c", "H0w")

#: Level at which the gap with the smaller p-value shows that the groups differ. A constant, so that
#: a p-value does not depend on the level of the test.
FOUND = 0.05
#: The note where few items are behind a cell of given pairs.
FEW_BEHIND = f"{FEW_ITEMS} or fewer items behind a cell"

#: The note where few judges, or clusters of judgments, are behind a cell.
FEW_UNITS = 10
FEW_UNITS_BEHIND = f"{FEW_UNITS} or fewer judges or clusters behind a cell"

#: The note where judgments ranked wrong (or right) are worth few independent ones.
FEW_EFFECTIVE = 5
FEW_EFFECTIVE_WRONG = f"judgments of a cell ranked wrong are worth {FEW_EFFECTIVE} or fewer"


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


def gap_hypotheses(groups: Sequence[Any], share: str = "TPR") -> tuple[str, ...]:
    """Name the hypotheses: across and within, for each two of the groups (equations 21 and 22)."""
    sides = ("({b},{a})", "({a},{b})"), ("({b},{b})", "({a},{a})")
    return group_pair_hypotheses(groups, [f"{share}{b} = {share}{a}" for b, a in sides])


def gap_cells(k: int) -> tuple[list[int], list[int]]:
    """Return the indices, among the K² cells, of the two rates that each hypothesis compares."""
    first, second = [], []
    for a in range(k):
        for b in range(a + 1, k):
            first += [b * k + a, b * k + b]
            second += [a * k + b, a * k + a]
    return first, second


#: The two gaps of two groups, as contrasts of the four rates, shape (2, 4).
GAPS = np.subtract(*(np.eye(4)[cells] for cells in gap_cells(2)))


def _compared(cells: Array) -> tuple[Array, Array]:
    """Return what two of K groups have in the cells that a gap compares, (..., K(K − 1)) each."""
    first, second = gap_cells(cells.shape[-1])
    flat = cells.reshape(*cells.shape[:-2], -1)
    return flat[..., first], flat[..., second]


def comparative_separation_from_counts(pairs: PairCounts, *, alpha: float = 0.05) -> Estimates:
    """Test H0c and H0w, equations (21) and (22), on counts of shape (..., K, K).

    With the binomial variance of equation (20). Fields are (..., K(K − 1)), as `gap_hypotheses`.
    """
    (k1, k2), (n1, n2) = _compared(pairs.concordant), _compared(pairs.comparable)
    return wald_difference(k1, n1, k2, n2, alpha=alpha)


def comparative_separation_from_rates(
    rates: PairRates, *, alpha: float = 0.05
) -> tuple[Estimates, JointTest]:
    """Test the gaps of any number of tables of rates whose pairs share items, shape (..., K, K).

    docs/explanation/comparative-separation.md has the tests and the intervals. Fields are (..., K(K
    − 1)), as `gap_hypotheses`; `smallest_cell` counts the items of the smallest class for all
    pairs, else the pairs of the smaller cell.
    """
    worth = trials_worth(rates)
    gaps = _gaps(rates, alpha, worth)
    return gaps, joint_test(rates, gaps.pvalue, worth)


def gaps_from_rates(rates: PairRates, *, alpha: Floats | float = 0.05) -> Estimates:
    """Test the gaps as `comparative_separation_from_rates` does, without the joint test.

    Each of two gaps may have an `alpha` of its own.
    """
    return _gaps(rates, alpha, trials_worth(rates))


def _gaps(rates: PairRates, alpha: Floats | float, worth: Pair | None) -> Estimates:
    """Test the gaps of each two groups, (..., K(K − 1)); `worth` are the `trials_worth`."""
    if rates.each_two is None:
        return _gaps_of_two(rates, alpha, worth)
    shape = rates.concordant.shape[:-2]
    two_groups = PairRates.stacked(rates.each_two, axis=len(shape))
    return _gaps_of_two(two_groups, alpha, trials_worth(two_groups)).reshape(*shape, -1)


@np.errstate(invalid="ignore", divide="ignore")
def _gaps_of_two(rates: PairRates, alpha: Floats | float, worth: Pair | None) -> Estimates:
    """Test the two gaps of two groups, fields of shape (..., 2)."""
    one, two = _compared(rates.tpr)
    estimate = one - two
    variance, df = unpooled_variance(rates, GAPS)
    error = np.sqrt(np.where(variance > NO_VARIANCE, variance, np.nan))
    student = stdtrit(df, 1 - alpha / 2)
    statistic = wald = estimate / error
    pvalue = by_wald = two_sided(wald, df)
    low, high = estimate - student * error, estimate + student * error
    in_cells = np.stack(_compared(rates.pairs))
    empty = (in_cells == 0).any(axis=0)
    wrong = few_units = few_effective = np.zeros_like(empty)
    if worth is not None:
        # trials of both rates, for the test and the fewest
        shape = rates.concordant.shape
        trials, fewest = (_compared(n.reshape(shape)) for n in gap_trials(rates, GAPS, worth))
        statistic = difference_statistic(one, two, *trials)
        normal = np.asarray(ndtri(1 - alpha / 2))
        pvalue = two_sided(statistic)
        if rates.units is not None:
            df = related_df(rates, GAPS)
            normal, pvalue = np.asarray(stdtrit(df, 1 - alpha / 2)), two_sided(statistic, df)
            share = np.minimum(rates.common, 1 - rates.common)[..., None]  # wrong, or right
            few_effective = np.fmin(*fewest) * share <= FEW_EFFECTIVE
        # where the other gap is significant, this one is tested by Student's t, too
        other = pvalue[..., ::-1]
        also = (other < FOUND) & (other < pvalue) & np.isfinite(wald)
        wider = also & (by_wald > pvalue)
        statistic, pvalue = np.where(wider, wald, statistic), np.where(wider, by_wald, pvalue)
        below, above = difference_limits(one, two, *trials, normal)
        below = np.where(also, np.fmin(below, low), below)
        above = np.where(also, np.fmax(above, high), above)
        # a variance that is too small by chance would shorten the interval on the side away from 0
        quantile = np.where(np.isfinite(error), student, normal)
        far = difference_limits(one, two, *fewest, quantile)
        low = np.where(estimate > 0, below, np.fmin(below, far[0]))
        high = np.where(estimate < 0, above, np.fmax(above, far[1]))
    tested = np.isfinite(statistic)
    if rates.effective is None:
        smallest = np.repeat(rates.class_sizes.min(axis=-1)[..., None], 2, axis=-1)
    else:
        smallest = in_cells.min(axis=0)
    few = few_items(rates, GAPS)
    if rates.items is None and rates.class_sizes.shape[-1] == 4:  # group and label
        sizes = rates.class_sizes.reshape(*rates.concordant.shape[:-1], 2)
        in_cell = few_ranked_wrong(rates.tpr, sizes[..., :, None, 0], sizes[..., None, :, 1])
        wrong = np.logical_or(*_compared(in_cell)) & (smallest >= SMALL_CELL)
    if rates.units is not None:
        few_units = np.minimum(*_compared(rates.units)) <= FEW_UNITS
    return Estimates(
        estimate=estimate,
        ci_low=np.where(tested, np.maximum(low, -1), np.nan),
        ci_high=np.where(tested, np.minimum(high, 1), np.nan),
        statistic=statistic,
        pvalue=pvalue,
        n=in_cells.sum(axis=0).astype(np.int64),
        smallest_cell=smallest.astype(np.int64),
        reason=np.select(
            [empty, ~tested, few, few_units, few_effective, wrong],
            ["empty cell", UNVARYING, FEW_BEHIND, FEW_UNITS_BEHIND, FEW_EFFECTIVE_WRONG, FEW_WRONG],
            default="",
        ),
        effect_size=cohens_h(one, two),
    )


def gap_contrasts(rates: PairRates) -> tuple[Contrast | None, ...]:
    """Return the tests of the gaps against any value; None without a pair or a variance.

    Binary labels are worth `binary_trials`, balanced ones the fewer trials of both variances (the
    pooled one holds under separation only); others have Student's t. Decisions are products.
    """
    if rates.class_sizes.shape[-1] == 2 * rates.concordant.shape[-1]:
        # of groups and labels: two rates share no item
        if rates.hits is not None:
            gaps = decision_gaps(rates)
            # where both rates of a product are 0 its error is unknown
            known = np.all(gaps.rates.reshape(-1, 2, 2).max(axis=-1) > 0, axis=-1)
            return tuple(gaps.take(i) if some else None for i, some in enumerate(known.tolist()))
        both = (np.stack(_compared(x), axis=-1) for x in (rates.tpr, binary_trials(rates)))
        return differences_of_two(*both)
    if rates.each_two is not None:
        return tuple(
            test for two_rates in rates.each_two for test in _real_label_contrasts(two_rates)
        )
    return _real_label_contrasts(rates)


@np.errstate(invalid="ignore", divide="ignore")
def decision_gaps(rates: PairRates) -> ProductContrast:
    """Return the gaps of any number of tables of decisions, (..., K(K − 1)), as products.

    A pair is ranked right where the winner is a hit, and the loser is none.
    """
    assert rates.hits is not None
    k, n = rates.tpr.shape[-1], rates.class_sizes.reshape(rates.hits.shape)
    right = np.stack([rates.hits[..., 0], n[..., 1] - rates.hits[..., 1]], axis=-1)
    # groups of the winner and the loser of both rates
    groups = np.stack([x for cells in gap_cells(k) for x in np.divmod(cells, k)], -1)
    trials, share = (x[..., groups, [0, 1, 0, 1]] for x in (n, right / n))
    steps = shrunk(share, trials)[..., PARTNERS] / trials
    return ProductContrast(share, trials, nearer=continuity(share, trials, steps))


def _real_label_contrasts(rates: PairRates) -> tuple[Contrast | None, ...]:
    cells = np.array(gap_cells(2)).T
    variance, df = unpooled_variance(rates, GAPS)
    rate = rates.tpr.ravel()[cells]
    worth = trials_worth(rates)
    if worth is None:
        return tuple(
            StudentContrast(float(one - two), float(np.sqrt(spread)), float(d))
            if spread > NO_VARIANCE
            else None
            for (one, two), spread, d in zip(rate, variance, df, strict=True)
        )
    _, fewest = gap_trials(rates, GAPS, worth)
    return differences_of_two(rate, fewest[cells], df=df)


@np.errstate(invalid="ignore", divide="ignore")  # an empty cell
def joint_test(rates: PairRates, pvalues: Floats, worth: Pair | None) -> JointTest:
    """Test the main effects of the winner's and of the loser's group; `worth`: `trials_worth`.

    Under separation the rates vary with these, to first order, so K² − 1 contrasts degenerate.
    """
    theta = rates.tpr.reshape(*rates.concordant.shape[:-2], -1)
    k = rates.concordant.shape[-1]
    # of each winner's group with the first, then of each loser's
    apart, mean = np.eye(k)[1:] - np.eye(k)[0], np.full((1, k), 1 / k)
    effects = np.vstack([np.kron(apart, mean), np.kron(mean, apart)])
    q, main = len(effects), theta @ effects.T
    pooled, rate_covariance = rates.pooled, rates.covariance
    if pooled is not None and worth is not None:
        # as for the gaps: effective trials by the unpooled and the pooled variance
        alone, together = worth
        wider = np.sqrt(np.nan_to_num(together / cautious_trials(alone, together), nan=1))
        rate_covariance = wider[..., :, None] * pooled * wider[..., None, :]
    covariance = effects @ rate_covariance @ effects.T
    if rates.related is not None:
        covariance = _with_related(rates, covariance, effects)
    scale = np.ones(theta.shape[:-1])
    if rates.effective is not None and pooled is None:
        unpooled = unpooled_variance(rates, effects)[0]
        raw = with_related(rates, contrast_variances(rates.covariance, effects), effects)
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
    return np.where(usable, widened(total, least), covariance)
