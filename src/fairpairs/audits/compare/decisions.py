"""The items that the new model decides differently, by attribute, group and label."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.audits.audit.groups import Attribute
from fairpairs.audits.audit.roles import Roles
from fairpairs.audits.compare.fields import DECISIONS
from fairpairs.audits.compare.lines import Models
from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.inference.contrast import student_quantile
from fairpairs.mathematics.inference.mover import wilson_limits
from fairpairs.mathematics.inference.sampling.linear import mean, spread
from fairpairs.mathematics.inference.sampling.trials import effective_trials

#: A change of decisions, in the names of columns → the old and the new decision.
MOVES = {"to_positive": (0, 1), "to_negative": (1, 0)}
LABELS = ("negative", "positive")


def changed_decisions(models: Models, alpha: float) -> pd.DataFrame:
    """Return one row per group and label: its items, and those decided differently each way.

    A share has Wilson's interval, of as many trials as give it its variance where items have
    clusters or weights. No rows where predictions are numbers.
    """
    rows: list[Record] = []
    old, new, attribute = models.old.roles, models.new.roles, models.old.attribute
    if old.prediction == "binary":
        labels = old.y_true.astype(np.int64)
        for g, name in enumerate(attribute.names):
            for label in (1, 0):
                inside = (attribute.group == g) & (labels == label)
                row: Record = {
                    "attribute": attribute.name,
                    "group": name,
                    "label": LABELS[label],
                }
                row["items"] = int(inside.sum())
                for move, (before, after) in MOVES.items():
                    moved = ((old.y_pred == before) & (new.y_pred == after)).astype(float)
                    row[move] = int(moved[inside].sum())
                    ends = _share(moved, inside, models.old.design, alpha)
                    parts = ("share", "low", "high")
                    row |= {f"{move}_{p}": end for p, end in zip(parts, ends, strict=True)}
                rows.append(row)
    return pd.DataFrame(rows, columns=list(DECISIONS))


def _share(
    moved: Floats, inside: NDArray[np.bool_], design: SamplingDesign | None, alpha: float
) -> tuple[float, float, float]:
    if not inside.any():
        return np.nan, np.nan, np.nan
    quantile = student_quantile(alpha / 2, np.inf)
    share, trials = np.array([moved[inside].mean()]), np.array([float(inside.sum())])
    if design is not None:
        estimate = mean(moved, inside, np.zeros(len(moved), dtype=np.int64), design)
        share = np.array([estimate.estimate])
        if np.isnan(share[0]):
            return np.nan, np.nan, np.nan
        variance = spread([estimate], design)
        trials, _ = effective_trials(share, variance)
        quantile = student_quantile(alpha / 2, variance.df(variance.expected[0]))
    low, high = (float(end[0]) for end in wilson_limits(share, trials, quantile))
    rate = float(share[0])
    return rate, max(min(low, rate), 0.0), min(max(high, rate), 1.0)


def changed_items(
    roles: tuple[Roles, Roles],
    attributes: list[Attribute],
    items: Array,
    positions: Integers,
) -> pd.DataFrame:
    """Return one row per item that the models decide differently: item, label, old, new, groups.

    `items` are the names of the items; `positions`, their indices, repeat one that stands for
    several. Intersections are left out.
    """
    old, new = roles
    columns = ["item", "label", "old", "new"]
    if old.prediction == "binary":
        # of an item that stands for several, the first
        first = np.unique(positions, return_index=True)[1]
        indices = first[(old.y_pred != new.y_pred)[first]]
    else:
        indices = np.zeros(0, dtype=np.int64)
    words = np.array(LABELS)
    values = [words[column[indices].astype(int)] for column in (old.y_true, old.y_pred, new.y_pred)]
    table = pd.DataFrame(dict(zip(columns, [items[positions[indices]], *values], strict=True)))
    for attribute in attributes:
        name = f"attribute {attribute.name}" if attribute.name in columns else attribute.name
        table[name] = np.array(attribute.names, dtype=object)[attribute.group[indices]]
    return table
