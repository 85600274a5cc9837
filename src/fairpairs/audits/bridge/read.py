"""Two files of decisions: their columns for a bridge, checked against each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.audits.items.repeated_ids import copies_in, repeated_ids
from fairpairs.base.columns import Column
from fairpairs.base.errors import InputError, shown
from fairpairs.base.named_columns import names_of
from fairpairs.base.plain_values import Record
from fairpairs.base.reading.table import Table
from fairpairs.base.texts import listed

#: An amount in a text, with a sign of its unit; more of them than this are no categories.
AMOUNT = re.compile(r"[^\w\s]{0,2}\s?\d[\d.,'’\s]*[^\w\s]?")
MOST_AMOUNTS = 20
#: Share of rows whose values the other file has not, above which a check says so.
MOST_OUTSIDE = 0.4


@dataclass(frozen=True)
class Decisions:
    """Two sets of decisions on different items, R_0 first."""

    tables: tuple[Table, Table]
    #: Names of the decisions in each file.
    columns: tuple[str, str]
    decisions: tuple[pd.Series[float], pd.Series[float]]
    groups: tuple[pd.Series[str], pd.Series[str]]
    #: Features for the model: numbers, or else text.
    features: tuple[pd.DataFrame, pd.DataFrame]
    #: Columns that are not used.
    unused: list[str]
    #: Notes on the features.
    notes: list[str]
    #: What to check in the input.
    checks: list[str]


def read_decisions(
    first: Path,
    second: Path,
    *,
    decision: str,
    decision_2: str | None,
    group: str,
    features: Sequence[str],
    drop: Sequence[str],
    folds: int,
) -> Decisions:
    """Read the decisions R_0 and R_1 from two CSV or Parquet files.

    Without `decision_2`, both files have the first column. The model uses `features`, by default
    all shared columns, without `drop`. Fewer than `folds` items of a group in the first file raise
    InputError.
    """
    if first.exists() and second.exists() and first.samefile(second):
        raise InputError(
            f"{second}: the same file twice: a bridge is for decisions on different "
            "rows; for two decisions on the same rows use fairpairs.differential_parity_test."
        )
    tables = Table(first), Table(second)
    columns = decision, decision_2 or decision
    names, unused = _feature_names(tables, columns, group, features, drop)
    decisions, groups = _decisions(tables, columns), _groups(tables, group, folds)
    x_0, x_1, notes = _features(tables, names)
    checks = []
    for table, column in zip(tables, columns, strict=True):
        options = {
            **dict.fromkeys([*names, *columns], ""),
            column: "prediction",
            group: "sensitive",
        }
        ids = repeated_ids(table, options, remedy="keep one row of each")
        notes_of = (*ids, *copies_in(table), *table.notes.values())
        checks += [f"{table.called}: {note}" for note in notes_of]
    frames = [x.assign(**{columns[1]: y}) for x, y in zip((x_0, x_1), decisions, strict=True)]
    checks += _outside(tables, *frames)
    if x_0.equals(x_1):
        checks.append(
            "Both files have the same features in the same order: if they are the same rows, "
            "fairpairs.differential_parity_test compares the decisions without a model."
        )
    return Decisions(tables, columns, decisions, groups, (x_0, x_1), unused, notes, checks)


def _feature_names(
    tables: tuple[Table, Table],
    decisions: tuple[str, str],
    group: str,
    features: Sequence[str],
    drop: Sequence[str],
) -> tuple[list[str], list[str]]:
    """Return the columns for the model, and those that are not used at all."""
    first, second = tables
    first.check_column(decisions[0], "--decision")
    second.check_column(decisions[1], "--decision, or give --decision-2")
    for table in tables:
        table.check_column(group, "--sensitive")
        named = table.named(features, "--features")
    if group in decisions:
        raise InputError(f"--sensitive: `{group}` is the decision too: name two columns.")
    both = [*first.columns, *(name for name in second.columns if name not in first.columns)]
    dropped = [
        name for text in drop for name in ([text] if text in both else names_of([text], "--drop"))
    ]
    for name in dropped:
        if name not in both:
            first.check_column(name, "--drop")
    for name in named:
        if name in decisions:
            raise InputError(
                f"--features: `{name}` is a decision, which the model is to predict: leave it out."
            )
    shared = [
        name for name in first.columns if name in second.columns and name not in (*decisions, group)
    ]
    names = [name for name in dict.fromkeys(named or shared) if name not in dropped]
    if not names:
        raise InputError(
            f"{first.path} and {second.path}: they have no feature in common; {first.path} has "
            f"{listed(first.columns)}, {second.path} has {listed(second.columns)}: "
            "give the columns the same names, or drop fewer."
        )
    return names, [name for name in both if name not in (*names, *decisions, group)]


def _decisions(
    tables: tuple[Table, Table], columns: tuple[str, str]
) -> tuple[pd.Series[float], pd.Series[float]]:
    first, second = (
        table.numbers(name, "correct it, or write decisions as 0 and 1")
        for table, name in zip(tables, columns, strict=True)
    )
    for table, values in zip(tables, (first, second), strict=True):
        if values.min() == values.max():
            raise InputError(
                f"{table.path}: every decision in `{values.name}` is {values[0]:g}: give decisions "
                "that differ between rows."
            )
    return first, second


def _groups(
    tables: tuple[Table, Table], column: str, folds: int
) -> tuple[pd.Series[str], pd.Series[str]]:
    (first, names), (second, others) = (table.two_groups(column) for table in tables)
    if names != others:
        raise InputError(
            f"{tables[1].path}: column `{column}` has the groups {listed(map(repr, others))}, "
            f"and {tables[0].path} has {listed(map(repr, names))}: give them the same names."
        )
    for table, groups, least in zip(tables, (first, second), (folds, 2), strict=True):
        smallest = groups.value_counts().sort_index().idxmin()
        if (n := int((groups == smallest).sum())) < least:
            raise InputError(
                f"{table.path}: the group {shown(smallest)} has {n} row(s), fewer than {least}: "
                "add rows" + (", or take fewer --folds." if least > 2 else ".")
            )
    return first, second


def _features(
    tables: tuple[Table, Table], names: Sequence[str]
) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Return the features of both files, numbers as numbers, and notes on them."""
    columns: tuple[Record, Record] = {}, {}
    notes, categories = [], []
    for name in names:
        remedy = f"leave the column out (--drop {name})"
        coded = [table.coded(name, f", or {remedy}", number=True) for table in tables]
        is_number = [_are_numbers(column) for column in coded]
        numeric = [bool(known.all()) for known in is_number]
        words = [table.words(name) for table in tables]
        if all(numeric):
            numbers = [table.numbers(name, f"correct it, or {remedy}") for table in tables]
            columns[0][name], columns[1][name] = numbers
            if all(values.is_unique and (values % 1 == 0).all() for values in numbers):
                notes.append(
                    f"`{name}` has a different whole number in each row: if it is an id, {remedy}."
                )
            continue
        if any(numeric):
            odd = numeric.index(False)
            wrong = ~is_number[odd]
            raise InputError(
                f"{tables[odd].path}: column `{name}` holds {shown(words[odd][wrong].iloc[0])} in "
                f"row {int(wrong.argmax()) + 1}, where {tables[1 - odd].path} has numbers only: "
                f"correct it, or {remedy}."
            )
        if words[0].is_unique:
            raise InputError(
                f"{tables[0].path}: column `{name}` has a different word in each row, like an id "
                f"or a name: {remedy}."
            )
        _check_words(words[0], f"{tables[0].path}: column `{name}`", remedy)
        categories.append(f"`{name}` ({words[0].nunique()} words)")
        if is_number[0].any():
            example = words[0][~is_number[0]].iloc[0]
            notes.append(
                f"`{name}` holds numbers and words, such as {shown(example)}: all are used as "
                "words."
            )
        unknown = words[1][~words[1].isin(words[0])]
        if len(unknown):
            notes.append(
                f"`{name}`: {len(unknown)} row(s) of {tables[1].path} have a word that "
                f"{tables[0].path} never has, such as {shown(unknown.iloc[0])}: the model ignores "
                "it."
            )
        columns[0][name], columns[1][name] = words
    if categories:
        notes.append(f"Used as categories: {listed(categories)}.")
    return pd.DataFrame(columns[0]), pd.DataFrame(columns[1]), notes


