"""The independent trials that rates of items with clusters and weights are worth.

docs/explanation/inference.md derives them (section 3).
"""

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.inference.sampling.linear import Spread

#: With so many independent events a variance counts as half known, and that of rates with so large
#: an inverse of the squared skewness; chosen by simulation.
HALF_KNOWN_EVENTS, HALF_KNOWN_RATES = 3.0, 4.0
#: Smallest and largest variance of a sum, as a multiple of that of independent rates.
RATIOS = 0.01, 2.0
#: Fewer rows of a cluster above one are none, as is a smaller doubt.
ROUNDING = 1e-9


@np.errstate(invalid="ignore", divide="ignore")  # a rate without an item
def effective_trials(
    rates: Floats, spread: Spread, factors: Floats | None = None
) -> tuple[Floats, float]:
    """Return the independent trials that rates are worth, and what their sum varies by.

    The second is the variance of the sum of the rates, each times a factor, over that of rates of
    independent items, at least `RATIOS`; 1 without factors.
    """
    scale, variance = rates * (1 - rates), np.diagonal(spread.covariance)
    squares = np.ones(len(rates)) if factors is None else factors**2
    apart, independent = float(squares @ variance), float(squares @ (scale / spread.rows))
    total = apart if factors is None else float(factors @ spread.covariance @ factors)
    ratio = float(np.clip(total / apart, *RATIOS)) if apart > 0 else 1.0
    effect = max(total / independent, 1.0) if independent > 0 else 1.0
    share = np.where(scale > 0, ratio * variance / scale, 0)
    events = np.where(share > 0, scale / (1 - 2 * rates) ** 2 / share, 0.0)
    known = share_known(events, HALF_KNOWN_RATES)
    clusters = spread.clusters[spread.rests.argmax(axis=1)]
    of_all = share_known(float(np.nanmean(events)), HALF_KNOWN_RATES)
    expected = of_all * effect / spread.rows + (1 - of_all) / clusters
    return 1 / (known * share + (1 - known) * expected), ratio


@np.errstate(invalid="ignore", divide="ignore")
def correlation(spread: Spread) -> Floats:
    """Return the correlation of the estimates, shape (L, L); 0 where one does not vary."""
    error = np.sqrt(np.diagonal(spread.covariance))
    found = np.clip(spread.covariance / np.outer(error, error), -1, 1)
    return np.asarray(np.where(np.isfinite(found), found, np.eye(len(error))))


@np.errstate(divide="ignore")
def share_known(events: Floats | float, half: float = HALF_KNOWN_EVENTS) -> Floats:
    """Return how far a variance is to be trusted, from 0 to 1, by the events that it rests on."""
    return np.asarray(1 / (1 + (np.asarray(events) / half) ** -4.0))


def degrees_of_freedom(
    rates: Floats, trials: Floats, ratio: float, factors: Floats, spread: Spread
) -> float:
    """Return those of the sum of rates, each the mean of a class, times factors."""
    own = spread.rests.argmax(axis=1)
    clusters, items = spread.clusters[own], spread.items[own]
    inner = (rates * clusters + 1) / (clusters + 2)  # a rate of 0 varies too
    varying = inner * (1 - inner)
    if spread.uneven is None or spread.unlike is None:
        return spread.df(_by_class(own, factors**2 / spread.rows, spread))
    rows = np.maximum(items / clusters, 1)
    variance = factors**2 * varying
    # rates have one correlation, of which a sum has no more than is left of its variance
    icc = np.clip((items / trials - 1) / np.maximum(rows - 1, ROUNDING), 0, 1)
    shared = min(ratio, 1.0) * float(np.prod(icc)) ** (1 / len(icc))
    free, skewness = beta_binomial(inner, shared, rows)
    alike = np.minimum(free + skewness / 2 * spread.uneven[own], 1)
    doubt = np.ones(len(spread.items))
    of_rates = alike + spread.unlike[own] * (1 - alike)
    doubt[own] = np.where(of_rates > ROUNDING, of_rates, 0)  # else the scale of weights matters
    independent = _by_class(own, variance / items, spread)
    return spread.df(independent, doubt, float((variance / trials).sum()))


def _by_class(own: Integers, values: Floats, spread: Spread) -> Floats:
    return np.bincount(own, values, len(spread.items)).astype(float)


def beta_binomial(rate: Floats, icc: Floats | float, rows: Floats) -> tuple[Floats, Floats]:
    """Return half of E[(x² − …)²], and the squared skewness, of standardised counts x of clusters.

    The dots are the best linear function of x, so the first is the ratio of the second and the
    first norm of Hahn's monic polynomials, over 2: 1 for a normal x, 0 for clusters of one row.
    """
    varying, raised = rate * (1 - rate), 1 + (rows - 1) * icc
    scale = varying * rows * raised * (1 + icc) ** 2
    second = (1 - icc) * (varying * (1 - icc) ** 2 + icc) * (rows - 1) * (1 + rows * icc)
    skewness = (1 - 4 * varying) * (raised + rows * icc) ** 2
    return second / (1 + 2 * icc) / scale, skewness / scale
