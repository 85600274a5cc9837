"""The power of Wald's tests by the formulas of the paper.

References: Xi, Capak, Stockwell and Yu, *Comparative Separation*, section 3.4: Proposition 3.5 and
equations (31) to (36).
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.mathematics.estimates.pairs.drawn import cell_probabilities
from fairpairs.mathematics.power.items import MOST, checked_items

#: Largest |z| that a test may be held against.
LARGEST_Z = 1000


def acceptance_probability(
    p_1: ArrayLike,
    n_1: ArrayLike,
    p_2: ArrayLike,
    n_2: ArrayLike,
    *,
    alpha: float = 0.05,
    critical_value: float | None = None,
) -> Floats:
    """Chance β that the two-sided z-test accepts p1 = p2 (Proposition 3.5, equation 25).

    Parameters
    ----------
    p_1, p_2
        True proportions.
    n_1, n_2
        Sizes of the two samples; they need not be whole.
    alpha
        Level of the test.
    critical_value
        What |z| is held against, by default the exact normal quantile of `alpha`. Equation (25)
        has 1.96, which Table III needs in one cell to agree to the printed digit.

    Returns
    -------
    ndarray
        1 where neither sample has variance, because the test cannot be made.

    Raises
    ------
    InputError
        When a proportion does not lie from 0 to 1, a size is not above 0, or the level or the
        critical value is none.
    """
    inputs.level(alpha)
    if critical_value is not None:
        inputs.between(critical_value, "critical_value", 0, LARGEST_Z)
    p1, p2 = (inputs.numbers(p, name) for p, name in ((p_1, "p_1"), (p_2, "p_2")))
    n1, n2 = (inputs.numbers(n, name) for n, name in ((n_1, "n_1"), (n_2, "n_2")))
    if not all(((p >= 0) & (p <= 1)).all() for p in (p1, p2)):
        raise InputError("p_1 and p_2 must be proportions, from 0 to 1.")
    if not all(((n > 0) & np.isfinite(n)).all() for n in (n1, n2)):
        raise InputError("n_1 and n_2 must be finite and above 0.")
    try:
        np.broadcast_shapes(p1.shape, n1.shape, p2.shape, n2.shape)
    except ValueError as error:
        raise InputError("p_1, n_1, p_2 and n_2 must have shapes that go together.") from error
    z = ndtri(1 - alpha / 2) if critical_value is None else critical_value
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        sigma = np.sqrt(p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2)
        shift = (p1 - p2) / sigma
    # without variance there is no test, so no rejection
    return np.where(sigma > 0, ndtr(z - shift) - ndtr(-z - shift), 1.0)


def separation_power(
    items: Floats, n: int, *, alpha: float = 0.05, critical_value: float | None = None
) -> Floats:
    """Return the power 1 − βt βf of the test of separation on n items (equations 31 to 33).

    Parameters
    ----------
    items
        Probability of an item in each cell (a, y, c), shape (..., 2, 2, 2).
    n
        Number of items; a cell is taken to hold its expected share of them.
    alpha, critical_value
        As in `acceptance_probability`, for each hypothesis.
    """
    items = checked_items(items, many=True)
    inputs.between(n, "n", 1, MOST, ends=True)
    totals = items.sum(axis=-1)  # (..., group, label)
    rates = items[..., 1] / totals
    one, zero = ((rates[..., group, :], n * totals[..., group, :]) for group in (1, 0))
    beta = acceptance_probability(*one, *zero, alpha=alpha, critical_value=critical_value)
    return np.asarray(1 - beta.prod(axis=-1))


def comparative_separation_power(
    items: Floats, n_pairs: int, *, alpha: float = 0.05, critical_value: float | None = None
) -> Floats:
    """Return the power 1 − βc βw of the test of comparative separation (equations 34 to 36).

    Parameters
    ----------
    items, alpha, critical_value
        As in `separation_power`.
    n_pairs
        Number of pairs, each of two fresh items.
    """
    inputs.between(n_pairs, "n_pairs", 1, MOST, ends=True)
    right, wrong = cell_probabilities(checked_items(items, many=True))
    usable = right + wrong
    tpr, n = right / usable, n_pairs * usable
    one = tpr[..., 1, :], n[..., 1, :]
    two = tpr[..., 0, ::-1], n[..., 0, ::-1]  # the same group of the loser, then another
    beta = acceptance_probability(*one, *two, alpha=alpha, critical_value=critical_value)
    return np.asarray(1 - beta.prod(axis=-1))
