"""Tests of one table of binary predictions by group: two proportions, chi-square, CMH.

Everything is computed from counts, so that thousands of tables are tested at once.

References
----------
A. Agresti (2018), *Statistical Methods for the Social Sciences*, chapters 7 and 8; A. Agresti
(2013), *Categorical Data Analysis*, sections 6.4 and 8.4; J. Cohen (1988), *Statistical Power
Analysis for the Behavioral Sciences*, sections 6.2 and 7.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import chdtrc
from scipy.stats import random_table

from fairpairs.arrays import Floats, Integers
from fairpairs.fairness import inputs
from fairpairs.fairness.cell_measures import shuffling_pvalue
from fairpairs.fairness.effect_sizes import magnitude
from fairpairs.fairness.estimates import SMALL_CELL, UNVARYING, equal_without_variance
from fairpairs.fairness.inputs import Alternative
from fairpairs.fairness.proportions import FEW, pooled_or_exact_difference
from fairpairs.fairness.results import Correction, SingleTestResult, adjusted

#: Shuffles of the groups where few items are expected.
SHUFFLES = 9999
#: What is said there.
SHUFFLED = f"an expected count of {FEW} or fewer: the groups are shuffled"

#: Eigenvalues below this share of the largest are rounding.
RANK = 1e-10


@dataclass(frozen=True, kw_only=True)
class TwoProportionResult(SingleTestResult):
    """The result of `two_proportion_test` on K groups.

    Of more than two groups, the hypothesis, its p-value and all else that is one number are those
    of the two groups with the smallest p-value.

    Attributes
    ----------
    groups
        The K values of the sensitive attribute, sorted; tuples for several attributes.
    counts
        Items of each group with prediction 0 and with prediction 1, shape (K, 2).
    rates
        Share of positive predictions in each group, shape (K,).
    alternative
        "two-sided", "greater" or "less".
    by_pair
        Of more than two groups the test of each two; their p-values are adjusted.
    """

    groups: tuple[Any, ...]
    counts: Integers
    rates: Floats
    alternative: Alternative
    by_pair: tuple[TwoProportionResult, ...] = ()

    @property
    def interpretation(self) -> str:
        """What was found, one sentence for each two groups."""
        return " ".join(test.interpretation for test in self.by_pair) or super().interpretation

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each two groups."""
        if not self.by_pair:
            return super().to_frame()
        return pd.concat([test.to_frame() for test in self.by_pair], ignore_index=True)


