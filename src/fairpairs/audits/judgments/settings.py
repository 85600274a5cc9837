"""The judgments that are audited, their columns, and the settings of their audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.base.arrays import Series
from fairpairs.base.errors import InputError
from fairpairs.base.reading.table import Table
from fairpairs.mathematics.estimates.pairs.rates import Ties
from fairpairs.mathematics.inference.results import Correction
from fairpairs.mathematics.judgments.given import JudgesAs, TiesInOutcome, question_to_judges

WinnerBy = Literal["auto", "id", "side"]


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
