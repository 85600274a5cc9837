"""Separation by the Cochran–Mantel–Haenszel test: predictions by group, with labels as strata."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from fairpairs.base.arrays import Integers
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.fairness.contingency import (
    ChiSquare,
    ContingencyResult,
    confusion_counts,
    contingency_result,
)

#: Eigenvalues below this share of the largest are rounding.
RANK = 1e-10


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
    counts, names, _ = confusion_counts(y_true, y_pred, sensitive_features, alpha)
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
        untested="no label has items of two groups",
        **(_odds_ratio(counts, alpha) if len(names) == 2 else {}),
    )


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
