"""Cheap labels of a batch, and how its rows to get a human label were drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fairpairs.audits.audit.few_labels import RowKinds, chances, check_draw
from fairpairs.audits.audit.read import file_wording
from fairpairs.audits.monitor.feeding import Items
from fairpairs.audits.monitor.plan import Plan
from fairpairs.base.errors import InputError
from fairpairs.base.reading.table import Table


def with_cheap_labels(plan: Plan, table: Table, items: Items) -> Items:
    """Return all items of a batch with their cheap labels, and 1 / chance of a human label.

    Raises InputError where no item has a human label, and where chances cannot have drawn them.
    """
    columns = plan.columns
    label = columns["label"]
    assert plan.label is not None and items.label is not None
    known = ~np.isnan(items.label)
    if not known.any() and not columns.get("chance"):
        raise InputError(
            f"{table.called}: column `{label}` has no value: append a batch when the human labels "
            "of rows drawn at random have come, or name --chance in a new state."
        )
    role = f"{table.called}: column `{{}}`".format
    cheap = plan.label.of(
        table.coded(columns["cheap_label"], number=True), role(columns["cheap_label"])
    )
    chance_column, within = columns.get("chance"), columns.get("drawn_within")
    wording = replace(
        file_wording(table.called, label, columns["prediction"] or ""),
        chance=role(chance_column),
        drawn_within=role(within),
    )
    chance = chances(
        table.coded(chance_column, number=True) if chance_column else None,
        table.coded(within) if within else None,
        known,
        wording,
    )
    items = replace(items, cheap=cheap, weight=1 / chance)
    check_draw(list(_kinds(plan, items)), known, chance, wording)
    return items


def _kinds(plan: Plan, items: Items) -> Iterator[RowKinds]:
    """Yield the decisions, cheap labels and groups of all items, by attribute."""
    assert items.cheap is not None
    binary = 2 * items.prediction.astype(np.int64) + items.cheap.astype(np.int64)
    for name, groups in plan.groups.items():
        axes = [("decision", ["0", "1"]), ("cheap label", ["0", "1"]), (name, list(groups.names))]
        yield RowKinds(axes, len(groups.names) * binary + items.groups[name])
