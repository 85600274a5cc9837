"""The names of the columns of judgments, and the judges, clusters and strata in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.audits.judgments.settings import JudgmentColumns
from fairpairs.base.arrays import Series
from fairpairs.base.errors import InputError, shown
from fairpairs.base.named_columns import names_of
from fairpairs.base.plain_values import Record
from fairpairs.base.reading.table import Table

#: What tells the columns of the two sides apart, at the end of their names, or at the start.
SIDES = (("a", "b"), ("left", "right"), ("1", "2"), ("first", "second"), ("chosen", "rejected"))
#: Why a column of related judgments must name several.
SEVERAL = "a variance needs several, so name another column, or leave the option out"


def check_apart(table: Table, named: Sequence[tuple[str, str]]) -> None:
    """Raise InputError unless the columns, of (column, option), exist and have one option each."""
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
    two that end, or start, with the sides. Without such columns, raise InputError.
    """
    if text in table.columns:
        return [(text, text, text)]
    names = names_of([text], option)
    if len(names) == 2 and set(names) & set(table.columns):
        check_apart(table, [(name, option) for name in names])
        if stem(*reversed(names)) != ",".join(reversed(names)):
            raise InputError(f"{option}: `{text}` names the right side first: turn the two round.")
        return [(stem(*names), names[0], names[1])]
    sides = []
    for name in names:
        pairs = [
            pair
            for one, two in SIDES
            for pair in ((f"{name}_{one}", f"{name}_{two}"), (f"{one}_{name}", f"{two}_{name}"))
            if set(pair) <= set(table.columns)
        ]
        if not pairs:
            table.check_column(name, option)
            raise InputError(
                f"{option}: `{text}` names {len(names)} columns: name one, or those of both "
                "sides, such as dialect_a,dialect_b."
            )
        sides.append((name, *pairs[0]))
    return sides


def stem(left: str, right: str) -> str:
    """Return what two names have in common except for the side.

    >>> stem("dialect_a", "dialect_b"), stem("left_dialect", "right_dialect"), stem("x", "y")
    ('dialect', 'dialect', 'x,y')
    """
    for one, two in SIDES:
        if left.endswith(f"_{one}") and right == f"{left.removesuffix(one)}{two}":
            return left.removesuffix(f"_{one}")
        if left.startswith(f"{one}_") and right == f"{two}{left.removeprefix(one)}":
            return left.removeprefix(f"{one}_")
    return f"{left},{right}"


def check_names(models: Sequence[str], attributes: Sequence[str]) -> None:
    """Raise InputError if two models or attributes have the same name."""
    every = [*models, *attributes]
    if again := [name for i, name in enumerate(every) if name in every[:i]]:
        raise InputError(
            f"{shown(again[0])} is the name of two scores, verdicts or attributes: rename one of "
            "their columns."
        )


def in_one(columns: Sequence[Series]) -> Series:
    """Concatenate columns of categories, with common categories that are sorted."""
    values = pd.api.types.union_categoricals(list(columns), sort_categories=True)
    return pd.Series(values)


def taken(values: Series, rows: NDArray[np.int64]) -> Series:
    """Return some rows of categories, without unused categories."""
    return values.iloc[rows].cat.remove_unused_categories().reset_index(drop=True)


def shared(tables: Sequence[Table], columns: JudgmentColumns) -> Record:
    """Return judge, cluster and stratum of each row of the tables, those that are named.

    A missing value, or the same judge or cluster in all rows, raises InputError.
    """
    result: Record = {}
    for role in ("judge", "cluster", "stratum"):
        if (name := getattr(columns, role)) is None:
            continue
        option = f"--{role}"
        for table in tables:
            table.check_column(name, option)
        if role == "judge" and columns.cheap_outcome:
            values = tables[0].categories_in_part(name)  # of a cheap outcome nobody is the judge
        else:
            remedy = f", or leave {option} out"
            values = in_one([table.categories(name, remedy) for table in tables])
        if role != "stratum" and len(values.cat.categories) == 1:
            raise InputError(
                f"{tables[0].path}: column `{name}` is {shown(values.iloc[0])} in every row "
                f"({option}): {SEVERAL}."
            )
        result[role] = values
    return result


def item_clusters(tables: Sequence[Table], columns: JudgmentColumns) -> Series | None:
    """Return the cluster of each item of the left sides of the tables, then of the right sides."""
    if columns.item_cluster is None:
        return None
    option = "--item-cluster"
    named = [sides_of(table, columns.item_cluster, option) for table in tables]
    if any(len(sides) > 1 for sides in named):
        raise InputError(
            f"{option}: `{columns.item_cluster}` names several: name one column, or those of both "
            "sides, such as person_a,person_b."
        )
    clusters = in_one(
        [
            table.categories(sides[0][side], f", or leave {option} out")
            for side in (1, 2)
            for table, sides in zip(tables, named, strict=True)
        ]
    )
    check_several(clusters, tables[0], columns.item_cluster)
    return clusters


def check_several(clusters: Series, table: Table, name: str) -> None:
    """Raise InputError when all items are in one cluster."""
    if len(clusters.cat.categories) == 1:
        raise InputError(
            f"{table.path}: column `{name}` is {shown(clusters.iloc[0])} for every item "
            f"(--item-cluster): {SEVERAL}."
        )
