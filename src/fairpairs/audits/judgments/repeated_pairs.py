"""Rows of the same pairs, or with the same item, without ids or clusters that say so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import chdtr

from fairpairs.audits.items.repeated_ids import Roles, related, repeated_ids
from fairpairs.audits.judgments.settings import JudgmentColumns, Judgments
from fairpairs.base.arrays import Integers, Series
from fairpairs.base.columns import Column, PartialColumn
from fairpairs.base.errors import InputError

#: So many times as many equal rows as chance makes, and at least so many, are of the same pairs.
TIMES, LEAST = 20, 5
#: What to do where rows share items.
SHARED = (
    "give --cluster with what rows share, or, with both sides in a row, the ids of the items by "
    "--left and --right"
)
#: So few kinds of rows, or of sides, do not show that they repeat.
FEWEST_KINDS, FEWEST_SIDES = 10, 20
#: Rows of one pair follow each other at least in this share of the rows, and so many times as
#: often as rows that are farther apart are equal.
FOLLOWING, TIMES_FARTHER = 0.3, 3
#: Level of the test that judges judge each kind of row by chance, against more evenly.
EVEN = 1e-6
#: A side recurs if more than this share of its items is in several rows, and less than that share
#: of the items of the other side is: few different scores make both recur.
RECURRING, SELDOM = 0.6, 0.2


def with_repeated_pairs(
    judged: Judgments, columns: JudgmentColumns, alpha: float, remedy: str = "give --cluster {}"
) -> Judgments:
    """Return judgments whose rows of one pair are a cluster, if pairs recur and nothing names them.

    Rows with the same scores and groups of both sides, in either order, are of one pair if there
    are far more of them than if both sides were drawn apart. Few different scores make equal rows
    of other pairs by chance, too. Then pairs recur if the numbers of equal rows have a common
    divisor, or if equal rows follow each other, or if each judge judges each kind of row as often.
    If no pair recurs, a note names a column of ids that repeat, or says that rows share items; if
    judgments of one id are related, InputError says so.
    """
    once = np.bincount(np.concatenate([judged.left, judged.right])).max() == 1
    named = judged.cluster is not None or judged.item_cluster is not None or judged.versions
    if not once or named:
        return judged
    table, n = judged.tables[0], len(judged.left)
    of_kind = judged.items.groupby(list(judged.items), observed=True, sort=False).ngroup()
    kind: Integers = np.asarray(of_kind, dtype=np.int64)
    if judged.scores:
        sides = np.sort(np.column_stack([kind[judged.left], kind[judged.right]]), axis=1)
        pairs, pair, rows = np.unique(sides, axis=0, return_inverse=True, return_counts=True)
        pair = pair.reshape(-1)
        equal = float((rows * (rows - 1) / 2).sum())
        share = np.bincount(sides.reshape(-1)) / (2 * n)
        chance = n * (n - 1) * float((share**2).sum()) ** 2
        if equal >= LEAST and (
            equal >= TIMES * chance
            or _whole(rows)
            or _following(pair)
            or _as_often_by_each(pair, judged.judge)
        ):
            names = pd.Index([f"pair {i + 1}" for i in range(len(pairs))])
            least = "" if equal >= TIMES * chance else "at least "
            table.notes["pairs"] = (
                f"{n:,} rows judge {least}{len(pairs):,} pairs, by the scores and groups of both "
                "sides: rows of one pair are taken for related. Name the pairs by --cluster, or "
                "the items by --left and --right, if that is not so."
            )
            return replace(judged, cluster=pd.Series(pd.Categorical.from_codes(pair, names)))
    more = _agreement(judged) if len(judged.tables) == 1 else {}
    options = {
        name: ""
        for value in vars(columns).values()
        for text in ([value] if isinstance(value, str) else value or ())
        for name in (text, *text.split(","))
    }
    if ids := repeated_ids(table, options, alpha, remedy, more=more):
        table.notes["ids"] = ids[0]
    elif judged.scores and (items := _shared_items(kind[judged.left], kind[judged.right])):
        _check_items(kind, judged, more, alpha)
        table.notes["sides"] = (
            f"{n:,} rows share {items:,} items, by their scores and groups, and rows are taken for "
            f"independent: {SHARED}."
        )
    return judged


def _agreement(judged: Judgments) -> Roles:
    """Return whether models agree with judgments that one side wins, and the sides' groups."""
    won = judged.outcome != 0
    roles = {}
    for model in judged.models:
        agrees = np.sign(judged.predicted(model) * judged.outcome)[won]
        name = f"whether `{model}` agrees with the judgment"
        roles[name] = "prediction", PartialColumn(Column(agrees), won)
    for name in judged.attributes:
        code = judged.items[name].cat.codes.to_numpy(dtype=np.int64)
        left, right, groups = code[judged.left], code[judged.right], code.max() + 1
        first = judged.outcome > 0
        winner, loser = np.where(first, left, right), np.where(first, right, left)
        every = np.ones_like(won)
        roles[name] = "sensitive", PartialColumn(Column(winner * groups + loser), every)
        roles[f"{name}, left"] = "control", PartialColumn(Column(first.astype(np.int64)), every)
    return roles


def _check_items(kind: Integers, judged: Judgments, roles: Roles, alpha: float) -> None:
    """Raise InputError if judgments of one item are related."""
    every = np.ones(len(judged.left), dtype=np.bool_)
    for side in ("left", "right"):
        ids = PartialColumn(Column(kind[getattr(judged, side)]), every)
        what = f"{judged.tables[0].called}: the {side} item, by its score and groups,"
        for found in related(what, ids, roles, alpha, SHARED):
            raise InputError(found.text)


def _whole(rows: Integers) -> bool:
    """Return whether the numbers of rows have a common divisor, such as the number of judges."""
    return len(rows) >= FEWEST_KINDS and int(np.gcd.reduce(rows)) > 1


def _following(pair: Integers) -> bool:
    """Return whether equal rows follow each other more than in random or in sorted rows."""
    kinds, runs = len(np.unique(pair)), 1 + int(np.count_nonzero(np.diff(pair)))
    farther = 2 * -(-len(pair) // runs)
    if kinds < FEWEST_KINDS or runs < 2 * kinds or farther >= len(pair) / 2:
        return False
    near, far = (float((pair[k:] == pair[:-k]).mean()) for k in (1, farther))
    return near >= max(FOLLOWING, TIMES_FARTHER * far)


def _as_often_by_each(pair: Integers, judges: Series | None) -> bool:
    """Return whether the rows of each pair spread over judges more evenly than by chance."""
    if judges is None or judges.nunique() < 2:
        return False
    rows = pd.crosstab(pair, judges.to_numpy()).to_numpy()
    expected = np.outer(rows.sum(axis=1), rows.sum(axis=0)) / rows.sum()
    df = (len(rows) - 1) * (rows.shape[1] - 1)
    return bool(chdtr(df, ((rows - expected) ** 2 / expected).sum()) < EVEN)


def _shared_items(left: Integers, right: Integers) -> int:
    """Return the number of items of a side, or of both, that rows share; 0 if none is seen."""
    sides = [np.unique(kinds, return_counts=True)[1] for kinds in (left, right)]
    both = np.unique(np.concatenate([left, right]), return_counts=True)[1]
    shares = [float((rows > 1).mean()) for rows in sides]
    unlike = min(shares) < SELDOM
    for rows, share in zip((*sides, both), (*shares, 0.0), strict=True):
        recurs = unlike and share > RECURRING
        if len(rows) >= FEWEST_SIDES and (recurs or _whole(rows)):
            return len(rows)
    return 0
