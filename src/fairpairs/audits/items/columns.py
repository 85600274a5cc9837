"""The columns of files and tables: how options name them, and their values by role."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from fairpairs.audits.counting.counts_file import NO_CHANCES
from fairpairs.audits.counting.rows import Rows
from fairpairs.audits.items.messages import Wording, or_missing_group
from fairpairs.audits.items.read import no_score_alone
from fairpairs.audits.items.settings import AuditColumns, ColumnNames, Settings
from fairpairs.audits.items.strata import MOST_VALUES
from fairpairs.audits.options import in_python
from fairpairs.base.columns import Column
from fairpairs.base.errors import InputError, shown
from fairpairs.base.reading.opening import COUNTS
from fairpairs.base.reading.table import Table
from fairpairs.base.texts import listed

#: Roles of columns that may be left out.
OPTIONAL_ROLES = (
    "prediction", "score", "cluster", "weight", "cheap_label", "chance", "drawn_within",
)  # fmt: skip
#: Roles whose values are names, and never numbers.
OF_NAMES = ("sensitive", "control", "cluster", "drawn_within")


def split(options: Mapping[str, Any]) -> tuple[ColumnNames, Settings]:
    """Return the columns and the settings that options of a command name."""
    columns = {one.name: options[one.name] for one in fields(ColumnNames) if one.name in options}
    settings = {name: options[name] for name in options if name not in columns}
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


def names_of_series(**arrays: object) -> dict[str, str]:
    """Return the name of each array that is a Series with one, by its role, for sentences.

    >>> import pandas as pd
    >>> names_of_series(label=pd.Series([0, 1], name="hired"), prediction=[0, 1])
    {'label': 'hired'}
    """
    names = {}
    for role, values in arrays.items():
        name = getattr(values, "name", None)
        if isinstance(name, str) and name:
            names[role] = name
    return names


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


def check_decided(prediction: str | None, score: str | None, threshold: float | None) -> None:
    """Raise unless a prediction is named, or a score with a threshold."""
    if threshold is None and prediction is None:
        raise InputError("--prediction is not named: give it, or --score and --threshold.")
    if threshold is not None and (prediction is not None or score is None):
        wording = Wording(score="--score", prediction="--prediction", shell=True)
        raise InputError(no_score_alone(wording))


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
        in_python(role): None if name is None else columns[name] for role, name in names.items()
    }
    groups, controls = ({name: columns[name] for name in some} for some in (attributes, control))
    return AuditColumns(y_true, sensitive_features=groups, control=controls, **given)


def columns_of_table(
    table: Table, options: Mapping[str, str], wording: Wording, missing_group: bool
) -> dict[str, Column]:
    """Return the columns that have an option; of attributes, missing values may be a group."""
    columns = {}
    for name, option in options.items():
        if option == "control":
            columns[name] = table.coded_with_missing(name, numbers_beyond=MOST_VALUES)
        elif option == "sensitive" and missing_group:
            columns[name] = table.coded_with_missing(name)
        else:
            remedy = or_missing_group(wording) if option == "sensitive" else ""
            columns[name] = table.coded(name, remedy, number=option not in OF_NAMES)
    return columns


def source_of(data: Rows, roles: Mapping[str, str]) -> dict[str, str]:
    """Return the source for `about`; for counts files nothing that depends on their shards."""
    if data.roles is not None:
        return {"file": f"*{COUNTS}", **roles}
    return {"file": Path(data.called).name, "sha256": data.source.digest, **roles}
