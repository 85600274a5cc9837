"""Effect sizes and their magnitudes.

References: J. Cohen (1988), *Statistical Power Analysis for the Behavioral Sciences*, sections 6.2
and 7.2; Yu and Xi, *Differential Parity*, Table 1.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError

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
