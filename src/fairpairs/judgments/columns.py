"""What the columns of judgments are named, and what judgments share in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from fairpairs.errors import InputError, shown
from fairpairs.input_tables import Table, names_of
from fairpairs.judgments.settings import JudgmentColumns

#: What tells the columns of the two sides apart, at the end of their names, or at the start.
SIDES = (("a", "b"), ("left", "right"), ("1", "2"), ("first", "second"), ("chosen", "rejected"))
#: Why a column of related judgments must name several.
SEVERAL = "a variance needs several, so name another column, or leave the option out"


def check_apart(table: Table, named: Sequence[tuple[str, str]]) -> None:
    """Raise InputError unless all columns exist and each is named by one option.

    Parameters
    ----------
    table
        The table.
    named
        Column and option.
    """
    taken: dict[str, str] = {}
    for name, option in named:
        table.check_column(name, option)
        if name in taken:
            raise InputError(
                f"{option}: `{name}` is the column of {taken[name]} too: name two columns."
            )
        taken[name] = option


def sides_of(table: Table, text: str, option: str) -> list[tuple[str, str, str]]:
    """Return name, left column and right column of what an option names of both sides.

    "dialect_a,dialect_b" are the columns of both sides; "dialect" is one for both, or stands for
    two that end, or start, with the sides.

    Raises
    ------
    InputError
        When there are no such columns.
    """
    if text in table.columns:
        return [(text, text, text)]
    names = names_of([text], option)
    if len(names) == 2 and set(names) <= set(table.columns):
        return [(stem(*names), names[0], names[1])]
    found = []
    for name in names:
        pairs = [
            pair
            for one, two in SIDES
            for pair in ((f"{name}_{one}", f"{name}_{two}"), (f"{one}_{name}", f"{two}_{name}"))
            if set(pair) <= set(table.columns)
        ]
        if not pairs:
            if name in table.columns:
                raise InputError(
                    f"{option}: `{text}` names {len(names)} columns: name one, or those of both "
                    "sides, such as dialect_a,dialect_b."
                )
            table.check_column(name, option)
        found.append((name, *pairs[0]))
    return found


def stem(left: str, right: str) -> str:
    """Return what two names have in common but for the side.

    Examples
    --------
    >>> stem("dialect_a", "dialect_b"), stem("left_dialect", "right_dialect"), stem("x", "y")
    ('dialect', 'dialect', 'x,y')
    """
    for one, two in SIDES:
        if left.endswith(f"_{one}") and right == f"{left.removesuffix(one)}{two}":
            return left.removesuffix(f"_{one}")
        if left.startswith(f"{one}_") and right == f"{two}{left.removeprefix(one)}":
            return left.removeprefix(f"{one}_")
    return f"{left},{right}"


def shared(table: Table, columns: JudgmentColumns) -> dict[str, Any]:
    """Return judge, cluster and stratum of each row, those that are named.

    Raises
    ------
    InputError
        For a missing value, or a judge or cluster of all rows.
    """
    result = {}
    for role in ("judge", "cluster", "stratum"):
        if (name := getattr(columns, role)) is None:
            continue
        table.check_column(name, f"--{role}")
        values = table.words(name, f", or leave --{role} out")
        if role != "stratum" and (values == values.iloc[0]).all():
            raise InputError(
                f"{table.path}: column `{name}` is {shown(values.iloc[0])} in every row "
                f"(--{role}): {SEVERAL}."
            )
        result[role] = values
    return result


def item_clusters(tables: Sequence[Table], columns: JudgmentColumns) -> pd.Series[str] | None:
    """Return the cluster of each item of the left sides of the tables, then of the right sides."""
    if columns.item_cluster is None:
        return None
    named = [sides_of(table, columns.item_cluster, "--item-cluster")[0][1:] for table in tables]
    words = [
        table.words(names[side])
        for side in (0, 1)
        for table, names in zip(tables, named, strict=True)
    ]
    return pd.concat(words, ignore_index=True)
