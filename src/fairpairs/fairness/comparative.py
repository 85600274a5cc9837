"""Comparative separation, C_ij ⟂ A_ij | Y_ij: on all pairs, on drawn pairs, on given judgments.

TPR(a, b) is the chance that an item of group a is ranked above one of group b when its label is
the higher one; on scores it is xAUC(a, b). Comparative separation asks all of them to be equal.

References
----------
Xi, Capak, Stockwell and Yu, *Comparative Separation*, sections 3.1 and 3.3.2, equations (2),
(3) and (16) to (22). What differs from them, and why, is in docs/calibration.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc, fdtrc, ndtr, ndtri, stdtr, stdtrit

from fairpairs.errors import InputError, shown
from fairpairs.fairness import inputs
from fairpairs.fairness.balance import balancing_weights, label_strata
from fairpairs.fairness.balanced_rates import balanced_given_pairs, balanced_pairs
from fairpairs.fairness.mover import difference_limits, difference_statistic
from fairpairs.fairness.pair_rates import (
    NO_VARIANCE,
    PairRates,
    Ties,
    all_pairs,
    check_ties,
    given_pairs,
    judged,
    projections,
)
from fairpairs.fairness.pairs import PairCounts
from fairpairs.fairness.proportions import (
    ROUNDING,
    UNVARYING,
    Floats,
    ProportionDifference,
    cohens_h,
    wald_difference,
)
from fairpairs.fairness.rate_intervals import binary_trials, rate_limits
from fairpairs.fairness.results import Correction, FairnessTestResult

#: Across groups, within groups: equations (21) and (22).
HYPOTHESES = ("H0c", "H0w")

Variance = Literal["auto", "ustatistic", "dyadic", "binomial"]

#: What is said of anything else.
PAIRS = (
    "pairs must be 'all', a number of pairs or an integer array of shape (m, 2) of positions of "
    "items"
)

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
        rate is larger; else by F. 1 where all rates are equal and have no variance.
    """

    statistic: Floats
    df: int
    pvalue: Floats


@dataclass(frozen=True)
class ComparativeSeparationResult(FairnessTestResult):
    """The result of a test of comparative separation on K groups.

    Attributes
    ----------
    groups
        The K values of the sensitive attribute, sorted; tuples for several attributes.
    usable, right
        (Weighted) pairs with different labels, and those that are ranked right, in each cell
        (group of the higher label, group of the lower), shape (K, K).
    tpr
        TPR(a, b) of equation (16), shape (K, K), NaN where a cell has no pair.
    tpr_covariance
        Covariance of the K² rates, in the order (0, 0), (0, 1), …, shape (K², K²).
    trials
        Independent trials that each rate counts for in its interval, shape (K, K).
    joint
        The joint test; None with the binomial variance.
    variance
        "ustatistic", "dyadic" or "binomial".
    balanced
        Whether pairs were weighted so that all groups have one distribution of labels.
    """

    name: ClassVar[str] = "comparative separation test"
    groups: tuple[Any, ...]
    usable: Floats
    right: Floats
    tpr: Floats
    tpr_covariance: Floats
    trials: Floats
    joint: JointTest | None
    variance: str
    balanced: bool

    def rates(self) -> pd.DataFrame:
        """Return one row for each TPR(a, b): groups, estimate, Wilson's interval, (weighted) pairs.

        Wilson's interval has `trials` trials, so it stays between 0 and 1: as many as would give
        the rate its variance. For all pairs of binary labels they are no more than the items tell
        (docs/ranking.md), for given pairs no more than would give the rate its variance under
        separation. A cell without a pair has no interval.
        """
        low, high = rate_limits(self.tpr.ravel(), self.trials.ravel(), alpha=self.alpha)
        k = len(self.groups)
        names = [inputs.group_name(name) for name in self.groups]
        return pd.DataFrame(
            {
                "winner": np.repeat(names, k),
                "loser": np.tile(names, k),
                "tpr": self.tpr.ravel(),
                "ci_low": low,
                "ci_high": high,
                "pairs": self.usable.ravel(),
            }
        )


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


