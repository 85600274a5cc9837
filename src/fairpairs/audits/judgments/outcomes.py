"""Who wins a judgment: ids of items, sides and ties as people write them."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.audits.judgments.settings import WinnerBy
from fairpairs.base.arrays import Series
from fairpairs.base.errors import InputError, shown
from fairpairs.base.reading.table import Table

#: Words for the sides, in small letters.
SIDES = {
    **dict.fromkeys(
        ("1", "+1", "1.0", "left", "a", "model_a", "response_a", "first", "[[a]]", "model a"), 1
    ),
    **dict.fromkeys(
        ("-1", "-1.0", "right", "b", "model_b", "response_b", "second", "[[b]]", "model b"), -1
    ),
}
#: Words for a tie, in small letters.
TIES = (
    "0", "0.0", "0.5", "tie", "tied", "ties", "draw", "equal", "both", "none", "neither", "same",
    "=", "tie (bothbad)", "tie (both bad)", "bothbad", "both_bad", "both bad", "[[c]]",
)  # fmt: skip
#: Codes of the sides that other programs write, and how to write them here.
OTHER_CODES = {
    frozenset("01"): "0 is a tie here",
    frozenset("12"): "which of the two is the left item cannot be told",
    frozenset("012"): "which of these is a tie cannot be told",
    frozenset(("true", "false")): "which of the two is the left item cannot be told",
}


def read_outcomes(
    table: Table,
    name: str,
    ids: tuple[Series, Series] | None,
    *,
    winner_by: WinnerBy = "auto",
    in_part: bool = False,
) -> NDArray[np.int64]:
    """Return 1 where the left item wins, −1 where the right one does, 0 for a tie; shape (m,).

    `ids` are those of the left and right items, as categories; with "auto", the column holds ids if
    any row has one of its two. Another word than an id, a side or a tie raises InputError. With
    `in_part` values may be missing, and are 0.
    """
    words = (
        table.categories_in_part(name)
        if in_part
        else table.categories(name, ", or write tie where nobody wins")
    )
    kinds = pd.Index(words.cat.categories)
    lower = kinds.str.lower()
    code = words.cat.codes.to_numpy()
    tie = lower.isin(TIES)
    outcome, by_id = np.zeros(len(words), dtype=np.int64), False
    if ids is not None:
        # the code of each word among the ids of a side, −1 where it is none
        positions = [pd.Index(side.cat.categories).get_indexer(kinds) for side in ids]
        tie &= np.maximum(*positions) < 0  # an item that is called as a tie is an item
        if winner_by != "side":
            left, right = (
                np.where(position < 0, -2, position)[code] == side.cat.codes.to_numpy()
                for position, side in zip(positions, ids, strict=True)
            )
            outcome = left.astype(np.int64) - right
            by_id = winner_by == "id" or bool(outcome.any())
    if not by_id:
        remedy = OTHER_CODES.get(frozenset(lower.str.removesuffix(".0")))
        if remedy:
            raise InputError(
                f"{table.path}: column `{name}` holds {', '.join(kinds[:-1])} and {kinds[-1]}, and "
                f"{remedy}: write left, right and tie, or 1, -1 and 0."
            )
        outcome = np.array([SIDES.get(word, 0) for word in lower], dtype=np.int64)[code]
    outcome[code < 0] = 0
    wrong = (outcome == 0) & ~tie[code] & (code >= 0)
    if wrong.any():
        _refuse(table, name, words, int(wrong.argmax()), ids if by_id else None)
    return outcome


def _refuse(table: Table, name: str, words: Series, row: int, ids: Sequence[Series] | None) -> None:
    word = str(words.iloc[row])
    where = f"{table.path}: column `{name}` holds {shown(word)} in row {row + 1}"
    if ids is None:
        raise InputError(
            f"{where}, which is neither a side (left, right, 1, -1, model_a, model_b) nor a tie "
            "(tie, 0): correct it."
        )
    if word.lower() in SIDES:
        raise InputError(
            f"{where}, a side, and none of the two ids of that row: write ids in each row, or use "
            "--winner-by side."
        )
    one, two = (side.iloc[row] for side in ids)
    raise InputError(
        f"{where}, which is neither {shown(one)} nor {shown(two)}, the items of that row, nor a "
        "tie: correct it."
    )
