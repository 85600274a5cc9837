"""Monotone adjustment of one group's scores that equalises xAUC.

Scores are shifted, probabilities on the scale of log odds, until xAUC(a, b) and xAUC(b, a) cross:
docs/explanation/ranking.md has the derivation, and what it costs.

References: Kallus and Zhou (2019), section 6, "The question of adjustment", which names such an
adjustment.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError, shortened
from fairpairs.base.guesses import understood
from fairpairs.base.printed import Printed

Scale = Literal["log odds", "identity"]
TINY = float(np.finfo(float).tiny)
#: Relative precision of the shift.
PRECISION = 4 * float(np.finfo(float).eps)
#: Scores nearer to 0 or 1 are taken for these, where log odds are still finite.
NEAREST = TINY, 1 - float(np.finfo(float).epsneg)


@dataclass(frozen=True)
class XaucAdjustment(Printed):
    """Shifts of the groups' scores that equalise xAUC with a reference group.

    Attributes
    ----------
    groups
        The values of the sensitive attribute, sorted.
    shifts
        What is added to the scores of each group, on the scale; 0 for the reference.
    scale
        "log odds" or "identity".
    """

    name: ClassVar[str] = "shifts that equalize xAUC"
    groups: tuple[Any, ...]
    shifts: tuple[float, ...]
    scale: Scale

    def _printed(self) -> pd.DataFrame:
        groups = [f"{inputs.group_name(name)}, {self.scale}" for name in self.groups]
        return pd.DataFrame({"hypothesis": groups, "estimate": self.shifts})

    def transform(self, y_score: ArrayLike, *, sensitive_features: ArrayLike) -> Floats:
        """Return the adjusted scores, shape (n,); the order within a group is never reversed.

        Those of a group whose shift is 0 are returned as they are. On the scale of log odds, scores
        within rounding of 0 or 1 may become equal.

        Raises
        ------
        InputError
            An unknown group, or a score outside 0 to 1 on the scale of log odds.
        """
        original = inputs.numeric(y_score, "y_score")
        scores = _on_scale(original, self.scale)
        group, names = inputs.groups(sensitive_features, least=1)
        inputs.same_items(y_score=y_score, sensitive_features=sensitive_features)
        for name in names:
            if name not in self.groups:
                listed = ", ".join(map(inputs.group_name, self.groups))
                raise InputError(
                    f"sensitive_features holds the group {shortened(inputs.group_name(name))}, "
                    f"which has no shift: give {shortened(listed)} only, or fit again."
                )
        shift = np.array([self.shifts[self.groups.index(name)] for name in names])[group]
        moved = expit(scores + shift) if self.scale == "log odds" else scores + shift
        return np.where(shift == 0, original, moved)


@understood
def equalize_xauc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    reference: Any = None,
    scale: Scale = "log odds",
) -> XaucAdjustment:
    """Find for each group the shift of its scores that equalises xAUC with a reference group.

    Evaluate it on other items than those it is fitted on, where it is perfect by construction. With
    more than two groups each is made equal to the reference; among the others a
    difference may remain.

    Parameters
    ----------
    y_true, sensitive_features
        As for `xauc`.
    y_score
        Scores, shape (n,); probabilities for the scale of log odds, where 0 and 1 are taken for
        the nearest numbers between them.
    reference
        The group whose scores stay; None for the largest.
    scale
        "log odds", for probabilities, or "identity", for scores of any range.

    Returns
    -------
    XaucAdjustment
        Its `transform` adjusts scores.

    Raises
    ------
    InputError
        Missing values, outcomes other than 0 and 1, an unknown reference or scale, a group without
        positive or without negative items, and scores outside 0 to 1 on the scale of log odds.

    Examples
    --------
    >>> y, g = [1, 1, 0, 0, 1, 1, 0, 0], list("aaaabbbb")
    >>> scores = [0.9, 0.6, 0.5, 0.1, 0.8, 0.3, 0.4, 0.2]
    >>> adjustment = equalize_xauc(y, scores, sensitive_features=g)
    >>> adjustment.groups, [round(shift, 1) for shift in adjustment.shifts]
    (('a', 'b'), [0.0, 0.8])
    """
    labels = inputs.binary(y_true, "y_true")
    inputs.one_of(scale, "scale", get_args(Scale))
    scores = _on_scale(inputs.numeric(y_score, "y_score"), scale)
    group, names = inputs.groups(sensitive_features)
    inputs.same_items(y_true=y_true, y_score=y_score, sensitive_features=sensitive_features)
    sizes = np.bincount(2 * group + labels, minlength=2 * len(names)).reshape(-1, 2)
    for name, row in zip(names, sizes, strict=True):
        for label, kind in ((1, "positive"), (0, "negative")):
            if row[label] == 0:
                raise InputError(
                    f"The group {inputs.group_name(name)} has no {kind} row, so no shift can "
                    "equalise its xAUC: leave the group out, or give more rows."
                )
    kept = int(np.argmax(sizes.sum(axis=1)))
    if reference is not None:
        kept = inputs.known_group(reference, "reference", names)
    shifts = tuple(
        0.0 if code == kept else _shift(labels, scores, group, kept, code)
        for code in range(len(names))
    )
    return XaucAdjustment(names, shifts, scale)


def _shift(labels: Integers, scores: Floats, group: Integers, reference: int, moved: int) -> float:
    """Find the shift of group `moved` at which its xAUC equals that of the reference."""
    from scipy.optimize import brentq  # noqa: PLC0415  (slow)

    # the scores of each group with label 0 and 1, sorted: a rate is counted by searching in them
    (low, high), (moved_low, moved_high) = (
        [np.sort(scores[(group == code) & (labels == label)]) for label in (0, 1)]
        for code in (reference, moved)
    )

    def difference(shift: float) -> float:
        return _share_ahead(high, moved_low + shift) - _share_ahead(moved_high + shift, low)

    s = scores[np.isin(group, [reference, moved])]
    with np.errstate(over="ignore"):
        span = 2 * float(s.max() - s.min())
        farthest = span + float(np.abs(s).max())
    if not np.isfinite(farthest):
        raise InputError("y_score holds numbers too large to be shifted: rescale the scores.")
    if span == 0:
        return 0.0  # all scores are tied, and equal already
    # xAUC(0, 1) is 1 at one end and 0 at the other; steps are located to the last bits
    return float(brentq(difference, -span, span, xtol=TINY, rtol=PRECISION, maxiter=5000))


def _share_ahead(high: Floats, low: Floats) -> float:
    """Return the share of pairs in which the first is ahead, ties as halves; both are sorted."""
    below = sum(np.searchsorted(low, high, side).sum() for side in ("left", "right"))
    return float(below / (2 * len(high) * len(low)))


def _on_scale(scores: Floats, scale: str) -> Floats:
    if scale == "identity":
        return scores
    if scores.min() < 0 or scores.max() > 1:
        raise InputError(
            "Scores must lie between 0 and 1 on the scale of log odds: give probabilities, or take "
            "scale='identity'."
        )
    return np.asarray(logit(np.clip(scores, *NEAREST)))
