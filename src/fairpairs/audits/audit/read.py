"""The audit of columns of a file; its messages name the options of `fairpairs audit`."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from fairpairs.audits.audit.attribute_items import MOST_ITEMS
from fairpairs.audits.audit.audit import audit_columns
from fairpairs.audits.audit.counted import count_columns
from fairpairs.audits.audit.items import MOST_VALUES, no_score_alone
from fairpairs.audits.audit.messages import Wording, file_wording, or_missing_group
from fairpairs.audits.audit.repeated_ids import (
    FREQUENCY,
    copied_rows,
    looks_like_an_id,
    repeated_ids,
)
from fairpairs.audits.audit.result import AuditResult
from fairpairs.audits.audit.settings import AuditColumns, ColumnNames, Settings
from fairpairs.audits.counting.counts_file import NO_CHANCES
from fairpairs.audits.counting.rows import Rows
from fairpairs.audits.options import CHOSEN_COLUMNS, in_python
from fairpairs.base.columns import Column
from fairpairs.base.errors import InputError, shown
from fairpairs.base.reading.opening import COUNTS
from fairpairs.base.reading.table import Table
from fairpairs.base.texts import listed

#: Roles of columns that may be left out.
OPTIONAL_ROLES = (
    "prediction", "score", "cluster", "weight", "cheap_label", "chance", "drawn_within",
)  # fmt: skip
#: Role → the field of `AuditColumns`, if it has another name.
FIELDS = {
    "prediction": "y_pred", "score": "y_score", "cluster": "clusters", "weight": "sample_weight",
}  # fmt: skip
#: Roles whose values are names, and never numbers.
OF_NAMES = ("sensitive", "control", "cluster", "drawn_within")


def audit_file(paths: Path | Sequence[Path], **options: Any) -> AuditResult:
    """Audit columns of CSV, JSON lines or Parquet files (see `fairpairs.audit`), or counts files.

    The options are those of `fairpairs audit`. A text in `sensitive` may name several columns, with
    commas. Counts files (see `fairpairs count`) know their columns.
    """
    several = [paths] if isinstance(paths, Path) else list(paths)
    named, settings = split(options)
    data = Rows.of_files(several)
    if data.roles is not None:
        named = columns_of_counts(data, named)
    decided = named.prediction is not None or settings.threshold is not None
    if named.label is None or not decided or not named.sensitive:
        raise InputError(
            f"{data.called}: the columns are not named: give --label, --prediction (or --score "
            "and --threshold) and --sensitive."
        )
    return audit_rows(data, named, settings)


def split(options: Mapping[str, Any]) -> tuple[ColumnNames, Settings]:
    """Return the columns and the settings that options of a command name."""
    columns = {one.name: options[one.name] for one in fields(ColumnNames) if one.name in options}
    settings = {in_python(name): options[name] for name in options if name not in columns}
    return ColumnNames(**columns), Settings(**settings)


def column_names(
    *, sensitive_features: object, control: object = (), **arguments: object
) -> ColumnNames:
    """Return the columns that arguments of `audit` name; InputError for what is no name."""
    sensitive = _several(sensitive_features, "sensitive_features")
    for argument, name in arguments.items():
        if not (isinstance(name, str) or name is None):
            raise InputError(f"{argument} is {shown(name)}: with data, name a column of it.")
    roles = {in_python(one.name): one.name for one in fields(ColumnNames)}
    names: Any = {roles[argument]: name for argument, name in arguments.items()}
    controls = () if control is None else _several(control, "control")
    return ColumnNames(sensitive=sensitive, control=controls, **names)


def _several(columns: object, argument: str) -> tuple[str, ...]:
    names = [columns] if isinstance(columns, str) else columns
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise InputError(f"{argument} is {shown(columns)}: with data, name its columns.")
    return tuple(names)


def open_table(data: Any) -> Rows:
    """Open the files, or the table, that Python passes as `data`."""
    if isinstance(data, str | Path):
        return Rows.of_files([Path(data)])
    several = isinstance(data, list | tuple) and len(data) > 0
    if several and all(isinstance(path, str | Path) for path in data):
        return Rows.of_files([Path(path) for path in data])
    return Rows.of_table(data, "data")


def _items(data: Rows, frequency: str | None) -> int:
    """Return the number of items that rows stand for."""
    return len(data) if frequency is None else int(data.cells([], [], weight=frequency).count.sum())


def columns_of_counts(rows: Rows, named: ColumnNames) -> ColumnNames:
    """Return the columns that counts files know."""
    roles = rows.roles
    assert roles is not None
    known = ColumnNames(
        roles.label, roles.prediction, roles.sensitive, roles.score, cheap_label=roles.cheap_label
    )
    given = {name: value for name, value in vars(named).items() if value}
    if "sensitive" in given:
        given["sensitive"] = tuple(rows.named(named.sensitive, "--sensitive"))
    for name, value in given.items():
        if name in ("chance", "drawn_within"):
            option = name.replace("_", "-")
            raise InputError(f"{rows.called}: --{option} names chances, {NO_CHANCES}")
        if getattr(known, name) != value:
            raise InputError(
                f"{rows.called}: --{name.replace('_', '-')} does not go with counts files, which "
                f"know their columns ({listed(rows.columns)}): leave it out, or count the files "
                "anew."
            )
    return known


def audit_rows(data: Rows, named: ColumnNames, settings: Settings) -> AuditResult:
    """Audit columns of files, or of a table (see `fairpairs.audit`)."""
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
        return audit_columns(by_role, settings, wording, source=source, checks=notes)
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
    del table, data  # the other columns of a large file
    by_role = columns_by_role(columns, y_true, named, attributes, control)
    return audit_columns(by_role, settings, wording, source=source, checks=notes)


def columns_by_role(
    columns: Mapping[str, Column],
    y_true: Any,
    named: ColumnNames,
    attributes: Sequence[str],
    control: Sequence[str] = (),
) -> AuditColumns:
    """Return the columns of a table by the roles for which they are named."""
    names = {role: getattr(named, role) for role in OPTIONAL_ROLES}
    given: dict[str, Any] = {
        FIELDS.get(role, role): None if name is None else columns[name]
        for role, name in names.items()
    }
    groups, controls = ({name: columns[name] for name in some} for some in (attributes, control))
    return AuditColumns(y_true, sensitive_features=groups, control=controls, **given)


def check_decided(prediction: str | None, score: str | None, threshold: float | None) -> None:
    """Raise unless a prediction is named, or a score with a threshold."""
    if threshold is None and prediction is None:
        raise InputError("--prediction is not named: give it, or --score and --threshold.")
    if threshold is not None and (prediction is not None or score is None):
        wording = Wording(score="--score", prediction="--prediction", shell=True)
        raise InputError(no_score_alone(wording))


def columns_of_table(
    table: Table, options: Mapping[str, str], wording: Wording, missing_group: bool
) -> dict[str, Column]:
    """Return the columns that have an option; of attributes, missing values may be a group."""
    return {
        name: table.coded_with_missing(name, numbers_beyond=MOST_VALUES)
        if option == "control"
        else table.coded_with_missing(name)
        if option == "sensitive" and missing_group
        else table.coded(
            name,
            or_missing_group(wording) if option == "sensitive" else "",
            number=option not in OF_NAMES,
        )
        for name, option in options.items()
    }


def source_of(data: Rows, roles: Mapping[str, str]) -> dict[str, str]:
    """Return the source for `about`; for counts files nothing that depends on their shards."""
    if data.roles is not None:
        return {"file": f"*{COUNTS}", **roles}
    return {"file": Path(data.called).name, "sha256": data.digest, **roles}
