"""A file of judgments and a file of the judged items: each checked against the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.errors import InputError, shown
from fairpairs.input_tables import Table, row_number
from fairpairs.judgments.settings import WinnerBy

#: Names of the sides, and values that usually mean a tie.
SIDES = {"1": 1, "+1": 1, "1.0": 1, "left": 1, "-1": -1, "-1.0": -1, "right": -1}
TIES = ("0", "0.0", "0.5", "tie", "tied", "draw", "equal", "both", "none", "neither", "same", "=")
#: Ids that an unknown id is compared with for a suggestion.
MAX_COMPARED = 10_000


@dataclass(frozen=True)
class Judgments:
    """The judgments and the items that they judge.

    Attributes
    ----------
    tables
        The files: of the judgments, and of the items where they are in one of their own.
    left, right
        Positions of the two items of each judgment, shape (m,).
    outcome
        1 where the left item is preferred, −1 where the right one is, 0 for a tie, shape (m,).
    items
        The judged items: their scores, and their attributes as text.
    scores, attributes
        Columns of the items.
    verdicts
        What audited judges prefer (1, −1, 0), by name, shape (m,) each.
    judge, cluster, stratum
        Judge, cluster and stratum of each judgment, shape (m,).
    item_cluster
        Cluster of each item, shape (n,).
    """

    tables: tuple[Table, ...]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    outcome: NDArray[np.int64]
    items: pd.DataFrame
    scores: list[str]
    attributes: list[str]
    verdicts: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    judge: pd.Series[str] | None = None
    cluster: pd.Series[str] | None = None
    stratum: pd.Series[str] | None = None
    item_cluster: pd.Series[str] | None = None

    @property
    def models(self) -> list[str]:
        """The models that are audited: their scores, or their verdicts."""
        return [*self.scores, *self.verdicts]

    def predicted(self, model: str) -> NDArray[np.int64]:
        """Return 1 where a model prefers the left item, −1 where the right one, else 0."""
        if model in self.verdicts:
            return self.verdicts[model]
        scores = self.items[model].to_numpy(dtype=np.float64)
        return np.asarray(np.sign(scores[self.left] - scores[self.right]), dtype=np.int64)


def read_judgments(
    judgments: Path,
    predictions: Path,
    *,
    left: str,
    right: str,
    outcome: str,
    item: str,
    score: str,
    sensitive: Sequence[str],
    winner_by: WinnerBy = "id",
) -> Judgments:
    """Read judgments and the items that they judge from two CSV or Parquet files.

    Parameters
    ----------
    judgments
        File with a row for each judgment: the ids of its two items, in the columns `left` and
        `right`, and in `outcome` which of them is preferred.
    predictions
        File with a row for each item: its id, its score, and its groups.
    sensitive
        Columns of the groups, as the option names them.
    winner_by
        "id" where `outcome` holds the id of the preferred item, "side" where it holds 1 and −1.

    Raises
    ------
    InputError
        One sentence that names the file, the column, and the remedy.
    """
    tables = Table(judgments), Table(predictions)
    of_judgments, of_items = (left, right, outcome), (item, score)
    _check_order(tables, of_judgments, of_items)
    attributes = tables[1].named(sensitive, "--sensitive")
    _check_columns(tables, of_judgments, of_items, attributes)
    ids = tables[1].words(item)
    if ids.duplicated().any():
        again = int(ids.duplicated().argmax())
        rows = np.flatnonzero(ids == ids[again]) + 1
        raise InputError(
            f"{tables[1].path}: the item {shown(ids[again])} appears twice, in rows {rows[0]} and "
            f"{rows[1]} (column `{item}`): keep one row for each item."
        )
    scores = tables[1].numbers(score, "correct it, or drop the item and its judgments")
    items = pd.DataFrame({score: scores})
    for name in attributes:
        items[name] = tables[1].words(name)
    index = pd.Index(ids)
    one, two = (_positions(tables[0], name, index, tables[1].path) for name in of_judgments[:2])
    itself = pd.Series(one == two)
    if itself.any():
        raise InputError(
            f"{tables[0].path}: row {row_number(itself)} judges the item "
            f"{shown(ids[one[itself.argmax()]])} against itself: drop such judgments."
        )
    outcomes = _outcomes(tables[0], of_judgments, winner_by, index)
    used = np.unique(np.concatenate([one, two]))
    items = items.iloc[used].reset_index(drop=True)
    if items[score].min() == items[score].max():
        raise InputError(
            f"{tables[1].path}: every judged item has the score {items[score][0]:g} "
            f"(column `{score}`): give scores that differ between items."
        )
    # items without a judgment do not count
    one, two = np.searchsorted(used, one), np.searchsorted(used, two)
    return Judgments(tables, one, two, outcomes, items, [score], attributes)


def _check_order(
    tables: tuple[Table, Table], of_judgments: tuple[str, str, str], of_items: tuple[str, str]
) -> None:
    """Raise when the two files seem to be swapped."""
    columns = [set(table.columns) for table in tables]
    swapped = set(of_judgments) <= columns[1] and set(of_items) <= columns[0]
    if swapped and not (set(of_judgments) <= columns[0] and set(of_items) <= columns[1]):
        raise InputError(
            f"{tables[0].path} and {tables[1].path} appear to be swapped: give the judgments "
            "first, then the predictions."
        )


def _check_columns(
    tables: tuple[Table, Table],
    of_judgments: tuple[str, str, str],
    of_items: tuple[str, str],
    attributes: Sequence[str],
) -> None:
    options = ("--left", "--right", "--outcome"), ("--item", "--score")
    roles = [
        [*zip(of_judgments, options[0], strict=True)],
        [*zip(of_items, options[1], strict=True), *((name, "--sensitive") for name in attributes)],
    ]
    for table, named in zip(tables, roles, strict=True):
        taken: dict[str, str] = {}
        for name, option in named:
            table.check_column(name, option)
            if name in taken:
                raise InputError(
                    f"{option}: `{name}` is the column of {taken[name]} too: name two columns."
                )
            taken[name] = option


def _positions(table: Table, name: str, index: pd.Index[str], items: Path) -> NDArray[np.int64]:
    words = table.words(name)
    positions = index.get_indexer(pd.Index(words))
    unknown = pd.Series(positions < 0)
    if unknown.any():
        word = words[unknown].iloc[0]
        lower = {known.lower(): known for known in index[:MAX_COMPARED]}
        close = [lower[match] for match in get_close_matches(word.strip().lower(), lower, 1)]
        hint = f"did you mean {shown(close[0])}, or is the row to be dropped?" if close else (
            "add the item there, or drop the judgment."
        )  # fmt: skip
        raise InputError(
            f"{table.path}: column `{name}` names {unknown.sum()} time(s) an item that is not in "
            f"{items}, first {shown(word)} in row {row_number(unknown)}: {hint}"
        )
    return np.asarray(positions, dtype=np.int64)


def _outcomes(
    table: Table, columns: tuple[str, str, str], winner_by: WinnerBy, index: pd.Index[str]
) -> NDArray[np.int64]:
    one, two = (table.words(name) for name in columns[:2])
    words = table.words(columns[2], ", because a judgment without a winner does not count")
    if winner_by == "id":
        outcome = np.select([words == one, words == two], [1, -1], default=0)
    else:
        outcome = words.str.lower().map(SIDES).fillna(0).to_numpy(np.int64)
    wrong = pd.Series(outcome == 0)
    if not wrong.any():
        return np.asarray(outcome, dtype=np.int64)
    if winner_by == "side" and set(words.str.removesuffix(".0")) == {"0", "1"}:
        raise InputError(
            f"{table.path}: column `{columns[2]}` holds 0 and 1 and no -1: write -1 where the "
            "right item is preferred (0 is a tie, which is no judgment)."
        )
    word, row = words[wrong].iloc[0], row_number(wrong)
    where = f"{table.path}: column `{columns[2]}` holds {shown(word)} in row {row}"
    if word.lower() in TIES and word not in index:
        n = int(words[wrong].str.lower().isin(TIES).sum())
        raise InputError(
            f"{where}, a tie, which is no judgment: drop such rows ({n} of {len(words)})."
        )
    if winner_by == "side":
        raise InputError(
            f"{where}, which is neither 1 (left) nor -1 (right): correct it"
            + (", or use --winner-by id." if word in index else ".")
        )
    known = word.lower() in SIDES and word not in index
    raise InputError(
        f"{where}, which is neither {shown(one[wrong].iloc[0])} nor {shown(two[wrong].iloc[0])}, "
        "the two items judged there: name the preferred one by its id"
        + (", or use --winner-by side for 1 and -1." if known else ".")
    )
