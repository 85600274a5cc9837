"""Power of larger collections, estimated from a pilot with real scores."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.mathematics.estimates.pairs.rates import Ties, check_ties

#: Levels of the score that a pilot is summed up by.
LEVELS = 64


@dataclass(frozen=True)
class PilotOfScores:
    """A pilot with binary labels and real scores, from which larger collections are planned.

    Attributes
    ----------
    groups
        The two values of the sensitive attribute, sorted.
    items
        Share of the items in each cell (group, label, level of the score), shape (2, 2, L).
    ties
        What a tie of the levels counts.
    """

    groups: tuple[Any, Any]
    items: Floats = field(repr=False)
    ties: Ties


def pilot_of_scores(
    y_true: ArrayLike, y_score: ArrayLike, *, sensitive_features: ArrayLike, ties: Ties = "wrong"
) -> PilotOfScores:
    """Return a pilot with real scores, from which to plan larger collections.

    Collections of other sizes are drawn from its shares of (group, label, level of the score), of
    which 64 levels at the most are kept. For predictions of 0 and 1 the shares of the cells (group,
    label, prediction) are enough.

    Parameters
    ----------
    y_true, y_score, sensitive_features, ties
        As in `comparative_separation_test`; two groups and two labels.

    Raises
    ------
    InputError
        As `comparative_separation_test`; and when there are other than two groups or labels, or a
        group has fewer than two items of a label.

    Examples
    --------
    >>> from fairpairs import power
    >>> rng = np.random.default_rng(0)
    >>> sex, label = rng.integers(0, 2, (2, 300))
    >>> score = label + rng.normal(size=300) * np.where(sex == 1, 1, 0.6)
    >>> pilot = pilot_of_scores(label, score, sensitive_features=sex)
    >>> power.judgments_needed(pilot, 4000)
    3905
    """
    labels = inputs.numeric(y_true, "y_true")
    group, names = inputs.two_groups(sensitive_features)
    inputs.same_items(y_true=y_true, sensitive_features=sensitive_features)
    high = labels == labels.max()
    if not (high | (labels == labels.min())).all():
        raise InputError("y_true must have two values: a pilot of real labels cannot be scaled.")
    if np.bincount(2 * group + high, minlength=4).min() < 2:
        raise InputError("A pilot needs two items of each label in each group: add items.")
    scores = inputs.numeric(y_score, "y_score")
    inputs.same_items(y_true=y_true, y_score=y_score)
    check_ties(ties)
    level, n_levels = _levels(scores, high)
    if n_levels > LEVELS:
        level, ties = level * LEVELS // n_levels, "half"
    index = (2 * group + high) * n_levels + level
    items = np.bincount(index, minlength=4 * n_levels).reshape(2, 2, n_levels) / len(labels)
    return PilotOfScores(names, items[..., :LEVELS], ties)


def _levels(scores: Floats, high: NDArray[np.bool_]) -> tuple[NDArray[np.int64], int]:
    """Return the level of each score, and their number; neighbours of one label are one level."""
    values, index = np.unique(scores, return_inverse=True)
    ones = np.bincount(index, high, minlength=len(values))
    share = ones / np.bincount(index)
    pure = (share[1:] == share[:-1]) & np.isin(share[1:], (0, 1))
    level = np.concatenate([[0], np.cumsum(~pure)])
    return level[index], int(level[-1]) + 1
