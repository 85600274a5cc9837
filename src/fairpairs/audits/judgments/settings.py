"""The judgments that are audited, their columns, who wins, and the settings of their audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.base.arrays import Series
from fairpairs.base.errors import InputError, shown
from fairpairs.base.named_columns import names_of
from fairpairs.base.plain_values import Record
from fairpairs.base.reading.table import Table
from fairpairs.mathematics.estimates.pairs.rates import Ties
from fairpairs.mathematics.inference.results import Correction
from fairpairs.mathematics.judgments.given import JudgesAs, TiesInOutcome, question_to_judges

WinnerBy = Literal["auto", "id", "side"]
#: What tells the columns of the two sides apart, at the end of their names, or at the start.
SIDES = (("a", "b"), ("left", "right"), ("1", "2"), ("first", "second"), ("chosen", "rejected"))
#: Why a column of related judgments must name several.
SEVERAL = "a variance needs several, so name another column, or leave the option out"
#: Words for the sides, in small letters.
WORDS_OF_SIDES = {
    word: side
    for side, words in {
        1: "1,+1,1.0,left,a,model_a,model_1,response_a,first,[[a]],model a",
        -1: "-1,-1.0,right,b,model_b,model_2,response_b,second,[[b]],model b",
    }.items()
    for word in words.split(",")
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
    frozenset(("true", "false")): "which of the two is the left item cannot be told",
}


@dataclass(frozen=True)
class JudgmentColumns:
    """The columns that a command, a config or a caller names.

    The items have their own table (`item`, `score`, `sensitive` are its columns), or are in that of
    the judgments: `score` and `sensitive` then name the columns of both sides, "left,right".
    """

    #: In one table, items recur only if `left` or `right` names their ids.
    left: str | None = None
    right: str | None = None
    outcome: str | None = None
    #: Instead of these three: scores of the preferred item and of the other, for several models.
    chosen: Sequence[str] = ()
    rejected: Sequence[str] = ()
    item: str | None = None
    #: Scores of the items, one column for each model.
    score: Sequence[str] = ()
    #: What audited judges prefer, in place of scores, one column for each.
    verdict: Sequence[str] = ()
    #: Groups of the items.
    sensitive: Sequence[str] = ()
    #: Identifies judgments that are versions of one text in two groups.
    pair: str | None = None
    #: Whether answers of different versions are not compared, as of prompts that differ.
    within_only: bool = False
    judge: str | None = None
    cluster: str | None = None
    stratum: str | None = None
    #: Cluster of each item, such as the person who wrote it.
    item_cluster: str | None = None
    winner_by: WinnerBy = "auto"
    #: An outcome that every judgment has, where `outcome` is missing in most, and how the judgments
    #: with an `outcome` were drawn: the chance of each, or strata.
    cheap_outcome: str | None = None
    chance: str | None = None
    drawn_within: str | None = None


@dataclass(frozen=True)
class JudgmentSettings:
    """How an audit of judgments tests."""

    intersections: bool = False
    #: How a tie of two scores counts.
    ties: Ties = "wrong"
    #: Whether judgments without a winner are left out, or count half for each side.
    ties_in_outcome: TiesInOutcome = "drop"
    #: Whether the left item was shown first, so that a preference for it is tested.
    order: bool = False
    #: None stands for "fixed" with few judges, and for "sample" with enough of them.
    judges: JudgesAs | None = None
    alpha: float = 0.05
    #: Adjusts p over the hypotheses of one attribute, of all models.
    correction: Correction = "holm"

    def judges_as(self, judges: int) -> JudgesAs:
        """Return whether an audit is about so many judges, or about judges like them."""
        return question_to_judges(judges, self.judges)

    def sampled(self, judge: Series | None) -> Series | None:
        """Return the judges whose judgments are related; None where it is about these judges.

        What a judge has in common is then no chance, and judgments are related by items alone.
        """
        fixed = judge is None or self.judges_as(judge.nunique()) == "fixed"
        return None if fixed else judge


@dataclass(frozen=True)
class CheapOutcomes:
    """What a cheap judge prefers in all m judgments, and which of them have a human outcome."""

    #: As `Judgments.outcome`, which is 0 where there is none, shape (m,).
    outcome: NDArray[np.int64]
    human: NDArray[np.bool_]
    #: Chance of each judgment to get a human outcome, shape (m,).
    chance: NDArray[np.float64]


@dataclass(frozen=True)
class Judgments:
    """The m judgments and the n items that they judge."""

    #: The files of the judgments (one for each group, if separate), then that of the items, if any.
    tables: tuple[Table, ...]
    #: Positions of the two items of each judgment, shape (m,).
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    #: 1 where the left item is preferred, −1 where the right one is, 0 for a tie, shape (m,).
    outcome: NDArray[np.int64]
    #: The judged items: their scores, and their attributes as categories.
    items: pd.DataFrame
    #: Columns of the items.
    scores: list[str]
    attributes: list[str]
    #: What audited judges prefer (1, −1, 0), by name, shape (m,) each.
    verdicts: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    #: Categories of the judgments, shape (m,).
    judge: Series | None = None
    cluster: Series | None = None
    stratum: Series | None = None
    #: Cluster of each item, as categories, shape (n,).
    item_cluster: Series | None = None
    #: Whether the items have a table of their own, the last one.
    own_items: bool = False
    #: The group that each table holds, if each group has its own table.
    groups: tuple[str, ...] = ()
    #: Whether rows are versions of one text, which was judged once.
    versions: bool = False
    #: The cheap outcomes, if all judgments have one and only some an outcome.
    cheap: CheapOutcomes | None = None

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


def check_order(judgments: Judgments) -> None:
    """Raise InputError if the left item always wins, so that its position cannot be tested."""
    if not (judgments.outcome < 0).any():
        raise InputError(
            f"--order: {judgments.tables[0].path}: the left item is preferred in every judgment, "
            "as a chosen answer is, so its place is not the one where it was shown: leave --order "
            "out."
        )


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
    """Return judge, cluster and stratum of each row of the tables, those that are named."""
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
    if ids is None and winner_by == "id":
        raise InputError("--winner-by id: no ids are named: give --left and --right, or leave it.")
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
        plain = lower.str.removesuffix(".0")
        remedy = OTHER_CODES.get(frozenset(plain))
        if remedy:
            raise InputError(
                f"{table.path}: column `{name}` holds {', '.join(kinds[:-1])} and {kinds[-1]}, and "
                f"{remedy}: write left, right and tie, or 1, -1 and 0."
            )
        # 1 and 2 are the sides if 0 is beside them, and is then the tie
        sides = WORDS_OF_SIDES | ({"2": -1} if {*plain} == {"0", "1", "2"} else {})
        found = [
            sides.get(word, sides.get(bare, 0)) for word, bare in zip(lower, plain, strict=True)
        ]
        outcome = np.array(found, dtype=np.int64)[code]
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
    if word.lower() in WORDS_OF_SIDES:
        raise InputError(
            f"{where}, a side, and none of the two ids of that row: write ids in each row, or use "
            "--winner-by side."
        )
    one, two = (side.iloc[row] for side in ids)
    raise InputError(
        f"{where}, which is neither {shown(one)} nor {shown(two)}, the items of that row, nor a "
        "tie: correct it."
    )
