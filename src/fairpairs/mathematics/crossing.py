"""Where functions cross 0, many at once; the searches of scipy take several times as long."""

from collections.abc import Callable

import numpy as np

from fairpairs.base.arrays import Floats

#: Most steps of a search, which takes about ten, and the width of a bracket at which it ends.
STEPS, NARROW = 100, 1e-13


@np.errstate(invalid="ignore", divide="ignore")
def crossing(beyond: Callable[[Floats], Floats], low: Floats, high: Floats) -> Floats:
    """Return where functions that rise from below 0 are 0; an end where they are not in between.

    Inverse quadratic interpolation where it is safe, else bisection (T. R. Chandrupatla 1997, A new
    hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function).
    """
    # points and values there, shape (2, ...)
    first, second = np.array([high, beyond(high)]), np.array([low, beyond(low)])
    never, always = first[1] <= 0, second[1] >= 0
    outside = never | always
    share = np.full(never.shape, 0.5)
    for _ in range(STEPS):
        point = first[0] + share * (second[0] - first[0])
        new = np.array([point, beyond(point)])
        same = np.sign(new[1]) == np.sign(first[1])
        third, second = np.where(same, first, second), np.where(same, second, first)
        first = new
        (one, at_one), (two, at_two), (three, at_three) = first, second, third
        width, near = np.abs(two - one), NARROW * np.maximum(np.abs(one), 1)
        met = at_one == 0
        if ((width <= near) | met | outside).all():
            break
        xi, phi = (first - second) / (third - second)
        safe = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi)
        inverse = at_one / (at_two - at_one) * at_three / (at_two - at_three)
        rest = at_one / (at_three - at_one) * at_two / (at_three - at_two)
        inverse = inverse + (three - one) / (two - one) * rest
        share = np.where(safe & np.isfinite(inverse), inverse, 0.5)
        least = 0.5 * near / np.maximum(width, NARROW)
        share = np.where(met, 0.0, np.minimum(np.maximum(share, least), 1 - least))
    return np.where(never, high, np.where(always, low, one))
