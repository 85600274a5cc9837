"""The items of a plan: the probability of each cell (a, y, c), or the shares of a pilot's scores.

A cell is of group, label and prediction.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError, shown
from fairpairs.mathematics.estimates.pairs.rates import Ties, check_ties

#: More items or pairs than this are taken for never.
MOST = 10**10
#: A share this close to 0 or 1 counts as 0 or 1.
ROUNDING = 1e-12
#: Levels of the score that a pilot is summed up by.
LEVELS = 64


def items_from_rates(
    *,
    share: float | Sequence[float] = 0.5,
    prevalence: float | Sequence[float] = 0.5,
    tpr: float | Sequence[float] = 0.8,
    fpr: float | Sequence[float] = 0.4,
) -> Floats:
    """Return the probability of an item in each cell (a, y, c) from the rates of the groups.

    Parameters
    ----------
    share
        Share of group 1 of two, or of each group.
    prevalence, tpr, fpr
        P(Y=1), P(C=1 | Y=1) and P(C=1 | Y=0): of all groups, or of each.

    Returns
    -------
    ndarray of shape (k, 2, 2)
        Of k groups.

    Raises
    ------
    InputError
        When one does not lie between 0 and 1, a share or prevalence is 0 or 1, or there are not as
        many as groups.
    """
    settings = {"share": share, "prevalence": prevalence, "tpr": tpr, "fpr": fpr}
    of_groups = inputs.numbers(share, "share")
    if of_groups.ndim == 0:
        of_groups = np.array([1 - of_groups, of_groups])
    if of_groups.ndim > 1 or len(of_groups) < 2 or not np.isclose(of_groups.sum(), 1, 0, 1e-6):
        raise InputError(
            "share must be one number, that of group 1, or one for each group, which add up to 1; "
            f"it is {shown(share)}."
        )
    for name, value in settings.items():
        values = inputs.numbers(value, name)
        if values.shape not in ((), (1,), of_groups.shape):
            raise InputError(
                f"{name} must be one number, or one for each group; it is {shown(value)}."
            )
        low, high = values.min(), values.max()
        open_ends = name in ("share", "prevalence")
        if not (0 <= low <= high <= 1) or (open_ends and not ROUNDING < low <= high < 1 - ROUNDING):
            between = "between 0 and 1, without these" if open_ends else "from 0 to 1"
            raise InputError(f"{name} must lie {between}; it is {shown(value)}.")
    p, t, f = (
        np.broadcast_to(inputs.numbers(settings[name], name), of_groups.shape)
        for name in ("prevalence", "tpr", "fpr")
    )
    labels = np.stack([1 - p, p], axis=1) * of_groups[:, None]
    rates = np.stack([f, t], axis=1)
    return np.stack([labels * (1 - rates), labels * rates], axis=2)


def checked_items(items: Floats) -> Floats:
    """Return the probabilities of the cells, or raise InputError."""
    array = inputs.numbers(items, "items")
    whole = array.shape[1:] == (2, 2) and len(array) > 1
    if not whole or not np.isclose(array.sum(), 1, 0, 1e-6) or not (array >= 0).all():
        raise InputError(
            "items must hold the probabilities of the cells (group, label, prediction), shape "
            "(2, 2, 2), or (k, 2, 2) of k groups, which sum to 1: make them with items_from_rates."
        )
    if (array.sum(axis=-1) == 0).any():
        raise InputError("items: a group has a label with probability 0: give it some.")
    return array


def simulated_sets(
    n_items: int, shape: tuple[int, ...], cells: bytes, sets: int
) -> tuple[Integers, np.random.Generator]:
    """Return the counts of simulated sets, and the generator that drew them, of a fixed seed."""
    rng = np.random.default_rng(0)
    return rng.multinomial(n_items, np.frombuffer(cells), size=sets).reshape(sets, *shape), rng


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
