"""Chi-square tests of confusion matrices by group, as they are and within labels.

They are Pearson's, and that of Cochran, Mantel and Haenszel.

Everything is computed from counts, so that thousands of tables are tested at once.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from fairpairs.base.arrays import Integers
from fairpairs.base.guesses import understood
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.estimates.cell_measures import shuffling_pvalue
from fairpairs.mathematics.estimates.estimates import UNVARYING
from fairpairs.mathematics.fairness.contingency import (
    ChiSquare,
    ContingencyResult,
    confusion_counts,
    contingency_result,
)
from fairpairs.mathematics.inference.rates import FEW

#: Shuffles of the groups where few items are expected.
SHUFFLES = 9999
#: Shuffles of tables of more cells than this in all, which take longer.
FEWER_SHUFFLES, MAX_CELLS = 1999, 10_000
#: Counts that are drawn at once.
CHUNK = 1 << 22
#: Eigenvalues below this share of the largest are rounding.
RANK = 1e-10
#: The note where the groups are shuffled.
SHUFFLED = f"an expected count of {FEW} or fewer: the groups are shuffled"


@understood
def chi_square_test(
    y_true: ArrayLike, y_pred: ArrayLike, *, sensitive_features: ArrayLike, alpha: float = 0.05
) -> ContingencyResult:
    """Test whether the confusion matrix is the same in all groups, by Pearson's chi-square.

    It also rejects when only the base rates differ, because the matrix contains them, even if the
    model satisfies separation. To test separation use `conditional_chi_square_test`.

    Items must be independent: with clusters it rejects too often (docs/explanation/questions.md).

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
        unvarying="all rows have one label and one prediction",
    )


@understood
def conditional_chi_square_test(
    y_true: ArrayLike, y_pred: ArrayLike, *, sensitive_features: ArrayLike, alpha: float = 0.05
) -> ContingencyResult:
    """Test separation of K groups: chi-square among the items of each label, and their sum.

    Base rates that differ do not make it reject, unlike `chi_square_test`.

    Items must be independent: with clusters it rejects too often (docs/explanation/questions.md).

    Parameters
    ----------
    y_true, y_pred, sensitive_features, alpha
        As for `chi_square_test`.

    Returns
    -------
    ContingencyResult
        The sum over the labels of χ² of the K × 2 tables of groups by predictions, with the sum of
        their degrees of freedom; `by_label` holds the test of each label, of the false and of the
        true positive rate, whose p-values are not adjusted. The effect size is √(Σ χ² / n). Where
        an expected count is 5 or fewer, the p-value is that of 9,999 shuffles of the groups within
        each label with a fixed seed (1,999 for more than 10,000 cells). A label that cannot be
        tested is left out, here too. `note` reports both.

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
    total, tests = chi_square_of_strata(list(np.moveaxis(counts, 1, 0)))
    by_label = tuple(
        contingency_result(
            test,
            counts[:, [label]],
            sizes=counts[:, label].sum(axis=1),
            names=names,
            alpha=alpha,
            effect="Cramér's V",
            few=SHUFFLED,
            name=f"chi-square test within label {label}",
            hypothesis=f"C ⟂ A | Y={label}",
            claim=f"predictions among rows of label {label} depend on the group",
            unvarying="all predictions are the same",
            untested="one group only",
        )
        for label, test in enumerate(tests)
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
        claim="predictions depend on the group among rows of one label",
        notes=notes,
        by_label=by_label,
    )


@understood
def cochran_mantel_haenszel_test(
    y_true: ArrayLike, y_pred: ArrayLike, *, sensitive_features: ArrayLike, alpha: float = 0.05
) -> ContingencyResult:
    """Test separation of K groups by the Cochran–Mantel–Haenszel statistic, with labels as strata.

    It adds up the departures over both labels before it squares them. So it finds what goes in one
    direction, more positive predictions for a group whatever the label, with more power than
    `conditional_chi_square_test`, and is blind to true and false positive rates that differ in
    opposite directions.

    Items must be independent: with clusters it rejects too often (docs/explanation/questions.md).

    Parameters
    ----------
    y_true, y_pred, sensitive_features, alpha
        As for `chi_square_test`.

    Returns
    -------
    ContingencyResult
        G' V⁻¹ G without a continuity correction, G the positive predictions of each group minus
        their expectation, summed over labels, V their hypergeometric covariance; K − 1 degrees of
        freedom. For two groups the estimate is the Mantel–Haenszel odds ratio of a positive
        prediction, group 1 over group 0, with the interval of Robins, Breslow and Greenland. The
        effect size is √(statistic / n).

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
    counts, names = confusion_counts(y_true, y_pred, sensitive_features, alpha)
    return contingency_result(
        mantel_haenszel_from_counts(np.swapaxes(counts, 0, 1)),
        counts,
        sizes=counts.sum(axis=2),
        names=names,
        alpha=alpha,
        name="Cochran–Mantel–Haenszel test",
        hypothesis="C ⟂ A | Y",
        claim="predictions depend on the group, in the same direction for both labels",
        unvarying="all predictions of a label are the same",
        untested="no label has rows of two groups",
        **(_odds_ratio(counts, alpha) if len(names) == 2 else {}),
    )


def chi_square_from_counts(counts: ArrayLike) -> ChiSquare:
    """Test independence in tables (..., rows, columns), without the continuity correction."""
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


