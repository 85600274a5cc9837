"""Judgments of a user, in any of three forms."""

from collections.abc import Mapping
from pathlib import Path

from fairpairs.audits.judgments.chosen import CHOSEN, REJECTED, read_chosen
from fairpairs.audits.judgments.judged import Judgments
from fairpairs.audits.judgments.repeated_pairs import with_repeated_pairs
from fairpairs.audits.judgments.settings import JudgmentColumns
from fairpairs.audits.judgments.sides import LEFT, RIGHT, WINNER, read_sides, read_two_tables
from fairpairs.base.errors import InputError
from fairpairs.base.reading.table import Table
from fairpairs.base.texts import listed

#: What each form of judgments is called, with its columns.
ITEMS, SIDES, ANSWERS = (
    "judgments with a second file of the items",
    "both sides in a row",
    "scores of chosen and rejected answers",
)
#: The options that only some forms know.
ONLY_OF = {
    **dict.fromkeys(
        (
            "left",
            "right",
            "outcome",
            "score",
            "verdict",
            "cheap_outcome",
            "chance",
            "drawn_within",
        ),
        (ITEMS, SIDES),
    ),
    "item": (ITEMS,),
    **dict.fromkeys(("chosen", "rejected", "pair", "within_only"), (ANSWERS,)),
}


def read_judgments(
    columns: JudgmentColumns,
    judgments: Path | Table | None,
    predictions: Path | Table | None = None,
    groups: Mapping[str, Path | Table] | None = None,
    alpha: float = 0.05,
    remedy: str = "give --cluster {}",
) -> Judgments:
    """Read judgments from CSV, JSON lines or Parquet files; `predictions` has the items, if any.

    `groups` has, in place of `judgments`, a table of chosen and rejected scores for each group.
    `alpha` is the level of the test of which a note on ids tells the error rate, and `remedy` what
    it advises.
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
        _check_options(columns, ANSWERS)
        tables = {name: _table(file) for name, file in groups.items()}
        return with_repeated_pairs(read_chosen(tables, columns), columns, alpha, remedy)
    if judgments is None:
        raise InputError("JUDGMENTS: name the file of the judgments, or the groups' by --group.")
    table = _table(judgments)
    form = ITEMS if predictions is not None else _form(table, columns)
    _check_options(columns, form)
    if not columns.sensitive:
        by_group = ", or give each group a file by --group" if form == ANSWERS else ""
        raise InputError(f"--sensitive: name the column of the groups{by_group}.")
    if form == ANSWERS:
        return with_repeated_pairs(read_chosen({"": table}, columns), columns, alpha, remedy)
    judged = (
        read_sides(table, columns)
        if predictions is None
        else read_two_tables(table, _table(predictions), columns)
    )
    if not judged.outcome.any():
        raise InputError(
            f"{table.path}: column `{columns.outcome or WINNER}` holds ties alone: give judgments "
            "that one side wins."
        )
    items_named = predictions is not None or columns.left or columns.right
    return judged if items_named else with_repeated_pairs(judged, columns, alpha, remedy)


def _form(table: Table, columns: JudgmentColumns) -> str:
    """Return which form of judgments a table has."""
    names = set(table.columns)
    if columns.chosen or columns.rejected:
        return ANSWERS
    if columns.outcome:
        return SIDES
    if {CHOSEN, REJECTED} <= names:
        return ANSWERS
    if WINNER in names:
        return SIDES
    raise InputError(
        f"{table.path}: it is in none of the three known forms, which are {ITEMS} (--left, "
        f"--right, --outcome; --item), {SIDES} ({LEFT}, {RIGHT}, {WINNER}, or --outcome), and "
        f"{ANSWERS} ({CHOSEN}, {REJECTED}, or --chosen, --rejected): it has the columns "
        f"{listed(table.columns)}."
    )


def _check_options(columns: JudgmentColumns, form: str) -> None:
    """Raise InputError for an option that does not apply to this form of judgments."""
    for name, forms in ONLY_OF.items():
        if getattr(columns, name) and form not in forms:
            option = name.replace("_", "-")
            raise InputError(
                f"--{option}: this option is for {' or '.join(forms)}, and the judgments are "
                f"{form}: leave it out."
            )


def _table(file: Path | Table) -> Table:
    return file if isinstance(file, Table) else Table(file)
