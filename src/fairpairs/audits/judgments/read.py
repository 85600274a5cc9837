"""Judgments of a user, in any of three forms; scores of chosen and rejected answers are one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.audits.judgments.repeated_pairs import with_repeated_pairs
from fairpairs.audits.judgments.settings import (
    JudgmentColumns,
    Judgments,
    check_apart,
    check_names,
    in_one,
    item_clusters,
    shared,
    sides_of,
    taken,
)
from fairpairs.audits.judgments.sides import LEFT, RIGHT, WINNER, read_sides, read_two_tables
from fairpairs.base.arrays import Series
from fairpairs.base.errors import InputError, shown
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
#: What the columns of the scores are called where the user does not say so.
CHOSEN, REJECTED = "chosen", "rejected"
#: The name of the attribute where each group has a file of its own.
GROUP = "group"


def read_chosen(tables: Mapping[str, Table], columns: JudgmentColumns) -> Judgments:
    """Read scores of chosen and rejected answers: one table, or one per group with rows that match.

    With `pair`, or with several tables, an answer is also compared with that of the other kind in
    another version of its text: chosen over rejected, which are one text's answers in two groups.
    """
    every = list(tables.values())
    scores = [_scores_of_sides(table, columns) for table in every]
    models = list(scores[0])
    groups = _groups_of_sides(tables, columns)
    check_names(models, list(groups))
    pairs = _pairs(every, columns)
    n = sum(map(len, every))
    left, right = np.arange(n), n + np.arange(n)
    if pairs is not None and not columns.within_only:
        one, two = _across(pairs, groups, every[0].path)
        left, right = np.concatenate([left, one]), np.concatenate([right, n + two])
    items = pd.DataFrame(
        {
            **{
                model: np.concatenate(
                    [table_scores[model] for table_scores in scores], axis=1
                ).ravel()
                for model in models
            },
            **groups,
        }
    )
    # a judgment across two versions is of the row of the chosen answer
    related = {role: taken(values, left) for role, values in shared(every, columns).items()}
    if pairs is not None and "cluster" not in related:
        related["cluster"] = taken(pairs, left)
    return Judgments(
        tuple(every), left, right, np.ones(len(left), dtype=np.int64), items, models, list(groups),
        judge=related.get("judge"), cluster=related.get("cluster"), stratum=related.get("stratum"),
        item_cluster=item_clusters(every, columns),
        groups=tuple(tables) if len(tables) > 1 else (), versions=pairs is not None,
    )  # fmt: skip


def _scores_of_sides(table: Table, columns: JudgmentColumns) -> dict[str, NDArray[np.float64]]:
    """Return the scores of chosen and rejected answers, shape (2, n), of each model."""
    chosen = table.named(columns.chosen or [CHOSEN], "--chosen")
    rejected = table.named(columns.rejected or [REJECTED], "--rejected")
    if len(chosen) != len(rejected):
        raise InputError(
            f"--chosen names {len(chosen)} column(s) and --rejected {len(rejected)}: name one of "
            "each for each model."
        )
    check_apart(
        table,
        [*((name, "--chosen") for name in chosen), *((name, "--rejected") for name in rejected)],
    )
    remedy = "write the score of the answer, not its text, or drop the row"
    result: dict[str, NDArray[np.float64]] = {}
    for one, two in zip(chosen, rejected, strict=True):
        both = np.stack([np.asarray(table.numbers(side, remedy)) for side in (one, two)])
        if (both == both[0, 0]).all():
            raise InputError(
                f"{table.path}: all scores in `{one}` and `{two}` are {both[0, 0]:g}: give "
                "scores that differ."
            )
        name = _model(one, two)
        if name in result:
            raise InputError(f"--chosen: two models are called {shown(name)}: rename a column.")
        result[name] = both
    return result


def _model(chosen: str, rejected: str) -> str:
    """Return the name of a model by that of its columns: `score` for chosen and rejected alone."""
    one, two = chosen.replace(CHOSEN, ""), rejected.replace(REJECTED, "")
    both_say = CHOSEN in chosen and REJECTED in rejected
    if both_say and one != two:
        raise InputError(
            f"--chosen and --rejected: `{chosen}` and `{rejected}` seem to be of two models: name "
            "the columns of the models in the same order."
        )
    return one.strip("_- .") or "score"


def _groups_of_sides(tables: Mapping[str, Table], columns: JudgmentColumns) -> dict[str, Series]:
    """Return the groups of the chosen answers, then of the rejected ones, of each attribute."""
    if len(tables) > 1:
        kinds = sorted(tables)
        codes = np.repeat([kinds.index(name) for name in tables], [*map(len, tables.values())])
        return {GROUP: pd.Series(pd.Categorical.from_codes(np.tile(codes, 2), pd.Index(kinds)))}
    (table,) = tables.values()
    groups = {}
    for text in columns.sensitive:
        for name, *sides in sides_of(table, text, "--sensitive"):
            groups[name] = in_one([table.categories(side) for side in sides])
    return groups


def _pairs(tables: Sequence[Table], columns: JudgmentColumns) -> Series | None:
    """Return the column that identifies each row's text; for several tables the row number."""
    if len(tables) > 1:
        rows = [len(table) for table in tables]
        if columns.pair is None and len(set(rows)) > 1:
            sizes = listed(f"{t.path} has {n:,} rows" for t, n in zip(tables, rows, strict=True))
            raise InputError(
                f"--group: {sizes}: row by row they hold versions of one text, so give files of "
                "equal length, or name the column of the text by --pair."
            )
        if columns.pair is None:
            names = pd.Index([f"row {i + 1}" for i in range(rows[0])])
            code = np.tile(np.arange(rows[0]), len(tables))
            return pd.Series(pd.Categorical.from_codes(code, names))
    if columns.pair is None:
        if columns.within_only:
            raise InputError("--within-only: without --pair no text has versions: leave it out.")
        return None
    for table in tables:
        table.check_column(columns.pair, "--pair")
    return in_one([table.categories(columns.pair, ", or leave --pair out") for table in tables])


def _across(
    texts: Series, groups: Mapping[str, Series], path: Path
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of the chosen and of the rejected answer of each two versions of a text."""
    pairs = texts.cat.codes.to_numpy(dtype=np.int64)
    order = np.argsort(pairs, kind="stable")
    size = np.bincount(pairs)
    if (alone := size == 1).any():
        more = f", as have {alone.sum() - 1:,} more" if alone.sum() > 1 else ""
        raise InputError(
            f"{path}: the text {shown(texts.cat.categories[int(alone.argmax())])} has one version "
            f"only (--pair){more}: add the version of another group, or drop such rows."
        )
    versions = pd.DataFrame(
        {
            "text": pairs,
            **{
                f"{side} {name}": item_groups.cat.codes.to_numpy().reshape(2, -1)[side]
                for name, item_groups in groups.items()
                for side in (0, 1)
            },
        }
    )
    if (again := versions.duplicated()).any():
        row = int(again.to_numpy().argmax())
        raise InputError(
            f"{path}: the text {shown(texts.iloc[row])} has two versions in one group, the "
            f"second in row {row + 1}: keep one version in each group."
        )
    start = np.cumsum(size) - size
    one, two = [], []
    for i, j in permutations(range(int(size.max())), 2):
        whole = start[size > max(i, j)]
        one.append(order[whole + i])
        two.append(order[whole + j])
    return np.concatenate(one), np.concatenate(two)


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
