"""Tests for the checks of claims: differences beyond chance, and differences within a margin.

Both hold over all comparisons of a claim together, so that a claim does not hold by the number of
its parts. Below them are the verdicts that many checks share.
"""

import math
from collections.abc import Iterable, Sequence
from statistics import NormalDist

import numpy as np
from scipy.special import stdtr

from fairpairs.mathematics.inference.results import adjusted
from fairpairs.papers.plan.claim_numbers import Mean
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD

#: A difference is shown when its p-value, adjusted by Holm over the claim, is below this.
LEVEL = 0.05
#: The sign of a difference as claimed, or what `within` says of a similarity → the verdict.
BY_SIGN = {1: HOLDS, -1: FAILS, 0: UNTOLD}
BY_MARGIN = {True: HOLDS, False: FAILS, None: UNTOLD}


def share(value: float, runs: float) -> Mean:
    """Return a share of repeats, with an error that is not 0 at 0 and 1 (Agresti and Coull).

    >>> round(share(1.0, 8).error, 3)
    0.095
    """
    centre = (value * runs + 1) / (runs + 2)
    return Mean(value, math.sqrt(centre * (1 - centre) / (runs + 2)), runs)


def differences(pairs: Sequence[tuple[Mean, Mean]]) -> list[int]:
    """Say of each pair which mean is significantly larger: 1 the first, -1 the second, 0 neither.

    Welch's t, two-sided, with Holm's correction over all pairs.

    >>> differences([(share(0.9, 100), share(0.5, 100)), (share(0.5, 100), share(0.52, 100))])
    [1, 0]
    """
    if not pairs:
        return []
    pvalues = adjusted(np.array([_pvalue(*pair) for pair in pairs], dtype=np.float64), "holm")
    return [
        int(np.sign(a.value - b.value)) if p < LEVEL else 0
        for (a, b), p in zip(pairs, pvalues, strict=True)
    ]


def precise(pairs: Sequence[tuple[Mean, Mean]], size: float) -> bool:
    """Say whether a difference of this size would have been detected in every pair.

    >>> few, many = (share(0.5, 20), share(0.5, 20)), (share(0.5, 2000), share(0.5, 2000))
    >>> precise([few], 0.1), precise([many], 0.1)
    (False, True)
    """
    return all(2 * math.hypot(a.error, b.error) <= size for a, b in pairs)


def within(pairs: Sequence[tuple[Mean, Mean]], margin: float) -> bool | None:
    """Say whether all differences are at most a margin; None where chance leaves it open.

    True if every 95 % interval (Bonferroni over all pairs) is inside of the margin, False if one is
    outside.

    >>> a, b = share(0.50, 10_000), share(0.53, 10_000)
    >>> within([(a, b)], 0.1), within([(a, b)], 0.01), within([(a, b)], 0.03)
    (True, False, None)
    """
    score = NormalDist().inv_cdf(1 - LEVEL / 2 / max(len(pairs), 1))
    gaps = [abs(a.value - b.value) for a, b in pairs]
    widths = [score * math.hypot(a.error, b.error) for a, b in pairs]
    if any(gap - width > margin for gap, width in zip(gaps, widths, strict=True)):
        return False
    return True if all(g + width <= margin for g, width in zip(gaps, widths, strict=True)) else None


def undecided(pairs: Sequence[tuple[Mean, Mean]], signs: Sequence[int], size: float) -> bool:
    """Say whether a pair without a shown difference (sign 0) may hide one of this size."""
    return not precise([pair for pair, sign in zip(pairs, signs, strict=True) if not sign], size)


def near(pairs: Sequence[tuple[Mean, Mean]], margin: float) -> str:
    """Return the verdict on a similarity, in part if some of the pairs alone are shown similar."""
    close = within(pairs, margin)
    some = close is False and any(within([pair], margin) for pair in pairs)
    return IN_PART if some else BY_MARGIN[close]


def by_signs(signs: Sequence[int]) -> str:
    """Return the verdict on differences that are all claimed: contradicted if all are opposite."""
    if all(sign > 0 for sign in signs):
        return HOLDS
    return FAILS if all(sign < 0 for sign in signs) else UNTOLD


def by_most(number: float, cases: float) -> str:
    """Return the verdict on what is claimed of most cases, and is true of a number of them."""
    return HOLDS if 2 * number > cases else IN_PART if number else FAILS


def by_all(number: float, cases: float) -> str:
    """Return the verdict on what is claimed of all cases, and is true of a number of them."""
    return HOLDS if number == cases else IN_PART if number else FAILS


def agreeing(verdicts: Iterable[str]) -> str:
    """Return the verdict that all of some parts have; in part if they differ."""
    different = set(verdicts)
    return different.pop() if len(different) == 1 else IN_PART


def _pvalue(first: Mean, second: Mean) -> float:
    """Return the two-sided p-value of two means, by Welch's t; runs of inf are the normal's."""
    difference, means = first.value - second.value, (first, second)
    if difference == 0 or math.isnan(first.error + second.error):  # one repeat has no error
        return 1.0
    variances = [mean.error * mean.error for mean in means]  # inf, where ** would raise
    total = sum(variances)
    if not 0 < total < math.inf:
        counted = sum(mean.runs for mean in means if math.isfinite(mean.runs))
        return min(1.0, 2 * 0.5**counted) if counted else 0.0  # all repeats are the same
    parts = sum(
        v * v / (mean.runs - 1)
        for v, mean in zip(variances, means, strict=True)
        if v > 0 and mean.runs > 1
    )
    degrees = total * total / parts if parts > 0 else math.inf
    return float(2 * stdtr(min(degrees, 1e9), -abs(difference) / math.sqrt(total)))
