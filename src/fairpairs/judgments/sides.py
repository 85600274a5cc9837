"""Judgments with both sides in a row: model_a, model_b, winner, and their groups and scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.errors import InputError, shown
from fairpairs.input_tables import Table
from fairpairs.judgments.columns import check_apart, item_clusters, shared, sides_of
from fairpairs.judgments.judged import Judgments
from fairpairs.judgments.outcomes import read_outcomes
from fairpairs.judgments.settings import JudgmentColumns


def read_sides(table: Table, columns: JudgmentColumns) -> Judgments:
    """Read judgments from one table; without ids each row has two items of its own.

    Raises
    ------
    InputError
        One sentence that names the file, the column, and the remedy.
    """
    outcome = columns.outcome or "winner"
    if not columns.score and not columns.verdict:
        raise InputError(
            f"--score: name the columns of {table.path} with the scores of both sides, such as "
            "score_a,score_b, or by --verdict that with what the audited judge prefers."
        )
    scores, groups = (
        [side for text in texts for side in sides_of(table, text, option)]
        for texts, option in ((columns.score, "--score"), (columns.sensitive, "--sensitive"))
    )
    named = [(outcome, "--outcome"), *((name, "--verdict") for name in columns.verdict)]
    check_apart(table, named)
    m = len(table)
    ids, known = None, None
    one, two = np.arange(m), m + np.arange(m)
    names = columns.left or "model_a", columns.right or "model_b"
    if set(names) <= set(table.columns):
        ids = table.words(names[0]), table.words(names[1])
        known = pd.Index(pd.unique(pd.concat(ids)))
    elif columns.left or columns.right:
        check_apart(table, [(names[0], "--left"), (names[1], "--right")])
    outcomes, *judged = (
        read_outcomes(table, name, ids, winner_by=columns.winner_by, known=known)
        for name in (outcome, *columns.verdict)
    )
    verdicts = dict(zip(columns.verdict, judged, strict=True))
    for name, left, right in scores:
        if left == right:
            raise InputError(
                f"--score: `{left}` is one column: name the scores of both sides, such as "
                "score_a,score_b."
            )
        remedy = "correct it, or drop the judgment"
        difference = table.numbers(left, remedy) - table.numbers(right, remedy)
        verdicts[name] = np.sign(difference.to_numpy()).astype(np.int64)
        if not verdicts[name].any():
            raise InputError(
                f"{table.path}: both sides have the same score in every row (columns `{left}` and "
                f"`{right}`): name scores that differ."
            )
    items = pd.DataFrame(
        {
            name: pd.concat([table.words(left), table.words(right)], ignore_index=True)
            for name, left, right in groups
        }
    )
    attributes = [name for name, _, _ in groups]
    cluster = item_clusters([table], columns)
    if columns.left is not None and ids is not None:  # items that recur
        code, kinds = pd.factorize(pd.concat(ids, ignore_index=True))
        one, two = code[:m], code[m:]
        if (one == two).any():
            row = int((one == two).argmax())
            raise InputError(
                f"{table.path}: row {row + 1} judges the item {shown(kinds[one[row]])} against "
                "itself: drop such judgments."
            )
        first = np.unique(code, return_index=True)[1]
        for name in attributes:
            _check_one_group(table, items[name], code, first, kinds)
        items = items.iloc[first].reset_index(drop=True)
        cluster = None if cluster is None else cluster.iloc[first].reset_index(drop=True)
    return Judgments(
        (table,), one, two, outcomes, items, [], attributes, verdicts, **shared(table, columns),
        item_cluster=cluster,
    )  # fmt: skip


def _check_one_group(
    table: Table,
    groups: pd.Series[str],
    code: NDArray[np.int64],
    first: NDArray[np.int64],
    kinds: pd.Index[str],
) -> None:
    """Raise where an item that recurs is in two groups."""
    other = (groups != groups.iloc[first].to_numpy()[code]).to_numpy()
    if other.any():
        place, m = int(other.argmax()), len(table)
        before = int(first[code[place]])
        raise InputError(
            f"{table.path}: the item {shown(kinds[code[place]])} is in two groups of "
            f"`{groups.name}`, {shown(groups[before])} in row {before % m + 1} and "
            f"{shown(groups[place])} in row {place % m + 1}: correct it, or leave --left and "
            "--right out if its answers differ."
        )
