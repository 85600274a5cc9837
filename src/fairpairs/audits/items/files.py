"""The columns of files and tables of any size, by their roles: in memory, or counted.

Up to a million items are held in memory. What is tested depends only on how often each combination
of groups, label, prediction and score occurs, so more of them are counted by DuckDB. Of very many
scores, each is taken for the mean of its bin. Of combinations of two numbers (labels that are
numbers, or a score beside predicted numbers) some items are drawn at random.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from fairpairs.audits.counting.cells import CHUNK, Cells, Ordered, joined
from fairpairs.audits.counting.rows import Rows
from fairpairs.audits.items.attribute_items import MOST_ITEMS, drawn_positions
from fairpairs.audits.items.columns import (
    OPTIONAL_ROLES,
    check_decided,
    columns_by_role,
    columns_of_counts,
    columns_of_table,
    source_of,
    split,
)
from fairpairs.audits.items.messages import Wording, file_wording, or_missing_group
from fairpairs.audits.items.repeated_ids import (
    FREQUENCY,
    copied_rows,
    looks_like_an_id,
    repeated_ids,
)
from fairpairs.audits.items.roles import Values
from fairpairs.audits.items.settings import AuditColumns, ColumnNames, Settings
from fairpairs.audits.options import CHOSEN_COLUMNS
from fairpairs.base.arrays import Integers
from fairpairs.base.columns import Column
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content, Record

#: The columns, settings, names in messages, source (for `about`), and what to check in the input.
Read = tuple[AuditColumns, Settings, Wording, Content, Sequence[str]]
#: Rows that are held: of one number each, and of two.
MOST_ROWS, MOST_PAIRS = 1_000_000, 5_000_000
#: Bins of a number, where more rows differ in it; more of them with few groups.
FEWEST_BINS = 1_000


def read_files(paths: Sequence[Path], options: Record) -> Read:
    """Read CSV, JSON lines or Parquet files, or counts files, which know their columns.

    The options are those of a command. A text in `sensitive` may name several columns, with commas.
    """
    named, settings = split(options)
    data = Rows.of_files(paths)
    if data.roles is not None:
        named = columns_of_counts(data, named)
    decided = named.prediction is not None or settings.threshold is not None
    if not decided or not named.sensitive:
        raise InputError(
            f"{data.called}: the columns are not named: give --label, --prediction (or --score "
            "and --threshold) and --sensitive; without --label, predictions alone are compared."
        )
    return read_rows(data, named, settings)


def read_rows(data: Rows, named: ColumnNames, settings: Settings) -> Read:
    """Read columns of files, or of a table, that are named."""
    if data.roles is not None and data.roles.missing_group:
        settings = replace(settings, missing_group=True)
    check_decided(named.prediction, named.score, settings.threshold)
    every = {role: getattr(named, role) for role in ("label", *OPTIONAL_ROLES)}
    roles = {role: name for role, name in every.items() if name is not None}
    attributes = data.named(named.sensitive, "--sensitive")
    control = data.named(named.control, "--control")
    options = dict(data.check_roles(roles, attributes, control))
    others = {role: name for role, name in every.items() if role not in ("label", "prediction")}
    clusters = others.pop("cluster")
    names = named.label or str(named.prediction), str(named.prediction)
    wording = file_wording(data.called, *names, clusters=clusters, **others)
    wording = replace(wording, classes=True)
    frequencies = named.weight is not None and settings.weight_kind == "frequency"
    if frequencies:
        options[str(named.weight)] = FREQUENCY
    whole = None in (named.prediction, named.label) or clusters or named.cheap_label or control
    items = 0
    if frequencies and not whole:
        items = int(data.cells([], [], weight=named.weight).count.sum())
    elif not (whole or named.weight or data.small):
        items = len(data)
    if items > MOST_ITEMS:
        settings.check(wording)
        data.progress = True
        wording = replace(wording, rows=False)
        by_role, drawn = count_columns(data, named, attributes, settings, wording)
        ids = repeated_ids(data, options, settings.alpha, criterion=settings.criterion)
        # frequencies are counted already
        settings, notes = (
            replace(settings, weight_kind="sampling"),
            [*ids, *data.source.notes.values(), *drawn],
        )
    else:
        by_role, notes = _in_memory(data, named, settings, wording, options)
    return by_role, settings, wording, source_of(data, roles), notes


def _in_memory(
    data: Rows, named: ColumnNames, settings: Settings, wording: Wording, options: dict[str, str]
) -> tuple[AuditColumns, list[str]]:
    """Return the columns of all rows, and what to check in them; `options` are by column."""
    label = named.label
    ids = [name for name in data.columns if name not in options and looks_like_an_id(name)]
    table = data.table([*options, *ids])
    drawn_alike = named.cheap_label is not None and not (named.chance or named.drawn_within)
    if drawn_alike and set(CHOSEN_COLUMNS) <= {*data.columns}:
        raise InputError(
            f"{data.called}: rows with a label were chosen by chances: give --chance "
            f"{CHOSEN_COLUMNS[1]}."
        )
    in_part = named.cheap_label is not None
    several = {name: option for name, option in options.items() if not in_part or name != label}
    columns = columns_of_table(table, several, wording, settings.missing_group)
    y_true: Any = None if label is None else columns.get(label)
    if in_part and label is not None:
        y_true = table.coded_in_part(label, number=True)
    repeated = []
    if named.cluster is None:
        repeated = [
            *repeated_ids(table, options, settings.alpha, criterion=settings.criterion),
            *copied_rows(data, (column.sizes() for column in columns.values())),
        ]
    notes = list(dict.fromkeys([*repeated, *table.notes.values(), *data.source.notes.values()]))
    del table  # whose cells take more memory than what an audit computes of them
    pa.default_memory_pool().release_unused()
    groups = [name for name, option in options.items() if option == "sensitive"]
    controls = data.named(named.control, "--control")
    return columns_by_role(columns, y_true, named, groups, controls), notes


def count_columns(
    source: Rows,
    named: ColumnNames,
    attributes: Sequence[str],
    settings: Settings,
    wording: Wording,
) -> tuple[AuditColumns, list[str]]:
    """Return the columns of rows that stand for several items, and notes on those that are drawn.

    A weight has frequencies.
    """
    label, prediction, score = named.label, named.prediction, named.score
    assert label is not None and prediction is not None
    coded = source.with_few((label, prediction))
    numbers = [name for name in (label, prediction, score) if name and name not in coded]
    cells = source.cells(
        [*coded, *attributes],
        numbers,
        weight=named.weight,
        missing_group=attributes if settings.missing_group else (),
        names=attributes,
        remedy=or_missing_group(wording),
    )
    binary = label in coded and settings.label_kind != "number"
    if binary and settings.positive is None:
        binary = len(Values(cells.columns[label]).kinds) == 2
    rows, notes = _rows(source, cells, numbers, settings, in_bins_of_one=binary)
    columns = {name: one.take(rows.cell) for name, one in cells.columns.items()}
    columns |= {name: Column(rows.values[:, i]) for i, name in enumerate(numbers)}
    return AuditColumns(
        columns[label],
        columns[prediction],
        {name: columns[name] for name in attributes},
        None if score is None else columns[score],
        count=rows.count,
    ), notes


def _rows(
    source: Rows, cells: Cells, numbers: Sequence[str], settings: Settings, *, in_bins_of_one: bool
) -> tuple[Ordered, list[str]]:
    """Return the different rows of cells and numbers, or bins of these, or some that are drawn."""
    n, number = int(cells.count.sum()), len(cells.count)
    if not numbers:
        return Ordered(np.zeros((number, 0)), np.arange(number), cells.count), []
    binned = in_bins_of_one and len(numbers) == 1
    most = MOST_ROWS if binned else MOST_PAIRS
    chunks = source.ordered(numbers, cells)
    some = list(islice(chunks, most // CHUNK + 1))
    if sum(map(len, some)) <= most:
        return joined(some), []
    chunks = chain(some, chunks)
    if binned:
        return in_bins(chunks, n, number, max(MOST_ROWS // number, FEWEST_BINS)), []
    positions = drawn_positions(n, most, settings)
    note = f"The audit is of {most:,} rows, drawn at random of {n:,}."
    return drawn_of(chunks, positions), [note]


def in_bins(chunks: Iterable[Ordered], n: int, cells: int, bins: int) -> Ordered:
    """Return rows of n items by bins of a number, each of which becomes the mean of its bin.

    Equal numbers are in one bin; the smallest and the largest have one of their own.
    """
    keys, counts, totals, before = [], [], [], 0

    def add(rows: Ordered, *, last: bool = False) -> None:
        value = rows.values[:, 0]
        new = np.append(True, value[1:] != value[:-1])
        start = before + (np.cumsum(rows.count) - rows.count)[new][np.cumsum(new) - 1]
        place = np.where(start == 0, 0, bins + 1 if last else 1 + start * bins // n)
        key, row = np.unique(place * cells + rows.cell, return_inverse=True)
        keys.append(key)
        counts.append(np.bincount(row, rows.count))
        totals.append(np.bincount(row, rows.count * value))

    held: list[Ordered] = []
    for chunk in chunks:
        rows = joined([*held, chunk])
        whole = int(np.searchsorted(rows.values[:, 0], rows.values[-1, 0]))
        if whole:
            add(rows.take(slice(whole)))
            before += int(rows.count[:whole].sum())
        held = [rows.take(slice(whole, None))]
    add(held[0], last=True)
    key, row = np.unique(np.concatenate(keys), return_inverse=True)
    count = np.bincount(row, np.concatenate(counts))
    place, cell = np.divmod(key, cells)
    _, place = np.unique(place, return_inverse=True)
    means = np.bincount(place[row], np.concatenate(totals)) / np.bincount(place, count)
    means[-1] = held[0].values[-1, 0]
    return Ordered(means[place][:, None], cell, count.astype(np.int64))


def drawn_of(chunks: Iterable[Ordered], positions: Integers) -> Ordered:
    """Return rows of the items at some positions among all."""
    parts, passed = [], 0
    for chunk in chunks:
        ends = passed + np.cumsum(chunk.count)
        first, last = np.searchsorted(positions, [passed, ends[-1]])
        rows = np.searchsorted(ends, positions[first:last], "right")
        row, count = np.unique(rows, return_counts=True)
        parts.append(Ordered(chunk.values[row], chunk.cell[row], count))
        passed = int(ends[-1])
    return joined(parts)
