"""Rates of each group with intervals, and the gaps in them over the thresholds of a score."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from fairpairs.audits.criteria.rows import GROUP_RATES
from fairpairs.audits.items.attribute_items import AttributeItems
from fairpairs.audits.items.messages import EMPTY
from fairpairs.audits.items.roles import Roles, ValueName
from fairpairs.audits.lines.tables import REPEATED
from fairpairs.base.arrays import Floats
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.estimates.estimates import SMALL, SMALL_CELL
from fairpairs.mathematics.inference.rates import rate_limits, threshold_gaps
from fairpairs.mathematics.inference.sampling.gaps import alone
from fairpairs.mathematics.inference.sampling.linear import Linear, mean
from fairpairs.mathematics.inference.shuffled_means import MAX_SKEWNESS

ONE = "no interval: one row"
#: Of means whose skewness is above 0.1: Student's interval covers too little.
SKEWED_MEAN = "skewed values: the interval is rough"

#: Those of predictions alone.
OF_PREDICTIONS = ("selection rate", "mean prediction")
#: Those that a narrow table leaves out, unless they decide.
WIDE_ONLY = (*REPEATED, "FOR", "mean score", "mean squared error")
ONE_CLUSTER = "no interval: one cluster"
#: Columns of a rate of a group.
COLUMNS = ("group", "items", "measure", "estimate", "ci_low", "ci_high", "count", "n", "note")
#: Columns of a gap at a threshold.
OF_THRESHOLDS = (
    "attribute", "group", "reference", "measure", "threshold", "estimate", "ci_low", "ci_high",
)  # fmt: skip
#: Scores of each group and label that are taken as thresholds.
MOST_THRESHOLDS = 30


def group_rates(items: AttributeItems) -> list[Record]:
    """Return one row per group and rate (count of n, Wilson's interval), mean (Student's t) or AUC.

    AUC has DeLong's interval. Means have no `count`; without items the estimate is NaN, with a
    note. Items with clusters or weights have estimates and intervals by their design; `count` and
    `n` stay numbers of rows.
    """
    attribute = items.attribute
    rows = _shares(items) if items.roles.label == "binary" else []
    rows += _means(items)
    if items.roles.score is not None:
        rows += _aucs(items)
    if not items.roles.with_label:
        rows = [row for row in rows if row["measure"] in OF_PREDICTIONS]
    for row in rows:
        if row["n"] < SMALL_CELL and row["note"] in ("", SKEWED_MEAN):
            row["note"] = SMALL
    # all rates of a group together
    order = {name: i for i, name in enumerate(attribute.names)}
    rows.sort(key=lambda row: order[row["group"]])
    if not items.design.independent:
        sampled = _sampling(items)
        rows = [row | sampled[row["group"], row["measure"]] for row in rows]
    return [{"attribute": attribute.name, **row} for row in rows]


def _shares(items: AttributeItems) -> list[Record]:
    labels = items.labels
    size = labels.sum(axis=1)
    cells = {"base rate": (labels[:, 1], size)}
    if items.roles.prediction == "binary":
        cells = {name: rate.counts(items.counts) for name, rate in GROUP_RATES.items()}
    rows: list[Record] = []
    for measure, (count, among) in cells.items():
        some = np.maximum(among, 1)
        low, high = rate_limits(count / some, some.astype(float), alpha=items.settings.alpha)
        for g, name in enumerate(items.attribute.names):
            known = among[g] > 0
            interval = (count[g] / among[g], low[g], high[g]) if known else (np.nan,) * 3
            note = "" if known else EMPTY
            numbers = float(count[g]), int(among[g])
            row = (name, int(size[g]), measure, *interval, *numbers, note)
            rows.append(dict(zip(COLUMNS, row, strict=True)))
    return rows


def averaged(roles: Roles) -> dict[str, ValueName]:
    """Return the values whose means are shown, by the names of these."""
    columns: dict[str, ValueName] = {}
    if roles.prediction == "real":
        columns["mean prediction"] = "prediction"
    if roles.label == "real":
        return {
            "mean label": "label",
            **columns,
            "mean error": "error",
            "mean absolute error": "absolute error",
            "mean squared error": "squared error",
        }
    if roles.y_score is not None and roles.probability is not None:
        columns["mean score"] = "score"
    return columns


def _means(items: AttributeItems) -> list[Record]:
    rows: list[Record] = []
    for measure, name in averaged(items.roles).items():
        moments = items.moments(name)
        for g, group in enumerate(items.attribute.names):
            n, mean = int(moments.n[g]), float(moments.mean[g])
            margin, note = np.nan, ONE
            if n > 1:
                # the mean of n values has their skewness over √n
                skewed = abs(moments.skewness[g]) / np.sqrt(n)
                note = SKEWED_MEAN if skewed > MAX_SKEWNESS else ""
                spread = np.sqrt(moments.variance[g] / n)
                margin = float(stdtrit(n - 1, 1 - items.settings.alpha / 2) * spread)
            row = (group, n, measure, mean, mean - margin, mean + margin, np.nan, n, note)
            rows.append(dict(zip(COLUMNS, row, strict=True)))
    return rows


def _aucs(items: AttributeItems) -> list[Record]:
    attribute = items.attribute
    rows: list[Record] = []
    for code, row in zip(attribute.in_order, items.aucs, strict=True):
        small = SMALL if min(row["positives"], row["negatives"]) < SMALL_CELL else ""
        note = small if np.isfinite(row["estimate"]) else EMPTY
        interval = [row[name] for name in ("estimate", "ci_low", "ci_high")]
        group, size = attribute.names[code], int(attribute.sizes[code])
        n = row["positives"] + row["negatives"]
        values = (group, size, "AUC", *interval, np.nan, n, note)
        rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows


def _sampling(items: AttributeItems) -> dict[tuple[str, str], Record]:
    """Return estimates and intervals by the design of the items, by group and measure."""
    rows: dict[tuple[str, str], Record] = {}
    for code, group in enumerate(items.attribute.names):
        for measure, estimate, is_rate in _sampled(items, code):
            row: Record = {"estimate": estimate.estimate, "ci_low": np.nan, "ci_high": np.nan}
            if np.isnan(estimate.estimate):
                row["note"] = EMPTY
            elif (contrast := alone(estimate, items.design, rate=is_rate)) is None:
                row["note"] = ONE_CLUSTER
            else:
                row["ci_low"], row["ci_high"] = contrast.limits(items.settings.alpha)
            rows[group, measure] = row
    return rows


def _sampled(items: AttributeItems, code: int) -> Iterator[tuple[str, Linear, bool]]:
    """Yield each rate and mean of a group, by name, and whether it is a rate."""
    roles, design = items.roles, items.design
    inside = items.attribute.group == code
    classes = np.where(inside, np.int8(0), np.int8(-1))
    if roles.label == "binary" and roles.prediction == "real":
        yield "base rate", mean(roles.y_true, inside, classes, design), True
    elif roles.label == "binary":
        for measure, rate in GROUP_RATES.items():
            counted, among = rate.of_items(roles.cell)
            yield measure, mean(counted.astype(float), inside & among, classes, design), True
    for measure, name in averaged(roles).items():
        yield measure, mean(roles.values(name), inside, classes, design), False
    if roles.score is not None:
        yield "AUC", items.ranked.rate(code, code), True


def swept(items: AttributeItems) -> pd.DataFrame:
    """Return the gaps of each group and the reference in TPR and FPR at scores that both have.

    The bands cover both rates at all thresholds at once. No rows without a score, for items with
    clusters or weights, and for groups without items of a label.
    """
    roles, attribute = items.roles, items.attribute
    names: list[tuple[str, ...]] = []
    gaps: list[Floats] = []
    if roles.score is not None and items.design.independent:
        alpha = 1 - math.sqrt(1 - items.settings.alpha)  # the rates are of different items
        reference = _sorted_scores(items, attribute.reference)
        for code in attribute.others:
            group = _sorted_scores(items, code)
            if not all(map(len, (*group, *reference))):
                continue
            some = []  # of many scores those at equal steps
            for scores in (*group, *reference):
                steps = np.linspace(0, len(scores) - 1, min(len(scores), MOST_THRESHOLDS))
                some.append(scores[steps.round().astype(np.int64)])
            thresholds = np.unique(np.concatenate(some))
            for label, measure in ((1, "TPR"), (0, "FPR")):
                band = threshold_gaps(group[label], reference[label], thresholds, alpha)
                gaps.append(np.stack([thresholds, *band]))
                groups = attribute.names[code], attribute.names[attribute.reference]
                names += [(attribute.name, *groups, measure)] * len(thresholds)
    if not names:
        return pd.DataFrame(columns=list(OF_THRESHOLDS))
    columns = (*zip(*names, strict=True), *np.concatenate(gaps, axis=1))
    return pd.DataFrame(dict(zip(OF_THRESHOLDS, columns, strict=True)))


def _sorted_scores(items: AttributeItems, code: int) -> tuple[Floats, Floats]:
    """Return the scores of a group, of items with the label 0 and 1."""
    items = items.single
    score, inside = items.roles.score, items.attribute.group == code
    assert score is not None
    both = [np.sort(score[inside & (items.roles.y_true == label)]) for label in (0, 1)]
    return both[0], both[1]