def comparative_separation_from_counts(
    pairs: PairCounts, *, alpha: float = 0.05
) -> ProportionDifference:
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
    ProportionDifference
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
) -> tuple[ProportionDifference, JointTest]:
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
    each = [_gaps_of_two(two, alpha) for two in rates.each_two or (rates,)]
    fields = {
        name: np.concatenate([getattr(gaps, name) for gaps in each], axis=-1)
        for name in vars(each[0])
    }
    return ProportionDifference(**fields), _joint_test(rates, theta)


def _gaps_of_two(rates: PairRates, alpha: float) -> ProportionDifference:
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
    few = np.zeros_like(empty)
    if rates.items is not None:
        items = rates.items.reshape(*shape, 4)
        few = np.minimum(items[..., first], items[..., second]) <= FEW_ITEMS
    return ProportionDifference(
        estimate=estimate,
        ci_low=np.where(tested, np.maximum(low, -1), np.nan),
        ci_high=np.where(tested, np.minimum(high, 1), np.nan),
        statistic=statistic,
        pvalue=pvalue,
        n=in_cells.sum(axis=0).astype(np.int64),
        smallest_cell=smallest.astype(np.int64),
        reason=np.select([empty, ~tested, few], ["empty cell", UNVARYING, FEW_BEHIND], default=""),
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


def _joint_test(rates: PairRates, theta: Floats) -> JointTest:
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
    else:
        pvalue = chdtrc(q, statistic)
    unvarying = np.abs(covariance).max(axis=(-2, -1)) <= NO_VARIANCE
    equal = unvarying & (np.abs(main) <= ROUNDING).all(axis=-1)  # as of a perfect model
    return JointTest(np.where(equal, 0.0, statistic), q, np.where(equal, 1.0, pvalue))


def comparative_separation_test(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    pairs: Literal["all"] | int | ArrayLike = "all",
    variance: Variance = "auto",
    balance_labels: Literal["auto"] | bool = "auto",
    ties: Ties = "wrong",
    alpha: float = 0.05,
    correction: Correction = "holm",
    random_state: int | np.random.Generator | None = None,
) -> ComparativeSeparationResult:
    """Test whether items of all groups are ranked equally well against one another.

    Items must be independent: clusters of one group make it reject too often (docs/questions.md).

    Parameters
    ----------
    y_true, y_score
        Labels and predictions or scores, shape (n,): binary or real. A pair counts when its
        labels differ; it is right when the scores differ in the same direction.
    sensitive_features
        Group of each item, values of any kind, shape (n,); or several attributes, shape
        (n, columns), whose combinations are the groups.
    pairs
        "all" pairs of items; or the number of pairs to draw, both members with replacement from
        the n items (the paper draws 2n for binary labels); or the pairs themselves: positions of
        items, shape (m, 2).
    variance
        "ustatistic" (all pairs) or "dyadic" (drawn or given pairs) take into account that pairs
        share items. "binomial" (drawn or given pairs) is equation (20), as if no two pairs shared
        one: on pairs from few items it rejects far more often than `alpha` says. "auto" is
        the first for all pairs, else the second.
    balance_labels
        For labels that are not binary, separation does not imply comparative separation unless
        the groups' labels are distributed alike. True weighs the items so that they are: for a gap
        those of its two groups, for the table of rates and the joint test those of all groups.
        False asks the paper's question as it stands; "auto" is True unless the variance is
        binomial. No effect on binary labels.
    ties
        Whether a tie of the scores counts as "wrong" (equation 16) or as "half".
    alpha
        Level.
    correction
        "none" (the paper: a family-wise error of up to 0.0975 at 0.05), "holm" or "sidak". For a
        single decision see also the `joint` test of the result.
    random_state
        Seed or generator for the draw.

    Returns
    -------
    ComparativeSeparationResult

    Raises
    ------
    InputError
        When the arrays differ in length or hold a missing value, when there is one group only,
        when `pairs` is no number of pairs nor positions of items, or when `variance` does not go
        with `pairs`.

    References
    ----------
    Xi, Capak, Stockwell and Yu, *Comparative Separation*, section 3.3.2; docs/calibration.md.

    Examples
    --------
    >>> y_true = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]
    >>> y_score = [0.9, 0.8, 0.7, 0.6, 0.2, 0.3, 0.1, 0.5, 0.4, 0.25]
    >>> sex = ["m", "m", "m", "f", "f", "f", "m", "m", "f", "f"]
    >>> result = comparative_separation_test(y_true, y_score, sensitive_features=sex)
    >>> result.to_frame()[["hypothesis", "estimate", "note"]].round(2)
                hypothesis  estimate             note
    0  TPR(m,f) = TPR(f,m)      0.33  a cell below 30
    1  TPR(m,m) = TPR(f,f)      0.50  a cell below 30
    """
    labels, scores, group, names = _items(y_true, y_score, sensitive_features, ties, alpha)
    inputs.one_of(variance, "variance", get_args(Variance))
    every = isinstance(pairs, str)
    if isinstance(pairs, str) and pairs != "all":
        raise InputError(f"{PAIRS}; it is {shown(pairs)}.")
    kind = {"auto": "ustatistic" if every else "dyadic"}.get(variance, variance)
    if (kind == "ustatistic") != every:
        raise InputError(
            f"variance={variance!r} does not go with pairs={'all' if every else 'drawn or given'!r}"
            ": all pairs take 'ustatistic', drawn or given pairs 'dyadic' or 'binomial'."
        )
    _whole_ties(ties, kind)
    if not isinstance(balance_labels, bool) and not (
        isinstance(balance_labels, str) and balance_labels == "auto"
    ):
        raise InputError(
            f"balance_labels must be True, False or 'auto', not {shown(balance_labels)}."
        )
    if balance_labels is True and kind == "binomial":
        raise InputError("balance_labels=True does not go with variance='binomial': take 'dyadic'.")
    binary = bool(((labels == labels.min()) | (labels == labels.max())).all())
    balanced = not binary and kind != "binomial" and balance_labels in (True, "auto")
    k = len(names)
    if every:
        estimate = balanced_pairs if balanced else all_pairs
        rates = estimate(labels, scores, group, k, ties=ties)
    else:
        left, right = _positions(pairs, len(labels), inputs.generator(random_state))
        outcome = np.sign(labels[left] - labels[right])
        judgments = judged(outcome, scores, left, right, ties=ties)
        if balanced:
            rates = balanced_given_pairs(labels, *judgments, group, k)
        else:
            rates = given_pairs(*judgments, group, k)
    return _result(rates, names, kind, balanced=balanced, alpha=alpha, correction=correction)


def comparative_separation_from_judgments(
    left: ArrayLike,
    right: ArrayLike,
    outcome: ArrayLike,
    y_score: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    variance: Literal["auto", "dyadic", "binomial"] = "auto",
    ties: Ties = "wrong",
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> ComparativeSeparationResult:
    """Test comparative separation from comparative judgments alone; no item needs a label.

    Judgments may share items, may recur, and repeated ones may contradict each other. Without
    labels nothing tells a model that treats groups differently from groups whose labels are
    distributed differently, unless labels are binary: see docs/calibration.md.

    Judgments of one judge count as independent. With few judges who favour a group each in their
    own way, the test rejects too often: with 5 judges in 0.09 at the level 0.05, with 10 in 0.07
    (docs/judgments.md).

    Items must be independent: clusters of one group make it reject too often (docs/questions.md).

    Parameters
    ----------
    left, right
        Positions of the two items of each judgment, shape (m,).
    outcome
        +1 where the left item has the higher label, −1 where the right one has. 0, a tie, is no
        judgment and is left out, as is an item against itself.
    y_score
        Prediction or score of each item, shape (n,).
    sensitive_features
        Group of each item, shape (n,) or (n, columns).
    variance
        "dyadic" ("auto"): judgments that share an item are correlated. "binomial": equation (20).
    ties, alpha, correction
        As in `comparative_separation_test`.

    Returns
    -------
    ComparativeSeparationResult

    Raises
    ------
    InputError
        When the arrays do not go together, hold a missing value or another outcome, when a
        position is none of an item, when no judgment is left, or when there is one group only.

    Examples
    --------
    >>> result = comparative_separation_from_judgments(
    ...     [0, 2, 1], [1, 3, 2], [1, -1, 1], [3.0, 1.0, 0.5, 2.0],
    ...     sensitive_features=["a", "b", "a", "b"],
    ... )
    >>> result.right.tolist()
    [[0.0, 1.0], [2.0, 0.0]]
    """
    scores = inputs.numeric(y_score, "y_score")
    group, names = inputs.groups(sensitive_features)
    inputs.same_items(y_score=y_score, sensitive_features=sensitive_features)
    inputs.level(alpha)
    check_ties(ties)
    inputs.one_of(variance, "variance", ("auto", "dyadic", "binomial"))
    _whole_ties(ties, variance)
    one, two = inputs.one_dimensional(left, "left"), inputs.one_dimensional(right, "right")
    signs = inputs.numeric(outcome, "outcome")
    inputs.same_items(left=left, right=right, outcome=outcome)
    other = signs[~np.isin(signs, [-1, 0, 1])]
    if other.size:
        raise InputError(
            f"outcome must be 1 (left is higher), -1 (right is higher) or 0 (a tie); it holds "
            f"{other[0]:g}."
        )
    both = np.column_stack(
        [_checked_positions(side, len(scores), "left and right") for side in (one, two)]
    )
    if not ((signs != 0) & (both[:, 0] != both[:, 1])).any():
        raise InputError("outcome holds ties only: give at least one judgment of two items.")
    kind = "binomial" if variance == "binomial" else "dyadic"
    winner, loser, hit = judged(signs, scores, both[:, 0], both[:, 1], ties=ties)
    rates = given_pairs(winner, loser, hit, group, len(names))
    return _result(rates, names, kind, balanced=False, alpha=alpha, correction=correction)


def label_mix_decomposition(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    ties: Ties = "wrong",
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Part each gap of comparative separation into what the labels' mix explains, and the rest.

    TPR(a, b) is the mean, over the pairs of labels (u, v) that groups a and b meet with, of the
    chance that u is ranked above v. The rest is the gap when both groups meet with the same pairs
    of labels (label-balanced comparative separation), which is 0 under separation; the label mix
    explains the raw gap less the rest (a Kitagawa decomposition).

    Parameters
    ----------
    y_true, y_score, sensitive_features, ties
        As in `comparative_separation_test`.
    alpha
        The intervals cover 1 − alpha.

    Returns
    -------
    DataFrame
        Three rows for each hypothesis, `part` being "raw", "label mix" and "rest": `estimate`,
        `standard_error`, `ci_low`, `ci_high`. For binary labels the label mix explains nothing.

    Raises
    ------
    InputError
        As `comparative_separation_test`.
    """
    labels, scores, group, names = _items(y_true, y_score, sensitive_features, ties, alpha)
    first, second = gap_cells(2)
    rows = []
    for a, b in combinations(range(len(names)), 2):
        own = (group == a) | (group == b)
        n = int(own.sum())
        y, of_two = labels[own], (group[own] == b).astype(np.int64)
        strata = label_strata(y)
        weights = balancing_weights(of_two, strata, 2)
        one = (scores[own][None], of_two[None], 2, ties)
        parts = {}
        with np.errstate(invalid="ignore", divide="ignore"):
            for name, (right, usable, _, added) in {
                "raw": projections(y[None], *one),
                "rest": projections(strata[None].astype(float), *one, weights[None], strata[None]),
            }.items():
                rate = (right / usable).reshape(4)
                parts[name] = rate[first] - rate[second], added[0][:, first] - added[0][:, second]
        parts["label mix"] = tuple(x - y for x, y in zip(parts["raw"], parts["rest"], strict=True))
        for number, hypothesis in enumerate(gap_hypotheses((names[a], names[b]))):
            for name in ("raw", "label mix", "rest"):
                estimate, added = float(parts[name][0][number]), parts[name][1][:, number]
                error = float(np.sqrt((added**2).sum() * n / (n - 1)))
                margin = ndtri(1 - alpha / 2) * error
                limits = estimate - margin, estimate + margin
                rows.append((hypothesis, name, estimate, error, *limits))
    columns = ["hypothesis", "part", "estimate", "standard_error", "ci_low", "ci_high"]
    return pd.DataFrame(rows, columns=columns)


def _items(
    y_true: ArrayLike, y_score: ArrayLike, sensitive_features: ArrayLike, ties: str, alpha: float
) -> tuple[Floats, Floats, NDArray[np.int64], tuple[Any, ...]]:
    """Return labels, scores, groups and the names of these, checked."""
    labels = inputs.numeric(y_true, "y_true")
    scores = inputs.numeric(y_score, "y_score")
    group, names = inputs.groups(sensitive_features)
    inputs.same_items(y_true=y_true, y_score=y_score, sensitive_features=sensitive_features)
    inputs.level(alpha)
    check_ties(ties)
    if labels.min() == labels.max():
        raise InputError("y_true holds one value only: no pair of items has different labels.")
    return labels, scores, group, names


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


def _whole_ties(ties: str, variance: str) -> None:
    if ties == "half" and variance == "binomial":
        raise InputError(
            "ties='half' does not go with variance='binomial', which counts whole pairs: take "
            "'dyadic'."
        )


def _result(
    rates: PairRates,
    names: tuple[Any, ...],
    kind: str,
    *,
    balanced: bool,
    alpha: float,
    correction: Correction,
) -> ComparativeSeparationResult:
    k = len(names)
    joint = None
    if kind == "binomial":
        counts = PairCounts(*(x.astype(np.int64) for x in (rates.right, rates.usable)))
        difference = comparative_separation_from_counts(counts, alpha=alpha)
        with np.errstate(invalid="ignore", divide="ignore"):
            variances = rates.tpr * (1 - rates.tpr) / rates.usable
        covariance = np.diag(variances.ravel())
    else:
        difference, joint = comparative_separation_from_rates(rates, alpha=alpha)
        covariance = rates.covariance
    return ComparativeSeparationResult(
        hypotheses=gap_hypotheses(names),
        difference=difference,
        alpha=alpha,
        correction=correction,
        groups=names,
        usable=rates.usable,
        right=rates.right,
        tpr=rates.tpr.reshape(k, k),
        tpr_covariance=covariance,
        trials=_interval_trials(rates, covariance, kind),
        joint=joint,
        variance=kind,
        balanced=balanced,
    )


def _interval_trials(rates: PairRates, covariance: Floats, kind: str) -> Floats:
    """Return the independent trials that each rate counts for in its interval, shape (K, K)."""
    k = rates.right.shape[-1]
    if kind == "ustatistic" and rates.class_sizes.shape[-1] == 2 * k:  # binary labels
        return binary_trials(rates)
    variance, least = np.diagonal(covariance).reshape(k, k), smallest_trials(rates)
    with np.errstate(invalid="ignore", divide="ignore"):
        trials = rates.tpr * (1 - rates.tpr) / variance
    trials = np.where(variance > NO_VARIANCE, trials, least)
    return np.fmin(trials, least) if kind == "dyadic" else trials


def _positions(
    pairs: int | ArrayLike, n: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if isinstance(pairs, int | np.integer) and not isinstance(pairs, bool):
        inputs.whole(pairs, "pairs", 1, inputs.MOST_PAIRS)
        left, right = rng.integers(n, size=(2, int(pairs)))
        return left, right
    try:
        positions = np.asarray(pairs)
    except Exception as error:  # whatever the conversion of a foreign object raises
        raise InputError(f"{PAIRS}; it is {shown(pairs)}.") from error
    if positions.ndim != 2 or positions.shape[1] != 2 or positions.dtype.kind not in "iu":
        raise InputError(f"{PAIRS}; it is {shown(pairs)}.")
    checked = _checked_positions(positions, n, "pairs")
    return checked[:, 0], checked[:, 1]


def _checked_positions(positions: NDArray[Any], n: int, name: str) -> NDArray[np.int64]:
    if positions.dtype.kind not in "iu":
        raise InputError(f"{name} must hold whole numbers, the positions of items.")
    if positions.size and not (positions.min() >= 0 and positions.max() < n):
        raise InputError(f"{name} holds a position outside 0 to {n - 1}.")
    return positions.astype(np.int64)
