"""Judgments of items with ids: both sides in a row, or the items in a table of their own."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.audits.judgments.cheap import read_cheap_outcomes
from fairpairs.audits.judgments.settings import (
    JudgmentColumns,
    Judgments,
    check_apart,
    check_names,
    check_several,
    in_one,
    item_clusters,
    read_outcomes,
    shared,
    sides_of,
    taken,
)
from fairpairs.base.arrays import Series
from fairpairs.base.errors import InputError, shown
from fairpairs.base.plain_values import Record
from fairpairs.base.reading.table import Table

#: What the columns of the items and of the winner are called where the user does not say so.
LEFT, RIGHT, WINNER = "model_a", "model_b", "winner"
#: Ids that an unknown id is compared with for a suggestion.
MAX_COMPARED = 10_000


def read_sides(table: Table, columns: JudgmentColumns) -> Judgments:
    """Read judgments from one table; without --left and --right all items are different."""
    outcome = columns.outcome or WINNER
    if not columns.score and not columns.verdict:
        raise InputError(
            f"--score: name the columns of {table.path} with the scores of both sides, such as "
            "score_a,score_b, or by --verdict that with what the audited judge prefers."
        )
    scores, groups = (
        [side for text in texts for side in sides_of(table, text, option)]
        for texts, option in ((columns.score, "--score"), (columns.sensitive, "--sensitive"))
    )
    verdicts = table.named(columns.verdict, "--verdict")
    check_apart(table, [(outcome, "--outcome"), *((name, "--verdict") for name in verdicts)])
    models, attributes = [name for name, _, _ in scores], [name for name, _, _ in groups]
    check_names([*models, *verdicts], attributes)
    ids = _ids(table, columns)
    given = _outcomes(table, outcome, verdicts, ids, columns)
    items = pd.DataFrame(
        {
            **{name: _scores(table, left, right) for name, left, right in scores},
            **{name: in_one([table.categories(side) for side in sides]) for name, *sides in groups},
        }
    )
    cluster = item_clusters([table], columns)
    position = np.arange(2 * len(table), dtype=np.int64)
    if ids is not None and (columns.left or columns.right):
        together = in_one(ids)
        position = np.array(together.cat.codes, dtype=np.int64)
        itself = position[: len(table)] == position[len(table) :]
        if itself.any():
            row = int(itself.argmax())
            raise InputError(
                f"{table.path}: row {row + 1} judges the item {shown(ids[0].iloc[row])} against "
                "itself: drop such judgments."
            )
        first = np.unique(position, return_index=True)[1]
        for name in items:
            _check_same(table, items[name], together, first, attribute=name in attributes)
        items = items.iloc[first].reset_index(drop=True)
        if cluster is not None:
            _check_same(table, cluster.rename(columns.item_cluster), together, first)
            cluster = taken(cluster, first)
    one, two = position[: len(table)], position[len(table) :]
    return Judgments(
        (table,), one, two, items=items, scores=models, attributes=attributes, item_cluster=cluster,
        **given, **shared([table], columns),
    )  # fmt: skip


def _outcomes(
    table: Table,
    outcome: str,
    verdicts: Sequence[str],
    ids: tuple[Series, Series] | None,
    columns: JudgmentColumns,
) -> Record:
    """Return who wins, by people, by a cheap judge if there is one, and by the audited judges."""
    cheap = read_cheap_outcomes(table, outcome, ids, columns)
    partly = outcome if cheap is not None else None
    outcomes, *judged = (
        read_outcomes(table, name, ids, winner_by=columns.winner_by, in_part=name == partly)
        for name in (outcome, *verdicts)
    )
    by_verdict = dict(zip(verdicts, judged, strict=True))
    return {"outcome": outcomes, "verdicts": by_verdict, "cheap": cheap}


def _ids(table: Table, columns: JudgmentColumns) -> tuple[Series, Series] | None:
    """Return the ids of the left and of the right items, if there are any."""
    left, right = columns.left or LEFT, columns.right or RIGHT
    if columns.left or columns.right:
        check_apart(table, [(left, "--left"), (right, "--right")])
    elif not {left, right} <= set(table.columns):
        return None
    return table.categories(left), table.categories(right)


def _scores(table: Table, left: str, right: str) -> NDArray[np.float64]:
    """Return the scores of the left items, then those of the right ones."""
    if left == right:
        raise InputError(
            f"--score: `{left}` is one column: name the scores of both sides, such as "
            "score_a,score_b."
        )
    one, two = (
        table.numbers(side, "correct it, or drop the judgment").to_numpy() for side in (left, right)
    )
    if (one == two).all():
        raise InputError(
            f"{table.path}: both sides have the same score in every row (columns `{left}` and "
            f"`{right}`): name scores that differ."
        )
    return np.concatenate([one, two])


def _check_same(
    table: Table,
    values: Series,
    ids: Series,
    first: NDArray[np.int64],
    *,
    attribute: bool = False,
) -> None:
    """Raise where an item that recurs is in two groups, or has two scores or clusters."""
    codes = values.to_numpy() if values.dtype != "category" else values.cat.codes.to_numpy()
    other = codes != codes[first][ids.cat.codes.to_numpy()]
    if other.any():
        row, m = int(other.argmax()), len(table)
        before = int(first[ids.cat.codes.iloc[row]])
        what = (
            f"is in two groups of `{values.name}`"
            if attribute
            else (f"has two values of `{values.name}`")
        )
        one, two = (shown(value) for value in values.iloc[[before, row]].tolist())
        raise InputError(
            f"{table.path}: the item {shown(ids.iloc[row])} {what}, {one} in row "
            f"{before % m + 1} and {two} in row {row % m + 1}: correct it, or leave --left and "
            "--right out if its answers differ."
        )


def read_two_tables(judgments: Table, items: Table, columns: JudgmentColumns) -> Judgments:
    """Read judgments of items; items without a judgment are left out."""
    left, right = columns.left or LEFT, columns.right or RIGHT
    outcome, item = columns.outcome or WINNER, columns.item
    if item is None:
        raise InputError(f"--item: name the column of {items.path} with the ids of the items.")
    if not columns.score and not columns.verdict:
        raise InputError(
            f"--score: name the column of {items.path} with the scores, or by --verdict that of "
            f"{judgments.path} with what the audited judge prefers."
        )
    named = [(left, "--left"), (right, "--right"), (outcome, "--outcome")]
    _check_swapped(judgments, items, named, [(item, "--item")])
    scores = items.named(columns.score, "--score")
    verdicts = judgments.named(columns.verdict, "--verdict")
    attributes = items.named(columns.sensitive, "--sensitive")
    check_apart(judgments, [*named, *((name, "--verdict") for name in verdicts)])
    check_apart(
        items,
        [
            (item, "--item"),
            *((name, "--score") for name in scores),
            *((name, "--sensitive") for name in attributes),
        ],
    )
    check_names([*scores, *verdicts], attributes)
    ids = _ids_of_items(items, item, attributes)
    remedy = "correct it, or drop the item and its judgments"
    table = pd.DataFrame(
        {
            **{name: items.numbers(name, remedy) for name in scores},
            **{name: items.categories(name) for name in attributes},
        }
    )
    cluster = None
    if columns.item_cluster is not None:
        items.check_column(columns.item_cluster, "--item-cluster")
        cluster = items.categories(columns.item_cluster, ", or leave --item-cluster out")
        check_several(cluster, items, columns.item_cluster)
    both = judgments.categories(left), judgments.categories(right)
    one, two = (_positions(judgments, side, pd.Index(ids), items.path) for side in both)
    if (one == two).any():
        row = int((one == two).argmax())
        raise InputError(
            f"{judgments.path}: row {row + 1} judges the item {shown(ids[one[row]])} against "
            "itself: drop such judgments."
        )
    given = _outcomes(judgments, outcome, verdicts, both, columns)
    # items without a judgment do not count
    used = np.unique(np.concatenate([one, two]))
    table = table.iloc[used].reset_index(drop=True)
    for name in attributes:
        table[name] = table[name].cat.remove_unused_categories()
    for name in scores:
        if table[name].min() == table[name].max():
            raise InputError(
                f"{items.path}: every judged item has the score {table[name][0]:g} (column "
                f"`{name}`): give scores that differ between items."
            )
    return Judgments(
        (judgments, items), np.searchsorted(used, one), np.searchsorted(used, two), items=table,
        scores=scores, attributes=attributes, own_items=True,
        item_cluster=None if cluster is None else taken(cluster, used),
        **given, **shared([judgments], columns),
    )  # fmt: skip


def _check_swapped(
    judgments: Table,
    items: Table,
    judgment_options: list[tuple[str, str]],
    item_options: list[tuple[str, str]],
) -> None:
    """Raise when the two files seem to be swapped."""
    here, there = ({name for name, _ in named} for named in (judgment_options, item_options))
    swapped = here <= set(items.columns) and there <= set(judgments.columns)
    if swapped and not (here <= set(judgments.columns) and there <= set(items.columns)):
        raise InputError(
            f"{judgments.path} and {items.path} appear to be swapped: give the judgments first, "
            "then the predictions."
        )


def _ids_of_items(items: Table, item: str, attributes: list[str]) -> pd.Series[str]:
    """Return the ids of the items; InputError if one has two rows."""
    ids = items.words(item)
    if not ids.duplicated().any():
        return ids
    again = ids[int(ids.duplicated().argmax())]
    rows = np.flatnonzero(ids == again)[:2]
    for name in attributes:
        groups = [items.words(name)[row] for row in rows]
        if groups[0] != groups[1]:
            raise InputError(
                f"{items.path}: the item {shown(again)} is in two groups of `{name}`, "
                f"{shown(groups[0])} in row {rows[0] + 1} and {shown(groups[1])} in row "
                f"{rows[1] + 1}: keep one row for each item."
            )
    raise InputError(
        f"{items.path}: the item {shown(again)} appears twice, in rows {rows[0] + 1} and "
        f"{rows[1] + 1} (column `{item}`): keep one row for each item."
    )


def _positions(table: Table, words: Series, index: pd.Index[str], items: Path) -> NDArray[np.int64]:
    """Return the row of each item; InputError if one is not in the table of the items."""
    rows = index.get_indexer(pd.Index(words.cat.categories))
    positions = rows[words.cat.codes.to_numpy()]
    unknown = positions < 0
    if unknown.any():
        row = int(unknown.argmax())
        word = str(words.iloc[row])
        lower = {known.lower(): known for known in index[:MAX_COMPARED]}
        close = [lower[match] for match in get_close_matches(word.strip().lower(), lower, 1)]
        hint = (
            f"did you mean {shown(close[0])}, or is the row to be dropped?"
            if close
            else ("add the item there, or drop the judgment.")
        )
        raise InputError(
            f"{table.path}: column `{words.name}` names {unknown.sum()} time(s) an item that is "
            f"not in {items}, first {shown(word)} in row {row + 1}: {hint}"
        )
    return np.asarray(positions, dtype=np.int64)
