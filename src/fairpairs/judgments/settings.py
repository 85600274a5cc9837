"""What the columns of judgments are, and how an audit of judgments tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fairpairs.fairness.pairs.rates import Ties
from fairpairs.fairness.results import Correction

WinnerBy = Literal["auto", "id", "side"]
TiesInOutcome = Literal["drop", "half"]


@dataclass(frozen=True)
class JudgmentColumns:
    """The columns that a command, a config or a caller names.

    The items are in a table of their own (`item`, `score`, `sensitive` are its columns), or in that
    of the judgments: `score` and `sensitive` then name the columns of both sides, "left,right".

    Attributes
    ----------
    left, right, outcome
        Items of each judgment, and which of them is preferred. In one table, items recur only where
        `left` or `right` names their ids.
    chosen, rejected
        Instead of these three: scores of the preferred item, and of the other; of several models.
    item
        Id of the items in their table.
    score
        Scores of the items, one column for each model.
    verdict
        What audited judges prefer, in place of scores, one column for each.
    sensitive
        Groups of the items.
    pair
        What names the judgments that are versions of one text in two groups.
    within_only
        Whether answers of different versions are not compared, as of prompts that differ.
    judge, cluster, stratum
        Of each judgment.
    item_cluster
        Cluster of each item, such as the person who wrote it.
    """

    left: str | None = None
    right: str | None = None
    outcome: str | None = None
    chosen: Sequence[str] = ()
    rejected: Sequence[str] = ()
    item: str | None = None
    score: Sequence[str] = ()
    verdict: Sequence[str] = ()
    sensitive: Sequence[str] = ()
    pair: str | None = None
    within_only: bool = False
    judge: str | None = None
    cluster: str | None = None
    stratum: str | None = None
    item_cluster: str | None = None
    winner_by: WinnerBy = "auto"


@dataclass(frozen=True)
class JudgmentSettings:
    """How an audit of judgments tests.

    Attributes
    ----------
    intersections
        Test all attributes at once, too.
    ties
        What a tie of two scores counts.
    ties_in_outcome
        Whether judgments without a winner are left out, or count half for each side.
    order
        Whether the left item was shown first, so that a preference for it is tested.
    alpha, correction
        Level of the tests; adjustment of p over the hypotheses of one attribute, of all models.
    """

    intersections: bool = False
    ties: Ties = "wrong"
    ties_in_outcome: TiesInOutcome = "drop"
    order: bool = False
    alpha: float = 0.05
    correction: Correction = "holm"