@dataclass(frozen=True, kw_only=True)
class ContingencyResult(SingleTestResult):
    """The result of a chi-square test of predictions by group.

    Attributes
    ----------
    groups
        The K values of the sensitive attribute, sorted; tuples for several attributes.
    counts
        Items in each cell (group, label, prediction), shape (K, 2, 2).
    df
        Degrees of freedom.
    smallest_expected
        The smallest count that is expected in a cell under the hypothesis.
    by_label
        The tests within label 0 and within label 1, where there are such.
    """

    groups: tuple[Any, ...]
    counts: Integers
    df: int
    smallest_expected: float
    by_label: tuple[ContingencyResult, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return one row, after one for each label where the labels are tested one by one."""
        rows = [test.to_frame() for test in self.by_label]
        return pd.concat([*rows, super().to_frame()], ignore_index=True)


@dataclass(frozen=True)
class ChiSquare:
    """Chi-square tests of many tables of counts; every field has the shape of the tables.

    `df` is 0 and the others are NaN where there is nothing to test: fewer than two rows or columns
    that are taken. `effect_size` is Cramér's V, or √(statistic / n) of strata; `n` counts the items
    of the strata that say something.
    """

    statistic: Floats
    df: Integers
    pvalue: Floats
    effect_size: Floats
    n: Floats
    smallest_expected: Floats


def two_proportion_test(
    y_pred: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> TwoProportionResult:
    """Test whether all groups get positive predictions equally often (demographic parity).

    Items must be independent: clusters of one group make it reject too often (docs/questions.md).

    Parameters
    ----------
    y_pred
        Predictions, 0 or 1, shape (n,).
    sensitive_features
        Group of each item, values of any kind, shape (n,); or several attributes, shape
        (n, columns), whose combinations are the groups. Every two groups are compared.
    alternative
        The rate of group 1 (the later of two values when sorted) is "two-sided" unequal to,
        "greater" or "less" than that of group 0.
    alpha
        Level; the interval of the difference covers 1 − alpha.
    correction
        "holm", "sidak" or "none", over all two groups that could be compared.

    Returns
    -------
    TwoProportionResult
        The pooled z, z = (p̂1 − p̂0) / sqrt(p̂(1 − p̂)(1/n1 + 1/n0)), or, with a `statistic` of NaN,
        Fisher's exact test where an expected count is below 10; Cohen's h, and the difference with
        Newcombe's interval; of more than two groups one for each two (`by_pair`). `note` says where
        Fisher's test is taken, and warns of 30 items or fewer in a group.

    Raises
    ------
    InputError
        When the arrays differ in length, hold a missing value or another value than 0 and 1, when
        there is one group only, or when an option is none of those named.

    References
    ----------
    A. Agresti (2018), *Statistical Methods for the Social Sciences*, sections 7.2 and 7.4; R. G.
    Newcombe (1998), Interval estimation for the difference between independent proportions:
    comparison of eleven methods, method 10.

    Examples
    --------
    >>> predicted = [1] * 8 + [0] * 12
    >>> sex = ["f"] * 10 + ["m"] * 10
    >>> result = two_proportion_test(predicted, sensitive_features=sex)
    >>> round(result.pvalue, 5), round(result.effect_size, 3), result.violated
    (0.00071, -2.214, True)
    >>> result.note
    "an expected count below 10: Fisher's exact test; a group of 30 items or fewer"
    """
    predictions = inputs.binary(y_pred, "y_pred")
    group, names = inputs.groups(sensitive_features)
    inputs.same_items(y_pred=y_pred, sensitive_features=sensitive_features)
    inputs.side(alternative)
    inputs.level(alpha)
    counts = np.bincount(2 * group + predictions, minlength=2 * len(names)).reshape(-1, 2)
    pairs = [list(pair) for pair in combinations(range(len(names)), 2)]
    tests = [
        _two_proportions(counts[pair], (names[pair[0]], names[pair[1]]), alternative, alpha)
        for pair in pairs
    ]
    tested = (counts[pairs].sum(axis=1) > 0).all(axis=1)
    unadjusted = np.array([test.pvalue for test in tests])
    # equal rates without variance keep p = 1 and do not count
    pvalues = adjusted(np.where(tested, unadjusted, np.nan), correction)
    pvalues = np.where(tested, pvalues, unadjusted)
    if len(tests) == 1:
        return tests[0]
    after: Correction = correction if tested.sum() > 1 else "none"
    tests = [
        replace(test, pvalue=float(pvalue), correction=after)
        for test, pvalue in zip(tests, pvalues, strict=True)
    ]
    smallest = tests[int(np.nan_to_num(pvalues, nan=np.inf).argmin())]
    sizes = counts.sum(axis=1)
    return replace(
        smallest,
        groups=names,
        counts=counts,
        rates=counts[:, 1] / sizes,
        n=len(predictions),
        smallest_cell=int(sizes.min()),
        by_pair=tuple(tests),
    )


def _two_proportions(
    counts: Integers, names: tuple[Any, Any], alternative: Alternative, alpha: float
) -> TwoProportionResult:
    """Test two groups, whose predictions of 0 and of 1 are counted in the rows."""
    sizes = counts.sum(axis=1)
    test = pooled_or_exact_difference(
        counts[1, 1], sizes[1], counts[0, 1], sizes[0], alternative=alternative, alpha=alpha
    )
    rates = counts[:, 1] / sizes
    relation = {"two-sided": "not the same as", "greater": "greater than", "less": "less than"}
    sign = {"two-sided": "=", "greater": "≤", "less": "≥"}[alternative]
    low, high = map(inputs.group_name, names)
    effect = float(test.effect_size)
    return TwoProportionResult(
        name="two-proportion test",
        hypothesis=f"Pr[C=1 | A={high}] {sign} Pr[C=1 | A={low}]",
        claim=(
            f"the share of positive predictions in {high} ({rates[1]:.3g}) is "
            f"{relation[alternative]} that in {low} ({rates[0]:.3g})"
        ),
        statistic=float(test.statistic),
        symbol="z",
        pvalue=1.0 if equal_without_variance(test) else float(test.pvalue),
        alpha=alpha,
        effect_size=effect,
        effect="Cohen's h",
        magnitude=str(magnitude(effect, "h")),
        estimate=float(test.estimate),
        ci_low=float(test.ci_low),
        ci_high=float(test.ci_high),
        n=int(sizes.sum()),
        smallest_cell=int(sizes.min()),
        note=_joined(str(test.reason), _small(sizes)),
        groups=names,
        counts=counts,
        rates=rates,
        alternative=alternative,
    )


def chi_square_test(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    alpha: float = 0.05,
) -> ContingencyResult:
    """Test whether the confusion matrix is the same in all groups, by Pearson's chi-square.

    It also rejects where only the base rates differ, since these stand in the matrix too: a model
    that satisfies separation violates it then. To test separation take
    `conditional_chi_square_test`.

    Items must be independent: clusters of one group make it reject too often (docs/questions.md).

    Parameters
    ----------
    y_true, y_pred
        Labels and predictions, 0 or 1, shape (n,).
    sensitive_features
        Group of each item, values of any kind, shape (n,) or (n, columns).
    alpha
        Level.

    Returns
    -------
    ContingencyResult
        χ² = Σ (O − E)² / E over the K × 4 table of groups by confusion cells, without a continuity
        correction, with (K − 1)(J − 1) degrees of freedom, J of the four cells being taken; the
        effect size is Cramér's V. Where an expected count is 5 or fewer, the p-value is that of
        9,999 shuffles of the groups with a fixed seed, and `note` says so; it warns of 30 items or
        fewer in a group too.

    Raises
    ------
    InputError
        When the arrays differ in length, hold a missing value or another value than 0 and 1, or
        when there is one group only.

    References
    ----------
    A. Agresti (2018), *Statistical Methods for the Social Sciences*, section 8.2; B. Phipson and
    G. K. Smyth (2010), Permutation p-values should never be zero.

    Examples
    --------
    >>> y_true = [1, 1, 0, 0] * 50
    >>> y_pred = [1, 1, 0, 0] * 25 + [1, 0, 0, 1] * 25
    >>> sex = ["f"] * 100 + ["m"] * 100
    >>> result = chi_square_test(y_true, y_pred, sensitive_features=sex)
    >>> round(result.statistic, 3), result.df, result.violated
    (66.667, 3, True)
    """
    counts, names = _confusion(y_true, y_pred, sensitive_features, alpha)
    tests, _ = _chi_squares([counts.reshape(len(names), 4)])
    return _contingency(
        tests[0],
        counts,
        sizes=counts.sum(axis=(1, 2)),
        names=names,
        alpha=alpha,
        effect="Cramér's V",
        few=SHUFFLED,
        name="chi-square test",
        hypothesis="(Y, C) ⟂ A",
        claim="the confusion matrix depends on the group",
        unvarying="all items have one label and one prediction",
    )


def conditional_chi_square_test(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    alpha: float = 0.05,
) -> ContingencyResult:
    """Test separation of K groups: chi-square among the items of each label, and their sum.

    Base rates that differ do not make it reject, unlike `chi_square_test`.

    Items must be independent: clusters of one group make it reject too often (docs/questions.md).

    Parameters
    ----------
    y_true, y_pred, sensitive_features, alpha
        As for `chi_square_test`.

    Returns
    -------
    ContingencyResult
        The sum over the labels of χ² of the K × 2 tables of groups by predictions, with the sum of
        their degrees of freedom; `by_label` holds the two tests (of the false and of the true
        positive rate), whose p-values are not adjusted. The effect size √(Σ χ² / n) is the root of
        the mean of V² over the items. Where an expected count is 5 or fewer, the p-value is that of
        9,999 shuffles of the groups within each label with a fixed seed. A label that cannot be
        tested is left out, here too. `note` says both.

    Raises
    ------
    InputError
        As `chi_square_test`.

    References
    ----------
    A. Agresti (2013), *Categorical Data Analysis*, section 3.3: independent chi-squares add up.

    Examples
    --------
    >>> y_true = [1, 1, 0, 0] * 50
    >>> y_pred = [1, 1, 0, 0] * 25 + [1, 0, 0, 1] * 25
    >>> sex = ["f"] * 100 + ["m"] * 100
    >>> result = conditional_chi_square_test(y_true, y_pred, sensitive_features=sex)
    >>> result.to_frame()[["hypothesis", "statistic"]].round(2)
        hypothesis  statistic
    0  C ⟂ A | Y=0      33.33
    1  C ⟂ A | Y=1      33.33
    2    C ⟂ A | Y      66.67
    """
    counts, names = _confusion(y_true, y_pred, sensitive_features, alpha)
    tests, pvalue = _chi_squares([counts[:, 0], counts[:, 1]])
    by_label = tuple(
        _contingency(
            tests[label],
            counts[:, [label]],
            sizes=counts[:, label].sum(axis=1),
            names=names,
            alpha=alpha,
            effect="Cramér's V",
            few=SHUFFLED,
            name=f"chi-square test within label {label}",
            hypothesis=f"C ⟂ A | Y={label}",
            claim=f"predictions among items of label {label} depend on the group",
            unvarying="all predictions are the same",
            untested="one group only",
        )
        for label in (0, 1)
    )
    tested = [test for test in by_label if np.isfinite(test.statistic)]
    statistic = sum(test.statistic for test in tested) if tested else np.nan
    df, n = sum(test.df for test in tested), sum(test.n for test in tested)
    total = ChiSquare(
        statistic=np.asarray(statistic),
        df=np.asarray(df),
        pvalue=np.asarray(chdtrc(df, statistic) if np.isnan(pvalue) else pvalue),
        effect_size=np.sqrt(statistic / max(n, 1)),
        n=np.asarray(n),
        smallest_expected=np.asarray(min((t.smallest_expected for t in tested), default=np.nan)),
    )
    notes = [
        f"label {label}: {test.note.removeprefix(f'{UNVARYING}: ')}"
        for label, test in enumerate(by_label)
        if test.note
    ]
    return _contingency(
        total,
        counts,
        sizes=counts.sum(axis=2),
        names=names,
        alpha=alpha,
        name="conditional chi-square test",
        hypothesis="C ⟂ A | Y",
        claim="predictions depend on the group among items of one label",
        notes=notes,
        by_label=by_label,
    )


def cochran_mantel_haenszel_test(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    alpha: float = 0.05,
) -> ContingencyResult:
    """Test separation of K groups by the Cochran–Mantel–Haenszel statistic, with labels as strata.

    It adds up the departures over both labels before it squares them. So it finds what goes in one
    direction, more positive predictions for a group whatever the label, with more power than
    `conditional_chi_square_test`, and is blind to true and false positive rates that differ in
    opposite directions.

    Items must be independent: clusters of one group make it reject too often (docs/questions.md).

    Parameters
    ----------
    y_true, y_pred, sensitive_features, alpha
        As for `chi_square_test`.

    Returns
    -------
    ContingencyResult
        G' V⁻¹ G without a continuity correction, G the positive predictions of each group less what
        is expected, summed over the labels, and V their hypergeometric covariance; K − 1 degrees of
        freedom. For two groups the estimate is the Mantel–Haenszel odds ratio of a positive
        prediction, group 1 over group 0, with the interval of Robins, Breslow and Greenland. The
        effect size is √(statistic / n).

    Raises
    ------
    InputError
        As `chi_square_test`.

    References
    ----------
    A. Agresti (2013), *Categorical Data Analysis*, sections 6.4 and 8.4.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y_true, team = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    >>> y_pred = (rng.random(400) < 0.3 + 0.2 * y_true + 0.2 * team).astype(int)
    >>> result = cochran_mantel_haenszel_test(y_true, y_pred, sensitive_features=team)
    >>> result.df, result.violated, result.estimate > 1
    (1, True, True)
    """
    counts, names = _confusion(y_true, y_pred, sensitive_features, alpha)
    odds_ratio, low, high = (
        _odds_ratio(counts, alpha) if len(names) == 2 else (np.nan, np.nan, np.nan)
    )
    return _contingency(
        mantel_haenszel_from_counts(np.swapaxes(counts, 0, 1)),
        counts,
        sizes=counts.sum(axis=2),
        names=names,
        alpha=alpha,
        name="Cochran–Mantel–Haenszel test",
        hypothesis="C ⟂ A | Y",
        claim="predictions depend on the group, in the same direction for both labels",
        unvarying="all predictions of a label are the same",
        untested="no label has items of two groups",
        estimate=odds_ratio,
        ci_low=low,
        ci_high=high,
    )


def chi_square_from_counts(counts: ArrayLike) -> ChiSquare:
    """Test the independence of rows and columns by Pearson's chi-square, in many tables at once.

    Parameters
    ----------
    counts
        Items in each cell, shape (..., rows, columns). Empty rows and columns do not count.

    Returns
    -------
    ChiSquare
        Fields of shape (...). It is `scipy.stats.chi2_contingency` without the correction.
    """
    observed = np.asarray(counts, dtype=float)
    rows = observed.sum(axis=-1, keepdims=True)
    columns = observed.sum(axis=-2, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = rows * columns / rows.sum(axis=-2, keepdims=True)
        terms = np.where(expected > 0, (observed - expected) ** 2 / expected, 0)
    taken = [np.maximum((margin > 0).sum(axis=(-2, -1)) - 1, 0) for margin in (rows, columns)]
    df = taken[0] * taken[1]
    statistic = np.where(df > 0, terms.sum(axis=(-2, -1)), np.nan)
    n = observed.sum(axis=(-2, -1))
    narrow = np.maximum(np.minimum(*taken), 1)
    smallest = np.where(expected > 0, expected, np.inf).min(axis=(-2, -1))
    return ChiSquare(
        statistic=statistic,
        df=df,
        pvalue=chdtrc(df, statistic),
        effect_size=np.sqrt(statistic / np.maximum(n * narrow, 1)),
        n=n,
        smallest_expected=np.where(df > 0, smallest, np.nan),
    )


def mantel_haenszel_from_counts(counts: ArrayLike) -> ChiSquare:
    """Test the independence of group and prediction within strata, for many stacks of tables.

    Parameters
    ----------
    counts
        Items in each cell, shape (..., strata, K, 2): the last axis is the prediction.

    Returns
    -------
    ChiSquare
        Fields of shape (...). For two groups it is statsmodels' `StratifiedTable.test_null_odds`;
        for one stratum it is Pearson's chi-square times (n − 1) / n.
    """
    observed = np.asarray(counts, dtype=float)
    sizes = observed.sum(axis=-1)  # (..., strata, K)
    outcomes = observed.sum(axis=-2)  # (..., strata, 2)
    n = sizes.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = sizes * (outcomes[..., 1] / n)[..., None]
        scale = outcomes.prod(axis=-1) / (n**2 * (n - 1))
    two = n > 1  # a stratum of one item says nothing
    departure = np.where(two[..., None], observed[..., 1] - expected, 0).sum(axis=-2)
    spread = n[..., None, None] * sizes[..., None] * np.eye(sizes.shape[-1])
    spread = spread - sizes[..., None] * sizes[..., None, :]
    covariances = np.where(two, scale, 0)[..., None, None] * spread
    covariance = covariances.sum(axis=-3)
    informative = np.where((covariances > 0).any(axis=(-2, -1)), n, 0).sum(axis=-1)
    df = np.linalg.matrix_rank(covariance, rtol=RANK, hermitian=True)
    inverse = np.linalg.pinv(covariance, rtol=RANK, hermitian=True)
    statistic = np.einsum("...i,...ij,...j->...", departure, inverse, departure)
    statistic = np.where(df > 0, statistic, np.nan)
    of_cells = np.stack([expected, sizes - expected])
    smallest = np.where(of_cells > 0, of_cells, np.inf).min(axis=(0, -2, -1))
    return ChiSquare(
        statistic=statistic,
        df=df,
        pvalue=chdtrc(df, statistic),
        effect_size=np.sqrt(statistic / np.maximum(informative, 1)),
        n=informative,
        smallest_expected=np.where(df > 0, smallest, np.nan),
    )


def _confusion(
    y_true: ArrayLike, y_pred: ArrayLike, sensitive_features: ArrayLike, alpha: float
) -> tuple[Integers, tuple[Any, ...]]:
    """Return the counts of (group, label, prediction), shape (K, 2, 2), and the groups."""
    labels = inputs.binary(y_true, "y_true")
    predictions = inputs.binary(y_pred, "y_pred")
    group, names = inputs.groups(sensitive_features)
    inputs.same_items(y_true=y_true, y_pred=y_pred, sensitive_features=sensitive_features)
    inputs.level(alpha)
    cell = 4 * group + 2 * labels + predictions
    return np.bincount(cell, minlength=4 * len(names)).reshape(-1, 2, 2), names


def _chi_squares(tables: Sequence[Integers]) -> tuple[list[ChiSquare], float]:
    """Test tables of groups by cells; with few items expected, by shuffles of the groups.

    The number returned is the p-value of the sum of the statistics, NaN where nothing is shuffled.
    """
    tests = [chi_square_from_counts(table) for table in tables]
    if not any(test.smallest_expected <= FEW for test in tests):
        return tests, np.nan
    rng, summed = np.random.default_rng(0), np.zeros(SHUFFLES)
    for i, (table, test) in enumerate(zip(tables, tests, strict=True)):
        if test.df == 0:
            continue
        drawn = random_table(table.sum(axis=1), table.sum(axis=0)).rvs(SHUFFLES, random_state=rng)
        shuffled = chi_square_from_counts(drawn).statistic
        summed += shuffled
        if test.smallest_expected <= FEW:
            pvalue = shuffling_pvalue(float(test.statistic), shuffled)
            tests[i] = replace(test, pvalue=np.asarray(pvalue))
    observed = float(np.nansum([test.statistic for test in tests]))
    return tests, shuffling_pvalue(observed, summed)


def _contingency(
    test: ChiSquare,
    counts: Integers,
    *,
    sizes: Integers,
    names: tuple[Any, ...],
    alpha: float,
    name: str,
    hypothesis: str,
    claim: str,
    effect: str = "√(χ²/n)",
    unvarying: str = "",
    untested: str = "",
    few: str = f"an expected count of {FEW} or fewer",
    notes: Sequence[str] | None = None,
    estimate: float = np.nan,
    ci_low: float = np.nan,
    ci_high: float = np.nan,
    by_label: tuple[ContingencyResult, ...] = (),
) -> ContingencyResult:
    statistic, pvalue, effect_size = map(float, (test.statistic, test.pvalue, test.effect_size))
    compared = bool(((sizes > 0).sum(axis=0) > 1).any())  # two groups have items of a label
    if np.isnan(statistic) and compared:  # then these all have one prediction
        pvalue, effect_size = 1.0, 0.0
        notes = [f"{UNVARYING}: {unvarying}"] if notes is None else [UNVARYING, *notes]
    elif np.isnan(statistic) and notes is None:
        notes = [untested]
    elif notes is None:
        missing = "a group without items is left out" if sizes.min() == 0 else ""
        expected = few if test.smallest_expected <= FEW else ""
        notes = [missing, _small(sizes[sizes > 0]), expected]
    w = 0.0 if pvalue == 1 else np.sqrt(statistic / max(float(test.n), 1))
    return ContingencyResult(
        name=name,
        hypothesis=hypothesis,
        claim=claim,
        statistic=statistic,
        symbol=f"χ²({test.df})",
        pvalue=pvalue,
        alpha=alpha,
        effect_size=effect_size,
        effect=effect,
        magnitude=str(magnitude(w, "w")),
        estimate=estimate,
        ci_low=ci_low,
        ci_high=ci_high,
        n=int(counts.sum()),
        smallest_cell=int(sizes.min()),
        note=_joined(*notes),
        groups=names,
        counts=counts,
        df=int(test.df),
        smallest_expected=float(test.smallest_expected),
        by_label=by_label,
    )


def _odds_ratio(counts: Integers, alpha: float) -> tuple[float, float, float]:
    """Return the Mantel–Haenszel odds ratio, group 1 over group 0, and its interval."""
    from statsmodels.stats.contingency_tables import StratifiedTable  # noqa: PLC0415  (slow)

    tables = [table[::-1, ::-1] for table in np.swapaxes(counts, 0, 1) if table.sum()]
    with np.errstate(invalid="ignore", divide="ignore"):
        pooled = StratifiedTable(tables)
        ratio = float(pooled.oddsratio_pooled)
        low, high = pooled.oddsratio_pooled_confint(alpha=alpha)  # NaN of a ratio of 0 or infinity
    return ratio, float(low), float(high)


def _small(sizes: Integers) -> str:
    return f"a group of {SMALL_CELL} items or fewer" if sizes.min() <= SMALL_CELL else ""


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)
