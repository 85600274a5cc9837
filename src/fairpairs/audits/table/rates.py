"""Rates and impact ratios of the groups of each attribute, and of their combinations."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.audits.table.form import Form
from fairpairs.audits.table.read import People
from fairpairs.base.errors import InputError
from fairpairs.base.words import words
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.arguments.read import MAX_ROWS
from fairpairs.mathematics.inference.mover import ratios_to_highest
from fairpairs.mathematics.inference.sampling.gaps import group_rates

#: What stands between the groups of a combination.
BETWEEN = ", "


@dataclass(frozen=True)
class Part:
    """The table of one attribute, or of the combinations of all."""

    attributes: Sequence[str]
    #: One row per group: group, items, selected, rate, ratio, ratio_low, ratio_high, small.
    rows: pd.DataFrame
    #: People who are left out, as a value of theirs is unknown.
    unknown: int


def parts_of(people: People, form: Form, *, alpha: float, leave_out_small: bool) -> list[Part]:
    """Return the table of each attribute, then that of the combinations if the form has it."""
    several: list[tuple[str, ...]] = [(name,) for name in people.groups]
    if form.intersections and len(several) > 1:
        several.append(tuple(people.groups))
    anywhere = np.logical_or.reduce(list(people.unknown.values()))
    return [
        _part(
            people,
            names,
            anywhere
            if form.unknown == "all"
            else np.logical_or.reduce([people.unknown[name] for name in names]),
            small=form.small,
            alpha=alpha,
            leave_out_small=leave_out_small,
        )
        for names in several
    ]


def _part(
    people: People,
    names: Sequence[str],
    unknown: NDArray[np.bool_],
    *,
    small: float,
    alpha: float,
    leave_out_small: bool,
) -> Part:
    texts = {
        name: column.of_items(np.array(words(column.kinds, f"`{name}`"), dtype=object))
        for name, column in ((name, people.groups[name]) for name in names)
    }
    known = ~unknown & (people.count > 0)
    grouped = pd.DataFrame(
        {**texts, "items": people.count, "selected": people.count * people.selected}
    )[known].groupby(list(names), sort=True)
    rows = grouped[["items", "selected"]].sum().reset_index()
    if len(rows) < 2:
        raise InputError(
            f"`{BETWEEN.join(names)}`: fewer than two known groups have people: a ratio compares "
            "two, so name another column."
        )
    items = rows["items"].to_numpy(dtype=float)
    rate = rows["selected"].to_numpy() / items
    is_small = items / items.sum() < small
    kept = ~(is_small & leave_out_small)
    ratio, low, high = (np.full(len(rows), np.nan) for _ in range(3))
    trials, correlation, df = items, np.zeros((len(rows), len(rows))), np.full(len(rows), np.inf)
    if people.cluster is not None:
        if items.sum() > MAX_ROWS:
            raise InputError(
                f"`{BETWEEN.join(names)}`: the counts are of {items.sum():,.0f} people, and in "
                f"clusters they may be of {MAX_ROWS:,}: correct them, or leave out --cluster."
            )
        each = np.repeat(np.arange(int(known.sum())), people.count[known])
        _, trials, correlation, df = group_rates(
            people.selected[known][each].astype(float),
            np.asarray(grouped.ngroup(), dtype=np.int64)[each],
            len(rows),
            SamplingDesign(len(each), people.cluster[known][each]),
        )
    ratio[kept], low[kept], high[kept] = ratios_to_highest(
        rate[kept],
        trials[kept],
        alpha=alpha,
        correlation=correlation[np.ix_(kept, kept)],
        df=df[kept],
    )
    return Part(
        names,
        pd.DataFrame(
            {
                "group": rows[list(names)].agg(BETWEEN.join, axis=1),
                "items": rows["items"], "selected": rows["selected"], "rate": rate,
                "ratio": ratio, "ratio_low": low, "ratio_high": high, "small": is_small,
            }
        ),
        int(people.count[unknown].sum()),
    )  # fmt: skip
