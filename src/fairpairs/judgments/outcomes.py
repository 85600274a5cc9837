"""Who wins a judgment: ids of items, sides and ties as people write them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.errors import InputError, shown
from fairpairs.input_tables import Table, row_number
from fairpairs.judgments.settings import WinnerBy

#: Words for the sides.
SIDES = {
    **dict.fromkeys(("1", "+1", "1.0", "left", "a", "model_a", "response_a", "first"), 1),
    **dict.fromkeys(("-1", "-1.0", "right", "b", "model_b", "response_b", "second"), -1),
}
#: Words for a tie.
TIES = (
    "0", "0.0", "0.5", "tie", "tied", "ties", "draw", "equal", "both", "none", "neither", "same",
    "=", "tie (bothbad)", "bothbad", "both_bad", "both bad",
)  # fmt: skip


def read_outcomes(
    table: Table,
    name: str,
    ids: tuple[pd.Series[str], pd.Series[str]] | None,
    *,
    winner_by: WinnerBy = "auto",
    known: pd.Index[str] | None = None,
) -> NDArray[np.int64]:
    """Return 1 where the left item wins, −1 where the right one does, 0 for a tie; shape (m,).

    Parameters
    ----------
    table, name
        The column that says who wins.
    ids
        Ids of the left and of the right items, if they have any.
    winner_by
        "id", "side", or "auto": by id if any row holds one of its two.
    known
        Ids of all items, which are no words for a tie.

    Raises
    ------
    InputError
        For a word that is neither an item of the row, nor a side, nor a tie.
    """
    words = table.words(name, ", because a judgment without a winner does not count")
    outcome = np.zeros(len(words), dtype=np.int64)
    by_id = False
    if ids is not None and winner_by != "side":
        left, right = ((words == side).to_numpy() for side in ids)
        outcome = np.asarray(left.astype(np.int64) - right.astype(np.int64), dtype=np.int64)
        by_id = winner_by == "id" or bool(outcome.any())
    lower = words.str.lower()
    if not by_id:
        outcome = np.asarray(lower.map(SIDES).fillna(0), dtype=np.int64)
    unnamed = lower.isin(TIES) & (True if known is None else ~words.isin(known))
    wrong = (outcome == 0) & ~unnamed
    if not by_id and set(lower.str.removesuffix(".0")) == {"0", "1"}:
        raise InputError(
            f"{table.path}: column `{name}` holds 0 and 1 and no -1: write -1 where the right item "
            "is preferred (0 is a tie)."
        )
    if wrong.any():
        _refuse(table, name, words, wrong, ids if by_id else None)
    return np.asarray(outcome, dtype=np.int64)


def _refuse(
    table: Table,
    name: str,
    words: pd.Series[str],
    wrong: pd.Series[bool],
    ids: Sequence[pd.Series[str]] | None,
) -> None:
    word, row = words[wrong].iloc[0], row_number(wrong)
    where = f"{table.path}: column `{name}` holds {shown(word)} in row {row}"
    if ids is None:
        raise InputError(
            f"{where}, which is neither a side (left, right, 1, -1, model_a, model_b) nor a tie "
            "(tie, 0): correct it."
        )
    one, two = (side[wrong].iloc[0] for side in ids)
    if word.lower() in SIDES:
        raise InputError(
            f"{where}, a side, while other rows hold ids: write ids alone, or use --winner-by side."
        )
    raise InputError(
        f"{where}, which is neither {shown(one)} nor {shown(two)}, the items of that row, nor a "
        "tie: correct it."
    )
