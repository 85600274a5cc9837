"""Estimates with their intervals and tests, effect sizes, and the notes on small cells.

References: J. Cohen (1988), *Statistical Power Analysis for the Behavioral Sciences*, sections 6.2
and 7.2; Yu and Xi, *Differential Parity*, Table 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, stdtr

from fairpairs.base import inputs
from fairpairs.base.arrays import Array, Floats
from fairpairs.base.errors import InputError

#: The default level of the tests.
LEVEL = 0.05
#: The rule of section 3.3.2 and of Proposition 3.5: below it, do not trust a normal approximation.
SMALL_CELL = 30
#: The note where a cell, or a group, is smaller.
SMALL = f"a cell below {SMALL_CELL}"
#: The reason where the standard error is 0.
UNVARYING = "no variance"
#: Rates of weighted pairs that are equal may differ by rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Estimates:
    """Estimates, such as differences p1 − p2, and their tests; all fields have one shape.

    Where a test is impossible, `statistic`, `pvalue` and the interval are NaN and `reason` says
    why. It also reports where the pooled variance is used; elsewhere it is an empty string. Two
    equal rates without variance have no `pvalue` here; `results.adjusted_pvalues` gives them 1.
    """

    estimate: Floats
    ci_low: Floats
    ci_high: Floats
    statistic: Floats
    pvalue: Floats
    n: NDArray[np.int64]
    smallest_cell: NDArray[np.int64]
    reason: NDArray[np.str_]
    effect_size: Floats

    def take(self, index: Any) -> Estimates:
        """Return the estimates at an index of NumPy's, the same for every field."""
        return self._each(lambda field: field[index])

    def turned(self) -> Estimates:
        """Return the estimates of the opposite differences, p2 − p1."""
        return replace(
            self, estimate=-self.estimate, ci_low=-self.ci_high, ci_high=-self.ci_low,
            statistic=-self.statistic, effect_size=-self.effect_size,
        )  # fmt: skip

    def reshape(self, *shape: int) -> Estimates:
        """Return the estimates with every field in another shape."""
        return self._each(lambda field: field.reshape(shape))

    @staticmethod
    def stacked(parts: Sequence[Estimates]) -> Estimates:
        """Put estimates of one shape side by side, along a new first axis."""
        return Estimates(*map(np.stack, zip(*(part._fields for part in parts), strict=True)))

    @staticmethod
    def joined(parts: Sequence[Estimates]) -> Estimates:
        """Put estimates one after the other, along the last axis."""
        columns = zip(*(part._fields for part in parts), strict=True)
        return Estimates(*(np.concatenate(column, axis=-1) for column in columns))

    @property
    def _fields(self) -> list[Array]:
        return [np.asarray(getattr(self, field.name)) for field in fields(self)]

    def _each(self, change: Callable[[Array], Array]) -> Estimates:
        return Estimates(*map(change, self._fields))


def two_sided(statistic: Floats, df: float | Floats | None = None) -> Floats:
    """Return the p-value of both tails, by the normal distribution or by Student's t."""
    tail = ndtr(-np.abs(statistic)) if df is None else stdtr(df, -np.abs(statistic))
    return np.asarray(2 * tail)


def equal_without_variance(estimates: Estimates) -> NDArray[np.bool_]:
    """Return where two rates are equal and have no variance, so that p = 1."""
    equal = np.abs(estimates.estimate) <= ROUNDING  # False where there is no estimate
    return np.asarray((estimates.reason == UNVARYING) & equal)


#: h of two proportions, w = √(χ²/n) of a table, d of two means in standard deviations.
EffectSizeKind = Literal["h", "w", "d"]
#: The smallest |effect| of each magnitude: Cohen's for h and w, *Differential Parity*'s for d.
MAGNITUDES: dict[EffectSizeKind, dict[float, str]] = {
    "h": {0.0: "negligible", 0.2: "small", 0.5: "medium", 0.8: "large"},
    "w": {0.0: "negligible", 0.1: "small", 0.3: "medium", 0.5: "large"},
    "d": {
        0.0: "none",
        0.01: "very small",
        0.2: "small",
        0.5: "medium",
        0.8: "large",
        1.2: "very large",
        2.0: "huge",
    },
}


def magnitude(effect: ArrayLike, kind: EffectSizeKind) -> NDArray[np.str_]:
    """Return the magnitude of each effect, whatever its sign; "unknown" for NaN."""
    bounds, names = np.array(list(MAGNITUDES[kind])), np.array([*MAGNITUDES[kind].values()])
    size = np.abs(np.asarray(effect, dtype=float))
    index = np.searchsorted(bounds, size, side="right") - 1
    return np.where(np.isnan(size), "unknown", names[index])


def cohens_h(p1: ArrayLike, p2: ArrayLike) -> Floats:
    """Return Cohen's effect size of two proportions, h = 2 arcsin √p1 − 2 arcsin √p2.

    Parameters
    ----------
    p1, p2
        Proportions, shapes that broadcast; NaN stays NaN.

    Raises
    ------
    InputError
        When one is not a number from 0 to 1.

    References
    ----------
    J. Cohen (1988), *Statistical Power Analysis for the Behavioral Sciences*, section 6.2.

    Examples
    --------
    >>> h = cohens_h(0.5, 0.3)
    >>> print(h.round(3), magnitude(h, "h"))
    0.412 small
    """
    shares = [inputs.numbers(p, "Proportions") for p in (p1, p2)]
    inputs.same_index(p1=p1, p2=p2)
    try:
        np.broadcast_shapes(*(p.shape for p in shares))
    except ValueError as error:
        raise InputError(
            f"Proportions must have shapes that broadcast; they have {shares[0].shape} and "
            f"{shares[1].shape}."
        ) from error
    if any(((p < -1e-9) | (p > 1 + 1e-9)).any() for p in shares):
        raise InputError("Proportions must lie from 0 to 1: give shares, not percentages.")
    # a weighted share may exceed 1 by rounding
    angles = (2 * np.arcsin(np.sqrt(np.clip(p, 0, 1))) for p in shares)
    return np.asarray(np.subtract(*angles))
