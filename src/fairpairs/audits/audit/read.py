"""The audit of columns of a file; its messages name the options of `fairpairs audit`."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairpairs.audits.audit.audit import audit_columns
from fairpairs.audits.audit.counted import count_columns
from fairpairs.audits.audit.result import AuditResult
from fairpairs.audits.counting.rows import Rows
from fairpairs.audits.items.attribute_items import MOST_ITEMS
from fairpairs.audits.items.columns import (
    OPTIONAL_ROLES,
    check_decided,
    columns_by_role,
    columns_of_counts,
    columns_of_table,
    source_of,
    split,
)
from fairpairs.audits.items.messages import Wording, file_wording
from fairpairs.audits.items.repeated_ids import (
    FREQUENCY,
    copied_rows,
    looks_like_an_id,
    repeated_ids,
)
from fairpairs.audits.items.settings import AuditColumns, ColumnNames, Settings
from fairpairs.audits.options import CHOSEN_COLUMNS
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content, Record

#: The arguments of `audit_columns`.
Read = tuple[AuditColumns, Settings, Wording, Content, Sequence[str]]


def audit_file(paths: Path | Sequence[Path], **options: Any) -> AuditResult:
    """Audit columns of CSV, JSON lines or Parquet files (see `fairpairs.audit`), or counts files.

    The options are those of `fairpairs audit`. A text in `sensitive` may name several columns, with
    commas. Counts files (see `fairpairs count`) know their columns.
    """
    return audit_columns(*read_files([paths] if isinstance(paths, Path) else paths, options))


def read_files(paths: Sequence[Path], options: Record) -> Read:
    """Read what `audit_file` audits."""
    named, settings = split(options)
    data = Rows.of_files(paths)
    if data.roles is not None:
        named = columns_of_counts(data, named)
    decided = named.prediction is not None or settings.threshold is not None
    if named.label is None or not decided or not named.sensitive:
        raise InputError(
            f"{data.called}: the columns are not named: give --label, --prediction (or --score "
            "and --threshold) and --sensitive."
        )
    return read_rows(data, named, settings)


def _items(data: Rows, frequency: str | None) -> int:
    """Return the number of items that rows stand for."""
    return len(data) if frequency is None else int(data.cells([], [], weight=frequency).count.sum())


def read_rows(data: Rows, named: ColumnNames, settings: Settings) -> Read:
    """Read columns of files, or of a table, for `audit_columns` (see `fairpairs.audit`)."""
    if data.roles is not None and data.roles.missing_group:
        settings = replace(settings, missing_group=True)
    label, prediction = named.label, named.prediction
    assert label is not None
    check_decided(prediction, named.score, settings.threshold)
    roles = {"label": label}
    for role in OPTIONAL_ROLES:
        name = getattr(named, role)
        if name is not None:
            roles[role] = name
    attributes = data.named(named.sensitive, "--sensitive")
    control = data.named(named.control, "--control")
    options = data.check_roles(roles, attributes, control)
    called = data.called
    others = {role: getattr(named, role) for role in OPTIONAL_ROLES[1:] if role != "cluster"}
    wording = file_wording(called, label, str(prediction), clusters=named.cluster, **others)
    wording = replace(wording, classes=True)
    whole = (
        named.cluster is not None
        or named.cheap_label is not None
        or bool(control)
        or (named.weight is not None and settings.weight_kind != "frequency")
    )
    by_option = dict(options)
    if named.weight is not None and settings.weight_kind == "frequency":
        by_option[named.weight] = FREQUENCY
    counted = prediction is not None and not whole and not (data.small and named.weight is None)
    if counted and _items(data, named.weight) > MOST_ITEMS:
        assert prediction is not None
        settings.check(wording)
        data.progress = True
        wording = replace(wording, rows=False)
        by_role, drawn = count_columns(data, named, attributes, settings, wording)
        source = source_of(data, roles)
        repeated = repeated_ids(data, by_option, settings.alpha, criterion=settings.criterion)
        notes = [*repeated, *data.notes, *drawn]
        settings = replace(settings, weight_kind="sampling")  # frequencies are counted already
        return by_role, settings, wording, source, notes
    ids = [name for name in data.columns if name not in options and looks_like_an_id(name)]
    table = data.table([*options, *ids])
    drawn_alike = named.cheap_label is not None and not (named.chance or named.drawn_within)
    if drawn_alike and set(CHOSEN_COLUMNS) <= {*data.columns}:
        raise InputError(
            f"{called}: rows with a label were chosen by chances: give --chance "
            f"{CHOSEN_COLUMNS[1]}."
        )
    in_part = [label] if named.cheap_label is not None else []
    several = {name: option for name, option in options.items() if name not in in_part}
    columns = columns_of_table(table, several, wording, settings.missing_group)
    y_true: Any = table.coded_in_part(label, number=True) if in_part else columns[label]
    source = source_of(data, roles)
    repeated = []
    if named.cluster is None:
        repeated = [
            *repeated_ids(table, by_option, settings.alpha, criterion=settings.criterion),
            *copied_rows(data, (column.sizes() for column in columns.values())),
        ]
    notes = list(dict.fromkeys([*repeated, *table.notes.values(), *data.notes]))
    by_role = columns_by_role(columns, y_true, named, attributes, control)
    return by_role, settings, wording, source, notes
