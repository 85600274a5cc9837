"""Counts files: the items of a file by label, prediction, score and groups, to be summed later."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairpairs.audits.counting.cells import Cells, Ordered
from fairpairs.audits.counting.opening import COUNT, CountsRoles, metadata_of
from fairpairs.audits.counting.rows import Rows
from fairpairs.audits.options import CHOSEN_COLUMNS
from fairpairs.base.errors import InputError
from fairpairs.base.files import MISSING, written_whole
from fairpairs.base.reading.arrow import is_text
from fairpairs.base.reading.sources import plain
from fairpairs.base.sealed import sealed_writer

#: A label or a prediction with more different values is a number.
MAX_VALUES = 100
#: More groups are taken for a mistake.
MAX_GROUPS = 1000
#: Why counts files have no chances; the end of a sentence.
NO_CHANCES = (
    "which counts files do not hold: they are for human labels drawn at random from all rows, so "
    "audit the rows themselves."
)
#: Chunks of rows that are written as one row group.
CHUNKS = 4


def count_files(
    paths: Sequence[Path],
    out: Path,
    *,
    label: str,
    prediction: str,
    sensitive: Sequence[str],
    score: str | None = None,
    weight: str | None = None,
    missing_group: bool = False,
    cheap_label: str | None = None,
    progress: bool = False,
    tell: Callable[[str], None] = lambda _: None,
    look: Callable[[Rows, Mapping[str, str]], Sequence[str]] = lambda _, __: (),
) -> int:
    """Write the counts of items by the columns that an audit reads; return the number of items.

    Counts files are summed. The bytes of `out`, written whole or not at all, depend on the items
    alone, not on the order of rows or files. Missing groups are counted too; with `missing_group`,
    an audit of the counts takes them for a group of their own, else it must be told to. With a
    `cheap_label` the label may be missing. `tell` gets notes on how values were read, and what
    `look` returns of rows that are no counts and the option of each column.
    """
    rows = Rows.of_files(paths)
    rows.progress = progress
    attributes = rows.named(sensitive, "--sensitive")
    optional = {"score": score, "weight": weight, "cheap_label": cheap_label}
    columns = rows.check_roles({"label": label, "prediction": prediction, **optional}, attributes)
    if columns.get(COUNT, "weight") != "weight":
        raise InputError(
            f"{rows.called}: the column `{COUNT}` would be taken for the counts: rename it."
        )
    if cheap_label is not None and {*CHOSEN_COLUMNS} <= {*rows.columns}:
        raise InputError(f"{rows.called}: rows with a label were chosen by chances, {NO_CHANCES}")
    missing_group |= rows.roles is not None and rows.roles.missing_group
    named = label, prediction, score, tuple(attributes)
    roles = CountsRoles(*named, missing_group, cheap_label)
    if rows.roles is None and weight is not None:
        rows.check_repeated_cells(roles.names, weight)
    if rows.empty:
        with written_whole(out) as temporary:
            types = {name: plain(rows.source.type_of(name)) for name in roles.names}
            types |= {} if score is None else {score: pa.float64()}
            schema = pa.schema([*types.items(), (COUNT, pa.int64())])
            _write(temporary, iter([schema.empty_table()]), roles, 0)
        return 0
    if rows.roles is None:
        for note in look(rows, columns):
            tell(note)
    groups = rows.with_few(roles.sensitive, MAX_GROUPS)
    for name in roles.sensitive:
        if name not in groups:
            raise InputError(
                f"{rows.called}: column `{name}` has more than {MAX_GROUPS:,} groups: join some, "
                "or leave it out of --sensitive."
            )
    classes = rows.with_few((label, prediction), MAX_VALUES)
    if cheap_label is not None:
        few = rows.with_few([label, cheap_label], MAX_VALUES)
        if many := [name for name in (label, cheap_label) if name not in few]:
            raise InputError(
                f"{rows.called}: column `{many[0]}` has more than {MAX_VALUES} values: counts with "
                "--cheap-label are of labels of two values, so audit the rows themselves."
            )
    numbers = [name for name in (label, prediction) if name not in classes]
    numbers += [] if score is None else [score]
    coded = [name for name in roles.names if name not in numbers]
    missing = roles.sensitive if cheap_label is None else (*roles.sensitive, label)
    cells = rows.cells(coded, numbers, weight=weight, missing_group=missing, names=roles.sensitive)
    items = int(cells.count.sum())
    of_cells = np.arange(len(cells.count))
    counts = Ordered(np.empty((len(of_cells), 0)), of_cells, cells.count)
    chunks = rows.ordered(numbers, cells) if numbers else iter([counts])
    with written_whole(out) as temporary:
        _write(temporary, _tables(rows, roles, numbers, cells, chunks), roles, items)
    for note in rows.source.notes.values():
        tell(note)
    return items


def _tables(
    rows: Rows,
    roles: CountsRoles,
    numbers: Sequence[str],
    cells: Cells,
    chunks: Iterator[Ordered],
) -> Iterator[pa.Table]:
    """Yield the rows of a counts file, some chunks at a time."""
    coded = {name: _values(rows, cells, i) for i, name in enumerate(cells.columns)}
    while some := [chunk for _, chunk in zip(range(CHUNKS), chunks, strict=False)]:
        cell = pa.array(np.concatenate([chunk.cell for chunk in some]))
        columns = {name: values.take(cell) for name, values in coded.items()}
        for i, name in enumerate(numbers):
            values = np.concatenate([chunk.values[:, i] for chunk in some])
            columns[name] = pa.array(values)
            # a label or a prediction of a CSV is text in every shard, as its classes are
            if rows.source.type_of(name) == pa.string() and name != roles.score:
                columns[name] = pa.array([repr(value) for value in values.tolist()], pa.string())
        count = np.concatenate([chunk.count for chunk in some])
        yield pa.table({name: columns[name] for name in roles.names} | {COUNT: count})


def _values(rows: Rows, cells: Cells, column: int) -> pa.Array:
    """Return the value of each cell in a column, null where it is missing."""
    _, first = np.unique(cells.raw.columns[-1].to_numpy(), return_index=True)
    values = cells.raw.column(column).combine_chunks().take(pa.array(first))
    if is_text(values.type):
        values = pc.utf8_trim_whitespace(values)
        missing = pc.is_in(values, pa.array(MISSING))
        values = pc.if_else(missing, pa.scalar(None, pa.string()), values)
    if pa.types.is_floating(values.type):
        values = pc.add(values, pa.scalar(0.0, values.type))  # −0 is 0
    kind = plain(rows.source.type_of(cells.raw.column_names[column]))
    return values if values.type == kind else values.cast(kind)


def _write(path: Path, tables: Iterator[pa.Table], roles: CountsRoles, items: int) -> None:
    first = next(tables)
    schema = first.schema.with_metadata(metadata_of(roles, items))
    numbers = [field.name for field in schema if pa.types.is_float64(field.type)]
    with sealed_writer(
        path,
        schema,
        use_dictionary=[name for name in schema.names if name not in numbers],
        column_encoding=dict.fromkeys(numbers, "BYTE_STREAM_SPLIT"),
    ) as writer:
        for table in chain([first], tables):
            writer.write_table(table, row_group_size=max(len(table), 1))
