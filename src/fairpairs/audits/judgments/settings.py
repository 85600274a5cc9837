"""The columns of judgments, and the settings of their audit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

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
