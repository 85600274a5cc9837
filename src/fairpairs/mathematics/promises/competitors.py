"""Textbook tests of two groups, 0 and 1, with the arguments of ours; each returns a p-value.

Several lines, such as TPR and FPR, or AUC and xAUC, are tested by Bonferroni.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from fairpairs.base.arrays import Floats, Integers

#: A difference, its standard error and its degrees of freedom.
Student = tuple[float, float, float]
#: The groups of the positive and negative items of two rates that are compared; 2 stands for all.
RANKED = ((1, 1), (0, 0)), ((1, 0), (0, 1)), ((1, 2), (0, 2)), ((2, 1), (2, 0))


def two_sided(estimate: float, error: float, df: float) -> float:
    """Return the p-value of Student's t; NaN without an error."""
    return float(2 * stdtr(df, -abs(estimate) / error)) if error > 0 else np.nan


def of_rates(
    test: Callable[..., Student],
    y_true: Integers,
    y_pred: Integers,
    sensitive_features: Integers,
    **options: Any,
) -> list[Student]:
    """Compare both rates, TPR and FPR, of two groups as means."""
    columns = {"values": y_pred.astype(float), "group": sensitive_features, **options}
    masks = y_true == 1, y_true == 0
    return [test(**{name: column[own] for name, column in columns.items()}) for own in masks]


def by_label(test: Callable[..., Student], *items: Integers, **named: Any) -> float:
    """Test both rates by a test of the means of two groups; items are as in `of_rates`."""
    pvalues = [two_sided(*student) for student in of_rates(test, *items, **named)]
    return float(min(1.0, 2 * np.nanmin(pvalues))) if np.isfinite(pvalues).any() else np.nan


def robust(
    values: Floats, group: Integers, sample_weight: Floats | None = None, *, hc: int = 1
) -> Student:
    """Compare (weighted) means by least squares with HC1, HC2 or HC3 errors.

    HC2 has Satterthwaite's degrees for values of one variance. References: MacKinnon and White
    (1985); Bell and McCaffrey (2002).
    """
    weight = np.ones(len(values)) if sample_weight is None else sample_weight
    n, estimate, variance, trace, squares = len(values), 0.0, 0.0, 0.0, 0.0
    for code, sign in ((1, 1), (0, -1)):
        own, w = values[group == code], weight[group == code]
        share = w / w.sum()
        mean = float(share @ own)
        estimate += sign * mean
        scale = share**2 / (1 - share) ** (hc - 1)
        variance += float(scale @ (own - mean) ** 2)
        # the residuals have the covariance 1 − s_i − s_j + Σ s², and 1 more on the diagonal
        least = share @ share - 2 * share
        trace += float(scale @ (1 + least))
        every, once, twice = scale.sum(), scale @ share, scale @ share**2
        all_pairs = 2 * (twice * every + once**2) + (share @ share) * every * (
            (share @ share) * every - 4 * once
        )
        squares += float(all_pairs + scale**2 @ (1 + 2 * least))
    if hc == 1:
        variance *= n / (n - 2)
    return estimate, float(np.sqrt(variance)), trace**2 / squares if hc == 2 else n - 2


def cluster_totals(
    values: Floats, group: Integers, clusters: Integers, *, second: bool
) -> tuple[float, Floats, float]:
    """Return the difference, influences of clusters, (G,), and Satterthwaite's df; second: CR2."""
    _, code = np.unique(clusters, return_inverse=True)
    number = int(code.max()) + 1
    estimate, totals, diagonal, shares = 0.0, np.zeros(number), np.zeros(number), []
    for own, sign in ((1, 1), (0, -1)):
        inside = group == own
        n = inside.sum()
        size = np.bincount(code[inside], minlength=number)
        mean = values[inside].mean()
        estimate += sign * float(mean)
        scale = n * (np.sqrt(np.maximum(1 - size / n, 1e-12)) if second else 1.0)
        totals += sign * np.bincount(code[inside], values[inside] - mean, number) / scale
        diagonal += size / scale**2
        shares.append(size / np.sqrt(n) / scale)
    # the covariance of the totals is diag(diagonal) − Σ u uᵀ over both groups
    u = np.stack(shares)
    trace = diagonal.sum() - (u**2).sum()
    squares = (diagonal**2).sum() - 2 * (diagonal * u**2).sum() + ((u @ u.T) ** 2).sum()
    return estimate, totals, float(trace**2 / squares)


def clustered_1(values: Floats, group: Integers, clusters: Integers) -> Student:
    """Compare means by CR1 errors and t of G − 1 degrees, as Stata and statsmodels do."""
    estimate, totals, _ = cluster_totals(values, group, clusters, second=False)
    g, n = len(totals), len(values)
    variance = (totals**2).sum() * g / (g - 1) * (n - 1) / (n - 2)
    return estimate, float(np.sqrt(variance)), g - 1


def clustered_2(values: Floats, group: Integers, clusters: Integers) -> Student:
    """Compare means by CR2 errors and Satterthwaite's degrees; Bell and McCaffrey (2002)."""
    estimate, totals, df = cluster_totals(values, group, clusters, second=True)
    return estimate, float(np.sqrt((totals**2).sum())), df


