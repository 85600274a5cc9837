"""What the checks of claims call shown: differences beyond chance, and differences within a margin.

Both hold over all comparisons of a claim together, so that a claim does not hold by the number of
its parts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from fairpairs.fairness.results import adjusted
from fairpairs.output.chance import of_means
from fairpairs.plan.claims import CannotTellError

#: A difference is shown when its p-value, adjusted by Holm over the claim, is below this.
LEVEL = 0.05


@dataclass(frozen=True)
class Mean:
    """A mean over repeats; CannotTellError for NaN, when the run has no such number."""

    value: float
    #: Standard error; 0 for a number without chance.
    error: float = 0.0
    #: Number of repeats; inf for a number without chance, or with a known error.
    runs: float = math.inf

    def __post_init__(self) -> None:
        if math.isnan(self.value):
            raise CannotTellError("The run has not all numbers that it rests on.")


def share(value: float, runs: float) -> Mean:
    """Return a share of repeats, with an error that is not 0 at 0 and 1 (Agresti and Coull).

    >>> round(share(1.0, 8).error, 3)
    0.095
    """
    centre = (value * runs + 1) / (runs + 2)
    return Mean(value, math.sqrt(centre * (1 - centre) / (runs + 2)), runs)


def differences(pairs: Sequence[tuple[Mean, Mean]]) -> list[int]:
    """Say for each two means which is shown to be larger: 1 for the first, -1, or 0 for none.

    Welch's t, two-sided, with Holm's correction over all pairs.

    >>> differences([(share(0.9, 100), share(0.5, 100)), (share(0.5, 100), share(0.52, 100))])
    [1, 0]
    """
    if not pairs:
        return []
    found = adjusted(np.array([_pvalue(*pair) for pair in pairs], dtype=np.float64), "holm")
    return [
        int(np.sign(a.value - b.value)) if p < LEVEL else 0
        for (a, b), p in zip(pairs, found, strict=True)
    ]


def precise(pairs: Sequence[tuple[Mean, Mean]], size: float) -> bool:
    """Say whether chance would not have hidden a difference of this size in any of the pairs.

    >>> few, many = (share(0.5, 20), share(0.5, 20)), (share(0.5, 2000), share(0.5, 2000))
    >>> precise([few], 0.1), precise([many], 0.1)
    (False, True)
    """
    return all(2 * math.hypot(a.error, b.error) <= size for a, b in pairs)


def within(pairs: Sequence[tuple[Mean, Mean]], margin: float) -> bool | None:
    """Say whether all differences are at most a margin; None where chance leaves it open.

    They are where every 95 % interval is inside of it, they are not where one is outside
    (Bonferroni over all pairs).

    >>> a, b = share(0.50, 10_000), share(0.53, 10_000)
    >>> within([(a, b)], 0.1), within([(a, b)], 0.01), within([(a, b)], 0.03)
    (True, False, None)
    """
    times = NormalDist().inv_cdf(1 - LEVEL / 2 / max(len(pairs), 1))
    gaps = [abs(a.value - b.value) for a, b in pairs]
    noise = [times * math.hypot(a.error, b.error) for a, b in pairs]
    if any(gap - own > margin for gap, own in zip(gaps, noise, strict=True)):
        return False
    return True if all(g + own <= margin for g, own in zip(gaps, noise, strict=True)) else None


def _pvalue(first: Mean, second: Mean) -> float:
    difference = first.value - second.value
    errors, runs = (first.error, second.error), (first.runs, second.runs)
    if difference == 0 or any(math.isnan(error) for error in errors):  # one repeat has no error
        return 1.0
    p = of_means(difference, errors, runs)
    if p is not None:
        return p
    counted = sum(number for number in runs if math.isfinite(number))
    return float(min(1.0, 2 * 0.5**counted)) if counted else 0.0  # all repeats are the same
