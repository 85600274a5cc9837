"""Judgments of a user, in any of three forms."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fairpairs.errors import InputError
from fairpairs.input_tables import Table
from fairpairs.judgments.chosen import read_chosen
from fairpairs.judgments.judged import Judgments
from fairpairs.judgments.settings import JudgmentColumns
from fairpairs.judgments.sides import read_sides
from fairpairs.judgments.two_tables import read_two_tables
from fairpairs.texts import listed

#: What the columns of the forms are called where the user does not say so.
CHOSEN, ARENA = ("chosen", "rejected"), ("model_a", "model_b", "winner")


def read_judgments(
    columns: JudgmentColumns,
    judgments: Path | Table | None,
    predictions: Path | Table | None = None,
    groups: Mapping[str, Path | Table] | None = None,
) -> Judgments:
    """Read judgments from CSV, JSON lines or Parquet files.

    Parameters
    ----------
    columns
        The columns that the user names.
    judgments
        The table of the judgments, or of chosen and rejected scores.
    predictions
        The table of the items, where they are not in that of the judgments.
    groups
        In place of `judgments`: for each group a table of chosen and rejected scores.

    Raises
    ------
    InputError
        One sentence that names the file, the column, and the remedy.
    """
    if groups:
        if judgments is not None or predictions is not None:
            raise InputError(
                "--group: the files of the groups hold the judgments: name no other file."
            )
        if len(groups) < 2:
            raise InputError("--group: one group only: name the file of another, too.")
        if columns.sensitive:
            raise InputError(
                "--sensitive: the files of --group are the groups: leave --sensitive out."
            )
        return read_chosen({name: _table(file) for name, file in groups.items()}, columns)
    if judgments is None:
        raise InputError("JUDGMENTS: name the file of the judgments, or the groups' by --group.")
    table = _table(judgments)
    if not columns.sensitive:
        raise InputError(
            "--sensitive: name the column of the groups, or give each group a file by --group."
        )
    if predictions is not None:
        return read_two_tables(table, _table(predictions), columns)
    named = set(table.columns)
    if columns.chosen or columns.rejected or (not columns.outcome and set(CHOSEN) <= named):
        if columns.outcome or columns.left or columns.right:
            raise InputError(
                "--chosen and --rejected say who is preferred: leave --left, --right and --outcome "
                "out."
            )
        return read_chosen({"": table}, columns)
    if columns.outcome or set(ARENA) <= named:
        return read_sides(table, columns)
    raise InputError(
        f"{table.path}: it is in none of the three known forms: judgments (--left, --right, "
        "--outcome) with a second file of the items, both sides in a row (model_a, model_b, "
        "winner), or scores of answers (chosen, rejected): it has the columns "
        f"{listed(table.columns)}."
    )


def _table(file: Path | Table) -> Table:
    return file if isinstance(file, Table) else Table(file)
