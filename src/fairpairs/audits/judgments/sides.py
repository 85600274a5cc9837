"""Judgments with both sides in a row: model_a, model_b, winner, and their groups and scores."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.audits.judgments.cheap import read_cheap_outcomes
from fairpairs.audits.judgments.columns import (
    check_apart,
    check_names,
    in_one,
    item_clusters,
    shared,
    sides_of,
    taken,
)
from fairpairs.audits.judgments.judged import Judgments
from fairpairs.audits.judgments.outcomes import read_outcomes
from fairpairs.audits.judgments.settings import JudgmentColumns
from fairpairs.base.arrays import Series
from fairpairs.base.errors import InputError, shown
from fairpairs.base.reading.table import Table

#: What the columns of the items and of the winner are called where the user does not say so.
LEFT, RIGHT, WINNER = "model_a", "model_b", "winner"


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
    cheap = read_cheap_outcomes(table, outcome, ids, columns)
    partly = outcome if cheap is not None else None
    outcomes, *judged = (
        read_outcomes(table, name, ids, winner_by=columns.winner_by, in_part=name == partly)
        for name in (outcome, *verdicts)
    )
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
        (table,), one, two, outcomes, items, models, attributes,
        dict(zip(verdicts, judged, strict=True)), **shared([table], columns), item_cluster=cluster,
        cheap=cheap,
    )  # fmt: skip


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