def linearised(values: Floats, group: Integers, clusters: Integers) -> Student:
    """Compare means as a survey does, with t of clusters less strata; Korn and Graubard (1999).

    Groups are strata unless a cluster holds both.
    """
    estimate, totals, _ = cluster_totals(values, group, clusters, second=False)
    code = np.unique(clusters, return_inverse=True)[1]
    inside = [np.bincount(code[group == own], minlength=len(totals)) > 0 for own in (0, 1)]
    strata = [np.ones(len(totals), bool)] if (inside[0] & inside[1]).any() else inside
    variance = sum(m.sum() / (m.sum() - 1) * (totals[m] ** 2).sum() for m in strata)
    return estimate, float(np.sqrt(variance)), len(totals) - len(strata)


def jackknifed(
    y_true: Integers, y_score: Floats, sensitive_features: Integers, clusters: Integers
) -> Floats:
    """Return the p-values of equal AUC, xAUC, xAUC_1 and xAUC_0 by Student's t, shape (4,).

    The variance is that of the jackknife over clusters, each in one group.
    """
    ids, code = np.unique(clusters, return_inverse=True)
    own = np.zeros(len(ids), dtype=np.int64)
    own[code] = sensitive_features
    member = np.column_stack([own == 0, own == 1, np.ones(len(ids))])  # and all
    order = np.argsort(y_score, kind="stable")
    ahead, behind = (order[y_true[order] == label] for label in (1, 0))
    beaten = np.zeros((len(behind) + 1, len(ids)))
    beaten[np.arange(1, len(beaten)), code[behind]] = 1
    beaten = beaten.cumsum(axis=0)
    sides = [np.searchsorted(y_score[behind], y_score[ahead], side) for side in ("left", "right")]
    right = np.zeros((len(ids), len(ids)))  # by the clusters of both items
    np.add.at(right, code[ahead], (beaten[sides[0]] + beaten[sides[1]]) / 2)
    numbers = [np.bincount(code[items], minlength=len(ids)) for items in (ahead, behind)]
    first, second = member[:, :, None], member[:, None, :]
    without = member.T @ right @ member - first * (right @ member)[:, None, :]
    without += first * second * np.diagonal(right)[:, None, None]
    without -= (right.T @ member)[:, :, None] * second
    left = [number @ member - member * number[:, None] for number in numbers]
    every = member.T @ right @ member / np.outer(*(number @ member for number in numbers))
    rates = np.concatenate([every[None], without / (left[0][:, :, None] * left[1][:, None, :])])
    estimate, *deleted = np.stack([rates[:, *a] - rates[:, *b] for a, b in RANKED], axis=-1)
    parts = [np.array(deleted)[own == side] for side in (0, 1)]
    error = np.sqrt(sum((len(part) - 1) * part.var(axis=0) for part in parts))
    return np.array([two_sided(*one, len(ids) - 2) for one in zip(estimate, error, strict=True)])


def jackknife_ranking(
    y_true: Integers, y_score: Floats, *, sensitive_features: Integers, clusters: Integers
) -> float:
    """Test all four differences by the jackknife over clusters, each in one group."""
    pvalues = jackknifed(y_true, y_score, sensitive_features, clusters)
    return float(min(1.0, len(pvalues) * np.nanmin(pvalues)))


def changed(
    y_true: Integers, y_pred_old: Integers, y_pred_new: Integers, *, sensitive_features: Integers
) -> float:
    """Test the changes of both rates by the robust t of the differences of decisions."""
    moved = np.asarray(y_pred_new) - np.asarray(y_pred_old)
    return by_label(robust, y_true, moved, sensitive_features)


def named_judges(
    left: Integers, right: Integers, y_score: Floats, sensitive_features: Integers, **_: Any
) -> float:
    """Compare judgments within both groups, as independent ones, by HC1 errors."""
    return two_sided(*robust(*_within(left, right, y_score, sensitive_features)[:2]))


def judges_at_random(
    left: Integers,
    right: Integers,
    y_score: Floats,
    sensitive_features: Integers,
    judges: Integers,
    **_: Any,
) -> float:
    """Compare judgments within both groups by CR2 errors of the judges."""
    hit, group, kept = _within(left, right, y_score, sensitive_features)
    return two_sided(*clustered_2(hit, group, judges[kept]))


def _within(
    left: Integers, right: Integers, y_score: Floats, group: Integers
) -> tuple[Floats, Integers, NDArray[np.bool_]]:
    kept = group[left] == group[right]
    return (y_score[left] > y_score[right])[kept].astype(float), group[left][kept], kept


def within_margin(margin: float, **items: Integers) -> bool:
    """Say by two one-sided t-tests at 0.05 whether both rates differ by less than a margin."""
    sides = [
        stdtr(df, (abs(estimate) - margin) / error) if error > 0 else 1.0
        for estimate, error, df in of_rates(clustered_2 if "clusters" in items else robust, **items)
    ]
    return bool(max(sides) < 0.05)
