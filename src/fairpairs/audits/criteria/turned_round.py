"""Checks of decisions and scores: turned round against the label, or probabilities."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairpairs.audits.criteria.rows import ACCURACY, FPR, TPR
from fairpairs.audits.items.attribute_items import AttributeItems
from fairpairs.audits.items.messages import Wording, short
from fairpairs.audits.lines.words import percents
from fairpairs.base.arrays import Floats
from fairpairs.mathematics.inference.rates import rate_limits

#: A correlation of numbers below it, and rows of a group that count.
LOW, ENOUGH = -0.3, 20


def turned_round(items: Sequence[AttributeItems], wording: Wording) -> list[str]:
    """Return what to check of the items, by the groups of each attribute."""
    roles, label = items[0].roles, short(wording.label)
    if roles.label == "real" and roles.prediction == "real":
        return numbers_turned(items, short(wording.prediction), label)
    if roles.label != "binary":
        return []
    texts: list[str] = []
    if roles.prediction == "binary":
        cells = {one.attribute.name: one.counts for one in items}
        texts += decisions_turned(cells, short(wording.prediction), label, items[0].settings.alpha)
    elif roles.y_score is None and 0 <= roles.score_range[0] < roles.score_range[1] <= 1:
        texts.append(
            f"{short(wording.prediction)} holds probabilities: they are ranked as a score, and no "
            f"decisions are compared; for decisions, give {wording.option('threshold', 0.5)} and "
            f"name them by {wording.option('score')}."
        )
    if roles.score is None:
        return texts
    ranked = {}
    for one in items:
        estimates, ends = ([row[name] for row in one.aucs] for name in ("estimate", "ci_high"))
        ranked[one.attribute.name] = estimates, ends
    score = wording.prediction if roles.y_score is None else wording.score
    return texts + scores_turned(ranked, short(score), label, roles.positive)


def decisions_turned(
    cells: Mapping[str, NDArray[np.int64]], prediction: str, label: str, alpha: float
) -> list[str]:
    """Return what to check of items by group, label and decision, (K, 2, 2) for each attribute."""
    for name, counts in cells.items():
        (right, all_items), (k, n), (other, m) = (
            rate.counts(counts) for rate in (ACCURACY, TPR, FPR)
        )
        known = all_items > 0
        accuracy = right[known] / all_items[known]
        if not (accuracy < 0.5).all() or k.sum() * m.sum() >= other.sum() * n.sum():
            continue
        high = rate_limits(accuracy, all_items[known].astype(float), alpha=alpha)[1]
        if (high < 0.5).any():
            wrong = percents(1 - right.sum() / all_items.sum())[0]
            return [
                f"In {wrong} of rows, and in most rows of each group of `{name}`, {prediction} "
                f"differs from {label}: if a value means the opposite in the two, recode one."
            ]
    return []


def scores_turned(
    ranked: Mapping[str, tuple[ArrayLike, ArrayLike]], score: str, label: str, positive: str
) -> list[str]:
    """Return what to check of AUCs, with the upper ends of their intervals, by attribute."""
    for name, both in ranked.items():
        estimate, high = (np.asarray(one, dtype=float) for one in both)
        known = ~np.isnan(estimate)
        below = (estimate[known] < 0.5).all() and (high[known] < 0.5).any()
        if known.any() and below:
            return [
                f"In each group of `{name}`, {score} is mostly lower where {label} is {positive} "
                "(AUC below 0.5): if it is turned round, give its negative, or 1 minus it."
            ]
    return []


def numbers_turned(items: Sequence[AttributeItems], prediction: str, label: str) -> list[str]:
    """Return what to check of predicted numbers that fall as the label rises."""
    items = [one.single for one in items]
    y_true, y_pred = items[0].roles.y_true, items[0].roles.y_pred
    if not _correlation(y_true, y_pred) < LOW:
        return []
    for one in items:
        rows = [one.attribute.group == code for code in range(len(one.attribute.names))]
        rows = [of_group for of_group in rows if of_group.sum() >= ENOUGH]
        if rows and all(_correlation(y_true[group], y_pred[group]) < 0 for group in rows):
            return [
                f"In each group of `{one.attribute.name}`, {prediction} is mostly lower where "
                f"{label} is higher (correlation {_correlation(y_true, y_pred):.2f} over all "
                "rows): if it is turned round, give its negative."
            ]
    return []


def _correlation(x: Floats, y: Floats) -> float:
    """Return the correlation, 0 where one does not vary."""
    return float(np.corrcoef(x, y)[0, 1]) if np.ptp(x) > 0 and np.ptp(y) > 0 else 0.0
