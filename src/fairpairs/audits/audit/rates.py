"""Rates of each group's items and predictions, with intervals and counts."""

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from fairpairs.audits.audit.attribute_items import AttributeItems
from fairpairs.audits.audit.cell_rates import GROUP_RATES
from fairpairs.audits.audit.groups import Attribute
from fairpairs.audits.audit.messages import EMPTY
from fairpairs.audits.audit.roles import Roles, ValueName
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.estimates.estimates import SMALL, SMALL_CELL
from fairpairs.mathematics.fairness.ranking import RankingResult, rate_rows
from fairpairs.mathematics.inference.mover import rate_limits
from fairpairs.mathematics.inference.shuffled_means import MAX_SKEWNESS

ONE = "no interval: one item"
#: Of means whose skewness is above 0.1: Student's interval covers too little.
SKEWED_MEAN = "skewed values: the interval is rough"

#: Rate or mean → its description, in the order of the tables.
RATES = {
    "base rate": "items with a positive label, of all",
    "selection rate": "items predicted positive, of all",
    "TPR": "items predicted positive, of those with a positive label",
    "FPR": "items predicted positive, of those with a negative label",
    "FNR": "items predicted negative, of those with a positive label",
    "precision": "items with a positive label, of those predicted positive",
    "FDR": "items with a negative label, of those predicted positive",
    "FOR": "false omission rate: items with a positive label, of those predicted negative",
    "accuracy": "items predicted as labelled, of all",
    "mean label": "mean of the label",
    "mean prediction": "mean of the prediction",
    "mean score": "mean of the score",
    "mean error": "mean of prediction minus label",
    "mean absolute error": "mean distance of prediction and label",
    "AUC": "pairs ranked right, of the group's positive with its negative items",
}
#: Those that a narrow table leaves out.
WIDE_ONLY = ("FNR", "FDR", "FOR", "mean score")


def group_rates(items: AttributeItems) -> pd.DataFrame:
    """Return one row per group and rate (count of n, Wilson's interval), mean (Student's t) or AUC.

    AUC has DeLong's interval. Means have no `count`; without items the estimate is NaN, with a
    note.
    """
    attribute = items.attribute
    rows = _shares(items) if items.roles.label == "binary" else []
    rows += _means(items)
    if items.ranking is not None:
        rows += aucs(items.ranking, attribute)
    for row in rows:
        if row["n"] < SMALL_CELL and row["note"] in ("", SKEWED_MEAN):
            row["note"] = SMALL
    # all rates of a group together
    order = {name: i for i, name in enumerate(attribute.names)}
    rows.sort(key=lambda row: order[row["group"]])
    return pd.DataFrame([{"attribute": attribute.name, **row} for row in rows])


def _shares(items: AttributeItems) -> list[Record]:
    labels = items.labels
    size = labels.sum(axis=1)
    cells = {"base rate": (labels[:, 1], size)}
    if items.roles.prediction == "binary":
        cells = {name: rate.counts(items.counts) for name, rate in GROUP_RATES.items()}
    rows: list[Record] = []
    for measure, (count, among) in cells.items():
        some = np.maximum(among, 1)
        low, high = rate_limits(count / some, some.astype(float), alpha=items.alpha)
        for g, name in enumerate(items.attribute.names):
            known = among[g] > 0
            rows.append(
                {
                    "group": name,
                    "items": int(size[g]),
                    "measure": measure,
                    "estimate": count[g] / among[g] if known else np.nan,
                    "ci_low": low[g] if known else np.nan,
                    "ci_high": high[g] if known else np.nan,
                    "count": float(count[g]),
                    "n": int(among[g]),
                    "note": "" if known else EMPTY,
                }
            )
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
                margin = float(stdtrit(n - 1, 1 - items.alpha / 2) * spread)
            rows.append(
                {
                    "group": group,
                    "items": n,
                    "measure": measure,
                    "estimate": mean,
                    "ci_low": mean - margin,
                    "ci_high": mean + margin,
                    "count": np.nan,
                    "n": n,
                    "note": note,
                }
            )
    return rows


def aucs(ranking: RankingResult, attribute: Attribute) -> list[Record]:
    """Return the AUC of each group; in the ranking the reference comes last."""
    rates = rate_rows(ranking)
    within = [row for row in rates if row["measure"] == "AUC" and row["positive"] != "all"]
    rows: list[Record] = []
    codes = attribute.in_order
    for code, row in zip(codes, within, strict=True):
        known = np.isfinite(row["estimate"])
        few = min(row["positives"], row["negatives"]) < SMALL_CELL
        small = SMALL if few else ""
        rows.append(
            {
                "group": attribute.names[code],
                "items": int(attribute.sizes[code]),
                "measure": "AUC",
                "estimate": row["estimate"],
                "ci_low": row["ci_low"],
                "ci_high": row["ci_high"],
                "count": np.nan,
                "n": int(row["positives"] + row["negatives"]),
                "note": small if known else EMPTY,
            }
        )
    return rows
