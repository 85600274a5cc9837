"""Where an increasing function crosses zero, with few evaluations.

Each next argument is interpolated linearly and moved a little towards the end of the bracket that
is farther away, so that both ends come near.
"""

from collections.abc import Callable

#: Every third step halves the bracket, which interpolation leaves wide where a function jumps.
HALVED = 3


def crossing(
    function: Callable[[float], float],
    low: float,
    high: float,
    *,
    at_low: float,
    at_high: float,
    precision: float,
) -> float:
    """Return an argument, at most `precision` too large, from which on a function is 0 or more.

    The function increases, is below 0 at `low` and not at `high`; its values there may be rough.

    >>> round(crossing(lambda x: x**2 - 2, 0, 2, at_low=-2, at_high=2, precision=1e-6), 5)
    1.41421
    """
    step = 0
    while high - low > precision:
        step += 1
        argument = (low + high) / 2
        if step % HALVED and at_low < at_high:
            guess = low + (high - low) * at_low / (at_low - at_high)
            guess += (precision if guess < argument else -precision) / 2
            argument = min(max(guess, low + precision / 2), high - precision / 2)
        value = function(argument)
        if value < 0:
            low, at_low = argument, value
        else:
            high, at_high = argument, value
    return high