def _outside(
    tables: tuple[Table, Table], frame_0: pd.DataFrame, frame_1: pd.DataFrame
) -> list[str]:
    """Return which columns of the second file often have values that the first one has not."""
    checks = []
    for name in frame_0:
        first, second = frame_0[name], frame_1[name]
        if pd.api.types.is_numeric_dtype(first):
            share = 1 - second.between(first.min(), first.max()).mean()
        else:
            share = 1 - second.isin(first).mean()
        if share > MOST_OUTSIDE:
            checks.append(
                f"{tables[1].called}: column `{name}` holds what {tables[0].called} never has in "
                f"{100 * share:.0f} % of rows: give both files the same units and words."
            )
    return checks


def _are_numbers(column: Column) -> NDArray[np.bool_]:
    """Return which rows hold a number."""
    kinds = column.kinds
    if kinds.dtype.kind in "iuf":
        known = np.ones(len(kinds), dtype=np.bool_)
    else:
        known = pd.to_numeric(pd.Series(kinds), errors="coerce").notna().to_numpy()
    return column.of_items(known)


def _check_words(words: pd.Series[str], role: str, remedy: str) -> None:
    """Raise InputError for many words that are numbers with a sign beside them, such as 5 %."""
    kinds = words.unique()
    amounts = [word for word in kinds if AMOUNT.fullmatch(word)]
    if len(kinds) > MOST_AMOUNTS and len(amounts) > len(kinds) / 2:
        raise InputError(
            f"{role} holds {len(kinds):,} texts such as {shown(amounts[0])}, which would be "
            f"categories: write numbers alone, or {remedy}."
        )
