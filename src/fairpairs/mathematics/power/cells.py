"""The probability of an item in each cell (a, y, c): group, label, prediction."""

import numpy as np

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError, shown

#: More items or pairs than this are taken for never.
MOST = 10**10
#: A share this close to 0 or 1 counts as 0 or 1.
ROUNDING = 1e-12


def items_from_rates(
    *,
    share: float = 0.5,
    prevalence: float | tuple[float, float] = 0.5,
    tpr: float | tuple[float, float] = 0.8,
    fpr: float | tuple[float, float] = 0.4,
) -> Floats:
    """Return the probability of an item in each cell (a, y, c) from the rates of the groups.

    Parameters
    ----------
    share
        Share of group 1.
    prevalence, tpr, fpr
        P(Y=1), P(C=1 | Y=1) and P(C=1 | Y=0): of both groups, or of group 0 and of group 1.

    Returns
    -------
    ndarray of shape (2, 2, 2)

    Raises
    ------
    InputError
        When one does not lie between 0 and 1, or a share or prevalence is 0 or 1.
    """
    settings = {"share": share, "prevalence": prevalence, "tpr": tpr, "fpr": fpr}
    for name, value in settings.items():
        values = inputs.numbers(value, name)
        if values.shape not in ((), (1,), (2,)) or (name == "share" and values.ndim):
            raise InputError(
                f"{name} must be one number, or one for each group; it is {shown(value)}."
            )
        low, high = values.min(), values.max()
        open_ends = name in ("share", "prevalence")
        if not (0 <= low <= high <= 1) or (open_ends and not ROUNDING < low <= high < 1 - ROUNDING):
            between = "between 0 and 1, without these" if open_ends else "from 0 to 1"
            raise InputError(f"{name} must lie {between}; it is {shown(value)}.")
    one, p, t, f = (inputs.numbers(value, name) for name, value in settings.items())
    groups = np.array([1 - one, one])
    p, t, f = (np.broadcast_to(x, 2) for x in (p, t, f))
    labels = np.stack([1 - p, p], axis=1) * groups[:, None]
    rates = np.stack([f, t], axis=1)
    return np.stack([labels * (1 - rates), labels * rates], axis=2)


def checked_items(items: Floats, *, many: bool = False) -> Floats:
    """Return the probabilities of the cells, or of `many` sets of them, or raise InputError."""
    array = inputs.numbers(items, "items")
    cells = array.shape[-3:] == (2, 2, 2) and (many or array.ndim == 3)
    if not cells or not ((array >= 0).all() and np.allclose(array.sum((-3, -2, -1)), 1, 0, 1e-6)):
        raise InputError(
            "items must hold the probabilities of the cells (group, label, prediction), shape "
            "(2, 2, 2), which sum to 1: make them with items_from_rates."
        )
    if (array.sum(axis=-1) == 0).any():
        raise InputError("items: a group has a label with probability 0: give it some.")
    return array
