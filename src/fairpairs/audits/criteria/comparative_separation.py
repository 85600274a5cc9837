"""Comparative separation of the prediction, on all pairs of items."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairpairs.audits.criteria.comparison import Comparison
from fairpairs.audits.criteria.criterion import Criterion
from fairpairs.audits.criteria.rows import Measure, Row
from fairpairs.audits.items.messages import drawn_at_random
from fairpairs.base.errors import InputError
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.arguments.read import ONE_LABEL
from fairpairs.mathematics.estimates.estimates import SMALL, SMALL_CELL, Estimates
from fairpairs.mathematics.estimates.pairs.binary import (
    all_pairs_binary,
    all_pairs_from_counts,
    score_order,
)
from fairpairs.mathematics.fairness.comparative import comparative_separation_test
from fairpairs.mathematics.fairness.comparative_result import build_result
from fairpairs.mathematics.inference.sampling.comparative import balanced_gaps
from fairpairs.mathematics.inference.sampling.gaps import Gap

NO_INTERVAL = f"{SMALL}: no interval"

MEASURES = (
    Measure(
        "comparative, across",
        "TPR({a},{b}) = TPR({b},{a})",
        plain="Pairs across groups",
        words="{prediction} is right {gap} often when {label} is higher for {group} than when it "
        "is higher for {reference}",
        brief="for the same {label}, {prediction} tends to be {way} for {group} than for "
        "{reference} ({size} of pairs)",
        favours=1,
    ),
    Measure(
        "comparative, within",
        "TPR({a},{a}) = TPR({b},{b})",
        plain="Pairs within a group",
        words="{prediction} is right {gap} often for {group} than for {reference}",
    ),
)
#: Of labels that are numbers, or classes in an order: pairs are weighted so that both groups have
#: the same labels (docs/explanation/comparative-separation.md).
BALANCED = tuple(
    replace(
        measure,
        name=measure.name.replace("comparative", "balanced"),
        hypothesis=f"{measure.hypothesis}, with labels balanced",
        plain=f"{measure.plain}, labels balanced",
    )
    for measure in MEASURES
)
#: Largest number of items of two groups with real labels; of more, this many are drawn at random,
#: which leaves a standard error of about 0.002.
MAX_REAL = 250_000


def comparative_separation(comparison: Comparison) -> list[Row]:
    """Return the rows of the rates of pairs in the right order, across groups and within."""
    roles, alpha, many = comparison.roles, comparison.alpha, False
    if roles.label == "real":
        alone = comparison.single
        drawn: Any = slice(None)
        if many := len(alone.member) > MAX_REAL:
            drawn = np.sort(alone.generator.permutation(len(alone.member))[:MAX_REAL])
        result = comparative_separation_test(
            alone.roles.y_true[drawn],
            alone.roles.y_pred[drawn],
            sensitive_features=alone.member[drawn],
            alpha=alpha,
            correction="none",
        )
    else:
        if roles.prediction == "binary":
            rates = all_pairs_from_counts(comparison.counts.astype(float))
        else:
            ranks = roles.y_true == 1, score_order(roles.y_pred), comparison.member, 2
            rates = all_pairs_binary(*ranks, "wrong", count=comparison.count)
        if not rates.class_sizes.reshape(2, 2).sum(axis=0).all():
            raise InputError(ONE_LABEL)
        result = build_result(
            rates, (0, 1), "ustatistic", balanced=False, alpha=alpha, correction="none"
        )
    shown = without_rough_intervals(result.difference)
    rows = [
        comparison.row_of_test(measure, shown.take(i), "h", result.contrasts[i])
        for i, measure in enumerate(BALANCED if roles.label == "real" else MEASURES)
    ]
    if many:
        every = int(comparison.sizes.sum())
        return [replace(row, note=drawn_at_random(row.note, MAX_REAL, every)) for row in rows]
    return [comparison.drawn(row) for row in rows] if roles.label == "real" else rows


def _gaps(comparison: Comparison) -> list[Gap]:
    """Return both differences, with the influence of each item."""
    items = comparison.all_items
    a, b, design = comparison.code, comparison.other, items.design
    if items.roles.label == "binary":
        pairs = ((a, b), (b, a)), ((a, a), (b, b))
        return [items.predicted.gap(first, second, ties="wrong") for first, second in pairs]
    drawn, note = comparison.places, ""
    n = int((drawn >= 0).sum())
    if n > MAX_REAL:
        drawn = drawn_places(drawn, design, comparison.generator)
        note = drawn_at_random("", int((drawn >= 0).sum()), n)
    roles = items.roles
    labels = roles.y_true[(drawn >= 0) & (design.weights > 0)]
    if not len(labels) or labels.min() == labels.max():
        raise InputError(ONE_LABEL)
    gaps = balanced_gaps(roles.y_true, roles.y_pred, drawn, design)
    return [replace(gap, note=note) for gap in gaps]


def drawn_places(
    members: NDArray[np.int64], design: SamplingDesign, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Draw up to `MAX_REAL` of the items that are not −1, in whole clusters; others become −1."""
    inside = np.flatnonzero(members >= 0)
    cluster = inside if design.cluster is None else design.cluster[inside]
    _, unit, sizes = np.unique(cluster, return_inverse=True, return_counts=True)
    order = generator.permutation(len(sizes))
    n_drawn = max(int(np.searchsorted(np.cumsum(sizes[order]), MAX_REAL, "right")), 2)
    drawn = np.isin(unit, order[:n_drawn])
    result = np.full_like(members, -1)
    result[inside[drawn]] = members[inside[drawn]]
    return result


def without_rough_intervals(difference: Estimates) -> Estimates:
    """Remove the intervals of pairs of small classes, which cover too little.

    With 6 items they cover 0.4 to 0.8; the p-values hold.
    """
    small = (difference.smallest_cell < SMALL_CELL) & np.isfinite(difference.ci_low)
    without_reason = small & (difference.reason == "")
    return replace(
        difference,
        ci_low=np.where(small, np.nan, difference.ci_low),
        ci_high=np.where(small, np.nan, difference.ci_high),
        reason=np.where(without_reason, NO_INTERVAL, difference.reason),
    )


COMPARATIVE_SEPARATION = Criterion(
    "comparative_separation",
    "Comparative separation",
    "Of two rows with different labels, is the right one predicted higher as often, whichever "
    "group each is of? The same as separation for binary labels, from comparisons.",
    MEASURES,
    comparative_separation,
    _gaps,
    of_real_labels=BALANCED,
)
