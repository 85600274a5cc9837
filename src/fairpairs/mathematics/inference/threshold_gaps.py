"""The difference of a rate between two groups at all thresholds of a score at once.

With n and m scores, the errors of the two empirical distributions are, times √(nm / (n + m)) and in
large samples, D(t) = √w B₁(F(t)) − √(1 − w) B₂(G(t)): two Brownian bridges, w = m / (n + m). Let
q = wF + (1 − w)G. D plus an independent normal variable times √(w(1 − w)) (F − G)(t) has the
covariance of a Brownian bridge at q. By Anderson's inequality such an addition makes it less
probable that a symmetric process stays in a symmetric convex set, here |·| ≤ c at all t. So the
quantile of Kolmogorov's distribution, that of a bridge, holds D in for all F and G, also where they
have steps (docs/explanation/methods.md).
"""

import math

import numpy as np
from scipy.special import kolmogi

from fairpairs.base.arrays import Floats


def threshold_gaps(
    scores: Floats, reference: Floats, thresholds: Floats, alpha: float
) -> tuple[Floats, Floats, Floats]:
    """Return group minus reference of shares above thresholds, and a band; scores are sorted."""
    rates = [
        1 - np.searchsorted(some, thresholds, "left") / len(some) for some in (scores, reference)
    ]
    gap = np.asarray(rates[0] - rates[1])
    half = float(kolmogi(alpha)) * math.sqrt(1 / len(scores) + 1 / len(reference))
    return gap, np.maximum(gap - half, -1), np.minimum(gap + half, 1)
