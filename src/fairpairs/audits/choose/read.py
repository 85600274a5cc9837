"""The rows of a file that are to be labelled next, written beside its other columns."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.audits.audit.items import check_threshold
from fairpairs.audits.audit.read import columns_of_table, file_wording, split
from fairpairs.audits.audit.settings import AuditColumns
from fairpairs.audits.choose.choose import Choice, choose_rows
from fairpairs.audits.options import CHOSEN_COLUMNS
from fairpairs.base.errors import InputError
from fairpairs.base.reading.table import Table

#: The columns that are written: whether a row is to be labelled now, and its chance.
CHOSEN, CHANCE = CHOSEN_COLUMNS
#: Columns that may be named.
ROLES = ("prediction", "score", "cheap_label", "chance", "drawn_within")


def choose_in_file(
    path: Path, n: int, options: Mapping[str, Any]
) -> tuple[Choice, pd.DataFrame, list[str]]:
    """Return the choice, the file with its two columns, and notes on how it was read.

    A column `chance` from an earlier round is used without being named. Raises InputError for rows
    that were chosen earlier and have no label, whose chance would be wrong.
    """
    table = Table(path)
    named, settings = split(options)
    chance = named.chance
    if chance is None and named.drawn_within is None and {CHOSEN, CHANCE} <= {*table.columns}:
        chance = CHANCE
    named = replace(named, chance=chance)
    roles = {name: getattr(named, name) for name in ("label", *ROLES) if getattr(named, name)}
    attributes = table.named(named.sensitive, "--sensitive")
    given = table.check_roles(roles, attributes)
    wording = replace(
        file_wording(path, str(named.label), str(named.prediction), named.score),
        cheap_label=f"{path}: column `{named.cheap_label}`",
        chance=f"{path}: column `{chance}`",
        drawn_within=f"{path}: column `{named.drawn_within}`",
    )
    label = named.label
    without = table.missing(label) if label is not None else np.ones(len(table), dtype=bool)
    if label is not None and CHOSEN in table.columns:
        _check_labelled(table, label, without)
    first = bool(without.all())
    in_table = {name: role for name, role in given.items() if name != label}
    columns = columns_of_table(table, in_table, wording, settings.missing_group)
    y_true: Any = None if first or label is None else table.coded_in_part(label, number=True)
    audited = AuditColumns(
        y_true,
        columns.get(str(named.prediction)) if named.prediction is not None else None,
        {name: columns[name] for name in attributes},
        columns[named.score] if named.score is not None else None,
        cheap_label=columns[str(named.cheap_label)],
        chance=None if first or chance is None else columns[chance],
        drawn_within=None if named.drawn_within is None else columns[named.drawn_within],
    )
    settings.check(wording)
    wording = check_threshold(audited, settings, wording)
    choice = choose_rows(audited, n, settings, wording)
    rows = table.frame()
    rows = rows.assign(**{CHOSEN: choice.chosen.astype(int), CHANCE: choice.chance})
    return choice, rows, [*table.notes.values()]


def _check_labelled(table: Table, label: str, without: np.ndarray[Any, Any]) -> None:
    chosen = table.coded_in_part(CHOSEN, number=True)
    marked = np.zeros(len(without), dtype=bool)
    marked[chosen.where] = chosen.known.of_items(chosen.known.kinds == 1)
    left = int((marked & without).sum())
    if left:
        raise InputError(
            f"{table.called}: {left:,} rows that were chosen have no `{label}` yet: label them "
            "first, as chances hold only where all that were drawn are labelled."
        )
