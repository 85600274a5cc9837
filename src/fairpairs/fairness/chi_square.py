"""Pearson's chi-square of confusion matrices by group, as they are and within labels.

Everything is computed from counts, so that thousands of tables are tested at once.

References
----------
A. Agresti (2018), *Statistical Methods for the Social Sciences*, chapter 8; A. Agresti (2013),
*Categorical Data Analysis*, section 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from fairpairs.arrays import Integers
from fairpairs.fairness.cell_measures import shuffling_pvalue
from fairpairs.fairness.contingency import (
    ChiSquare,
    ContingencyResult,
    confusion_counts,
    contingency_result,
)
from fairpairs.fairness.estimates import UNVARYING
from fairpairs.fairness.proportions import FEW

#: Shuffles of the groups where few items are expected.
SHUFFLES = 9999
#: The note in that case.
SHUFFLED = f"an expected count of {FEW} or fewer: the groups are shuffled"


def chi_square_test(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    alpha: float = 0.05,
) -> ContingencyResult:
    """Test whether the confusion matrix is the same in all groups, by Pearson's chi-square.

    It also rejects when only the base rates differ, because the matrix contains them, even if the
    model satisfies separation. To test separation use `conditional_chi_square_test`.

    Items must be independent: clusters of one group make it reject too often. docs/questions.md
    lists the tests that take clusters.

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
        9,999 shuffles of the groups with a fixed seed. `note` reports this, and any group below 30
        items.

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
    counts, names = confusion_counts(y_true, y_pred, sensitive_features, alpha)
    tests, _ = _chi_squares([counts.reshape(len(names), 4)])
    return contingency_result(
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

    Items must be independent: clusters of one group make it reject too often. docs/questions.md
    lists the tests that take clusters.

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
        tested is left out, here too. `note` reports both.

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
    counts, names = confusion_counts(y_true, y_pred, sensitive_features, alpha)
    tests, pvalue = _chi_squares([counts[:, 0], counts[:, 1]])
    by_label = tuple(
        contingency_result(
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
    return contingency_result(
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


def _chi_squares(tables: Sequence[Integers]) -> tuple[list[ChiSquare], float]:
    """Test tables of groups by cells; with few items expected, by shuffles of the groups.

    The number returned is the p-value of the sum of the statistics, NaN without shuffles.
    """
    tests = [chi_square_from_counts(table) for table in tables]
    if not any(test.smallest_expected <= FEW for test in tests):
        return tests, np.nan
    from scipy.stats import random_table  # noqa: PLC0415  (slow)

    rng, summed = np.random.default_rng(0), np.zeros(SHUFFLES)
    for i, (table, test) in enumerate(zip(tables, tests, strict=True)):
        if test.df == 0:
            continue
        rows, columns = table.sum(axis=1), table.sum(axis=0)
        drawn = random_table(rows, columns).rvs(SHUFFLES, random_state=rng)
        taken = np.ix_(rows > 0, columns > 0)
        expected = np.outer(rows, columns)[taken] / rows.sum()  # the same in all shuffles
        shuffled = ((drawn[:, *taken] - expected) ** 2 / expected).sum(axis=(-2, -1))
        summed += shuffled
        if test.smallest_expected <= FEW:
            pvalue = shuffling_pvalue(float(test.statistic), shuffled)
            tests[i] = replace(test, pvalue=np.asarray(pvalue))
    observed = float(np.nansum([test.statistic for test in tests]))
    return tests, shuffling_pvalue(observed, summed)