def chi_square_of_strata(tables: Sequence[Integers]) -> tuple[ChiSquare, list[ChiSquare]]:
    """Test rows and columns within strata, together and each; with few expected, by shuffles."""
    tests, pvalue = _chi_squares(tables)
    tested = [test for test in tests if np.isfinite(test.statistic)]
    statistic = sum(float(test.statistic) for test in tested) if tested else np.nan
    df, n = sum(int(test.df) for test in tested), sum(int(test.n) for test in tested)
    smallest = min((float(test.smallest_expected) for test in tested), default=np.nan)
    total = ChiSquare(
        statistic=np.asarray(statistic),
        df=np.asarray(df),
        pvalue=np.asarray(chdtrc(df, statistic) if np.isnan(pvalue) else pvalue),
        effect_size=np.sqrt(statistic / max(n, 1)),
        n=np.asarray(n),
        smallest_expected=np.asarray(smallest),
        shuffles=0 if np.isnan(pvalue) else _shuffles(tables),
    )
    return total, tests


def corrected_cramers_v(tables: Sequence[Integers]) -> tuple[float, float]:
    """Return Cramér's V within strata and w = √(χ²/n), both minus what chance alone adds to χ².

    χ² − df n / (n − 1), or 0, takes the place of χ². V² divides it by the sum over the strata of n
    min(r̃ − 1, c̃ − 1), with r̃ − 1 = (r − 1)(1 − (r − 1) / (n − 1)) of r rows, w² by that of n
    (Bergsma 2013, summed over strata). NaN where no stratum has two rows and two columns.
    """
    excess, room, n_tested = 0.0, 0.0, 0
    for table in tables:
        test, n = chi_square_from_counts(table), int(table.sum())
        if test.df == 0:
            continue
        taken = [int((table.sum(axis=axis) > 0).sum()) - 1 for axis in (0, 1)]
        excess += float(test.statistic) - int(test.df) * n / (n - 1)
        room += n * max(min(k * (1 - k / (n - 1)) for k in taken), 0.0)
        n_tested += n
    if not n_tested:
        return np.nan, np.nan
    excess = max(excess, 0.0)
    v = min(np.sqrt(excess / room), 1.0) if room > 0 else 0.0
    return float(v), float(np.sqrt(excess / n_tested))


def _chi_squares(tables: Sequence[Integers]) -> tuple[list[ChiSquare], float]:
    """Test tables of groups by cells, by shuffles if few are expected; p of their sum, or NaN."""
    tests = [chi_square_from_counts(table) for table in tables]
    if not any(test.smallest_expected <= FEW for test in tests):
        return tests, np.nan
    from scipy.stats import random_table  # noqa: PLC0415  (slow)

    size = _shuffles(tables)
    rng, summed = np.random.default_rng(0), np.zeros(size)
    for i, (table, test) in enumerate(zip(tables, tests, strict=True)):
        if test.df == 0:
            continue
        rows, columns = table.sum(axis=1), table.sum(axis=0)
        taken = np.ix_(rows > 0, columns > 0)
        expected = np.outer(rows, columns)[taken] / rows.sum()  # the same in all shuffles
        shuffled, at_once = np.empty(size), max(1, CHUNK // table.size)
        for start in range(0, size, at_once):
            part = slice(start, min(start + at_once, size))
            drawn = random_table(rows, columns).rvs(part.stop - start, random_state=rng)
            drawn = drawn[:, *taken]
            shuffled[part] = ((drawn - expected) ** 2 / expected).sum(axis=(-2, -1))
        summed += shuffled
        if test.smallest_expected <= FEW:
            pvalue = shuffling_pvalue(float(test.statistic), shuffled)
            tests[i] = replace(test, pvalue=np.asarray(pvalue))
    observed = float(np.nansum([test.statistic for test in tests]))
    return tests, shuffling_pvalue(observed, summed)


def _shuffles(tables: Sequence[Integers]) -> int:
    return SHUFFLES if sum(table.size for table in tables) <= MAX_CELLS else FEWER_SHUFFLES


def mantel_haenszel_from_counts(counts: ArrayLike) -> ChiSquare:
    """Test independence of group and prediction within strata; counts are (..., strata, K, 2).

    Of two groups it is statsmodels' `test_null_odds`; of one stratum chi-square times (n − 1) / n.
    """
    observed = np.asarray(counts, dtype=float)
    sizes = observed.sum(axis=-1)  # (..., strata, K)
    outcomes = observed.sum(axis=-2)  # (..., strata, 2)
    n = sizes.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = sizes * (outcomes[..., 1] / n)[..., None]
        scale = outcomes.prod(axis=-1) / (n**2 * (n - 1))
    two = n > 1  # a stratum of one item has no variance
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
    cells = np.stack([expected, sizes - expected])
    smallest = np.where(cells > 0, cells, np.inf).min(axis=(0, -2, -1))
    return ChiSquare(
        statistic=statistic,
        df=df,
        pvalue=chdtrc(df, statistic),
        effect_size=np.sqrt(statistic / np.maximum(informative, 1)),
        n=informative,
        smallest_expected=np.where(df > 0, smallest, np.nan),
    )


def _odds_ratio(counts: Integers, alpha: float) -> Record:
    """Return the Mantel–Haenszel odds ratio, group 1 over group 0, and its interval."""
    from statsmodels.stats.contingency_tables import StratifiedTable  # noqa: PLC0415  (slow)

    tables = [table[::-1, ::-1] for table in np.swapaxes(counts, 0, 1) if table.sum()]
    with np.errstate(invalid="ignore", divide="ignore"):
        pooled = StratifiedTable(tables)
        low, high = pooled.oddsratio_pooled_confint(alpha=alpha)  # NaN of a ratio of 0 or infinity
    return {
        "estimate": float(pooled.oddsratio_pooled),
        "ci_low": float(low),
        "ci_high": float(high),
    }
