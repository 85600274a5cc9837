"""Judgments as they are given, checked: outcomes, verdicts, and what judgments share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError, shortened
from fairpairs.base.one_dimensional import one_dimensional
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.fairness.comparative import checked_positions

#: What a tie of the outcome is: no judgment, or half a judgment each way.
TiesInOutcome = Literal["drop", "half"]

#: Whether a test is about these judges, or about judges like them, of whom they are a sample.
JudgesAs = Literal["fixed", "sample"]

#: Fewer judges say too little about judges like them.
ENOUGH_JUDGES = 20


def question_to_judges(judges: int, chosen: JudgesAs | None) -> JudgesAs:
    """Return whether a test is about so many judges, or about judges like them."""
    return chosen or ("fixed" if judges < ENOUGH_JUDGES else "sample")


@dataclass(frozen=True)
class GivenJudgments:
    """Judgments of two items, checked."""

    #: Positions of the items.
    left: Integers
    right: Integers
    #: 1 (left), −1 (right) or 0 (a tie).
    outcome: Floats
    #: The verdict of an audited judge, as `outcome`; None where items have scores.
    predicted: Floats | None = None
    #: None where all are 1.
    weights: Floats | None = None
    #: Judge and cluster of each judgment, from 0, as far as they are given.
    shared: tuple[Integers, ...] = ()
    strata: Integers | None = None

    def take(self, rows: Integers) -> GivenJudgments:
        """Return the judgments of some rows."""
        columns = {name: column for name, column in vars(self).items() if name != "shared"}
        taken: Record = {name: None if x is None else x[rows] for name, x in columns.items()}
        return GivenJudgments(**taken, shared=tuple(code[rows] for code in self.shared))

    def with_halves(self) -> GivenJudgments:
        """Make two judgments of each tie, one each way, with a weight of one half."""
        ties = np.flatnonzero(self.outcome == 0)
        if not ties.size:
            return self
        both = self.take(np.concatenate([np.arange(len(self.outcome)), ties]))
        tied = both.outcome == 0
        outcome = np.where(tied, 1.0, both.outcome)
        outcome[len(self.outcome) :] = -1
        return replace(both, outcome=outcome, weights=np.where(tied, 0.5, 1.0))


def read_judgments(
    left: ArrayLike,
    right: ArrayLike,
    outcome: ArrayLike,
    n: int,
    *,
    predicted: ArrayLike | None = None,
    judges: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    ties_in_outcome: TiesInOutcome | Literal["keep"] = "drop",
) -> GivenJudgments:
    """Check judgments of n items and leave out what is none; "keep" leaves ties as they are.

    It raises InputError for arrays that do not go together, a missing value, another outcome, a
    position of no item, where no judgment is left, or where one judge, or cluster, has all.
    """
    sides = [one_dimensional(left, "left"), one_dimensional(right, "right")]
    signs = _signs(outcome, "outcome")
    inputs.same_items(left=left, right=right, outcome=outcome)
    one, two = (checked_positions(side, n, "left and right") for side in sides)
    verdict, shared = None, {}
    if predicted is not None:
        verdict = _signs(predicted, "predicted")
        inputs.same_items(outcome=outcome, predicted=predicted)
    for name, values in {"judges": judges, "clusters": clusters, "strata": strata}.items():
        if values is not None:
            shared[name] = _codes(values, name)
            inputs.same_items(**{"outcome": outcome, name: values})
    stratum = shared.pop("strata", None)
    used = one != two
    if ties_in_outcome == "drop":
        used &= signs != 0
    if not used.any():
        ties = "ties" if ties_in_outcome == "drop" else "items against themselves"
        raise InputError(f"outcome holds {ties} only: give at least one judgment of two items.")
    given = GivenJudgments(one, two, signs, verdict, None, tuple(shared.values()), stratum)
    # else what is no judgment drops later, as ever, so that results keep their bytes
    if shared or strata is not None or ties_in_outcome == "keep":
        given = given.take(np.flatnonzero(used))
    for name, code in zip(shared, given.shared, strict=True):
        _check_several(code, name, "judgments that count", name)
    return given.with_halves() if ties_in_outcome == "half" else given


def read_item_clusters(values: ArrayLike | None, sensitive_features: ArrayLike) -> Integers | None:
    """Return the cluster of each item, from 0, checked."""
    if values is None:
        return None
    inputs.same_items(sensitive_features=sensitive_features, item_clusters=values)
    code = _codes(values, "item_clusters")
    _check_several(code, "item_clusters", "items", "clusters")
    return code


def _check_several(code: Integers, name: str, rows: str, units: str) -> None:
    if (code == code[0]).all():
        raise InputError(
            f"{name} holds one value for all {rows}: nothing tells how far {units} differ; give at "
            f"least two, or leave {name} out."
        )


def _signs(values: ArrayLike, name: str) -> Floats:
    signs = inputs.numeric(values, name)
    other = signs[~np.isin(signs, [-1, 0, 1])]
    if other.size:
        raise InputError(
            f"{name} must be 1 (left is higher), -1 (right is higher) or 0 (a tie); it holds "
            f"{other[0]:g}."
        )
    return signs


def _codes(values: ArrayLike, name: str) -> Integers:
    array = one_dimensional(values, name)
    try:
        return np.asarray(pd.factorize(array)[0], dtype=np.int64)
    except TypeError as error:
        raise InputError(
            f"{name} must hold numbers or text, one name for each judge or cluster: "
            f"{shortened(error)}."
        ) from error
