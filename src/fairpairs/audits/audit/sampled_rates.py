"""The rates of each group for items with clusters or weights: estimates and robust intervals."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from fairpairs.audits.audit.attribute_items import AttributeItems
from fairpairs.audits.audit.cell_rates import GROUP_RATES
from fairpairs.audits.audit.messages import EMPTY
from fairpairs.audits.audit.rates import averaged
from fairpairs.audits.audit.roles import Roles
from fairpairs.base.arrays import Floats
from fairpairs.mathematics.inference.sampling.gaps import alone
from fairpairs.mathematics.inference.sampling.linear import Linear, mean

ONE_CLUSTER = "no interval: one cluster"


def with_sampling(rates: pd.DataFrame, items: AttributeItems) -> pd.DataFrame:
    """Return the rates of `group_rates` with estimates and intervals by the design of the items.

    `count` and `n` stay numbers of rows.
    """
    design, alpha = items.items_design, items.alpha
    rows = {}
    for code, group in enumerate(items.attribute.names):
        for measure, estimate, is_rate in _estimates(items, code):
            low, high, note = np.nan, np.nan, ""
            if np.isnan(estimate.estimate):
                note = EMPTY
            else:
                contrast = alone(estimate, design, rate=is_rate)
                if contrast is None:
                    note = ONE_CLUSTER
                else:
                    low, high = contrast.limits(alpha)
            rows[group, measure] = (estimate.estimate, low, high, note)
    keys = list(zip(rates["group"], rates["measure"], strict=True))
    columns = zip(*(rows[key] for key in keys), strict=True)
    estimates, lows, highs, notes = (list(column) for column in columns)
    kept = [new or old for new, old in zip(notes, rates["note"], strict=True)]
    return rates.assign(estimate=estimates, ci_low=lows, ci_high=highs, note=kept)


def _estimates(items: AttributeItems, code: int) -> Iterator[tuple[str, Linear, bool]]:
    """Yield each rate and mean of a group, by name, and whether it is a rate."""
    roles, design = items.roles, items.items_design
    inside = items.attribute.group == code
    classes = np.where(inside, np.int8(0), np.int8(-1))
    if roles.label == "binary":
        for measure, (values, among) in _cell_values(roles).items():
            yield measure, mean(values, inside & among, classes, design), True
    for measure, name in averaged(roles).items():
        yield measure, mean(roles.values(name), inside, classes, design), False
    if roles.score is not None:
        yield "AUC", items.ranked.rate(code, code), True


def _cell_values(roles: Roles) -> dict[str, tuple[Floats, Floats]]:
    """Return for each rate its values and the items among which it counts, over all items."""
    if roles.prediction == "real":
        return {"base rate": (roles.y_true, np.ones(len(roles.y_true), dtype=bool))}
    return {
        measure: (
            np.array(rate.counted, dtype=float).ravel()[roles.cell],
            np.array(rate.of, dtype=bool).ravel()[roles.cell],
        )
        for measure, rate in GROUP_RATES.items()
    }
