"""The power of Wald's tests by the formulas of *Comparative Separation*, section 3.4.

References: Xi, Capak, Stockwell and Yu, *Comparative Separation*, Proposition 3.5 and equations
(25) and (31) to (36).
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.estimates.pairs.rates import cell_probabilities


def acceptance_probability(
    p_1: ArrayLike,
    n_1: ArrayLike,
    p_2: ArrayLike,
    n_2: ArrayLike,
    *,
    alpha: float = 0.05,
    critical_value: float | None = None,
) -> Floats:
    """Return the chance β that the two-sided z-test accepts p1 = p2 (Proposition 3.5).

    |z| is held against `critical_value`, by default the exact normal quantile of `alpha`. Equation
    (25) has 1.96, which Table III needs in one cell to agree to the printed digit.
    """
    p1, n1, p2, n2 = (np.asarray(x, dtype=float) for x in (p_1, n_1, p_2, n_2))
    z = ndtri(1 - alpha / 2) if critical_value is None else critical_value
    with np.errstate(divide="ignore", invalid="ignore"):
        sigma = np.sqrt(p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2)
        shift = (p1 - p2) / sigma
    # without variance there is no test, so no rejection
    return np.where(sigma > 0, ndtr(z - shift) - ndtr(-z - shift), 1.0)


def separation_power(
    items: Floats, n: int, *, alpha: float = 0.05, critical_value: float | None = None
) -> Floats:
    """Return the power 1 − βt βf of the test of separation on n items (equations 31 to 33).

    `items` are the probabilities of the cells (a, y, c), shape (..., 2, 2, 2), each of which is
    taken to hold its expected share; the level is that of each hypothesis.
    """
    totals = items.sum(axis=-1)  # (..., group, label)
    rates = items[..., 1] / totals
    one, zero = ((rates[..., group, :], n * totals[..., group, :]) for group in (1, 0))
    beta = acceptance_probability(*one, *zero, alpha=alpha, critical_value=critical_value)
    return np.asarray(1 - beta.prod(axis=-1))


def comparative_separation_power(
    items: Floats, n_pairs: int, *, alpha: float = 0.05, critical_value: float | None = None
) -> Floats:
    """Return the power 1 − βc βw on pairs of two fresh items each (equations 34 to 36)."""
    right, wrong = cell_probabilities(items)
    usable = right + wrong
    tpr, n = right / usable, n_pairs * usable
    one = tpr[..., 1, :], n[..., 1, :]
    two = tpr[..., 0, ::-1], n[..., 0, ::-1]  # the same group of the loser, then another
    beta = acceptance_probability(*one, *two, alpha=alpha, critical_value=critical_value)
    return np.asarray(1 - beta.prod(axis=-1))
