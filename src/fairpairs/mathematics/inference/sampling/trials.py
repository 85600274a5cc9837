"""The independent trials that rates of items with clusters and weights are worth.

docs/explanation/inference.md derives them (section 3).
"""

import numpy as np

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.inference.sampling.linear import Spread

#: With so many independent events a variance counts as half known, and that of rates with so large
#: an inverse of the squared skewness; chosen by simulation.
HALF_KNOWN_EVENTS, HALF_KNOWN_RATES = 3.0, 4.0
#: Events that the squared skewness of clusters leaves are its inverse over this; by simulation.
RISING = 3.0
#: Fewer rows of a cluster above one are none.
ROUNDING = 1e-9


@np.errstate(invalid="ignore", divide="ignore")  # a rate without an item
def effective_trials(
    rates: Floats, spread: Spread, factors: Floats | None = None
) -> tuple[Floats, Floats]:
    """Return the independent trials that rates are worth, and the correlation of the rates.

    A rate p with the variance v is worth T = p (1 − p) / v trials, of the squared skewness (1 − 2
    p)² / (T p (1 − p)). Skewed ones say too little about v, so 1 / trials is the mean of v / (p (1
    − p)) and of `_expected`, weighted by `share_known`. `factors` are those of the rates in a sum;
    None if each two are compared.
    """
    scale = np.sqrt(rates * (1 - rates))
    scaled = spread.covariance / np.outer(scale, scale)
    correlation = scaled / np.sqrt(np.outer(np.diagonal(scaled), np.diagonal(scaled)))
    scaled, correlation = (np.where(np.isfinite(x), x, 0.0) for x in (scaled, correlation))
    variance = np.diagonal(scaled)
    events = np.where(variance > 0, (scale / (1 - 2 * rates)) ** 2 / variance, 0.0)
    expected = _expected(rates, spread, correlation, factors, events)
    share = share_known(fewer(events, spread.skewness), HALF_KNOWN_RATES)
    known, rest = np.outer(share, share), np.sqrt(1 - share)
    np.fill_diagonal(known, share)
    units = known * scaled + np.outer(rest, rest) * expected
    if spread.skewness is not None:
        np.fill_diagonal(units, np.maximum(np.diagonal(units), variance))
    size = np.sqrt(np.diagonal(units))
    shared = units / np.outer(size, size)
    if spread.skewness is not None:  # what raises the variance of the sum is believed, too
        signs = -1.0 if factors is None else np.sign(np.outer(factors, factors))
        believed = signs * correlation > np.maximum(signs * shared, 0)
        shared = np.where(believed, correlation, shared)
    return 1 / np.diagonal(units), np.clip(shared, -1, 1)


@np.errstate(divide="ignore")
def share_known(events: Floats | float, half: float = HALF_KNOWN_EVENTS) -> Floats:
    """Return how far a variance is to be trusted, from 0 to 1, by the events that it rests on."""
    return np.asarray(1 / (1 + (np.asarray(events) / half) ** -4.0))


@np.errstate(divide="ignore")
def fewer(events: Floats, skewness: Floats | None) -> Floats:
    """Return the events, no more than whole clusters show, a few of which may rise together."""
    if skewness is None:
        return events
    return np.minimum(events, 1 / (RISING * np.asarray(skewness.max(initial=0.0))))


def _expected(
    rates: Floats, spread: Spread, correlation: Floats, factors: Floats | None, events: Floats
) -> Floats:
    """Return the covariance of rates, over their standard deviations, from that of all together.

    All have the correlation within clusters that their variances have together; where events are
    few, the worse of: items of a cluster are alike, or independent.
    """
    clusters, cases = 1 / np.diagonal(spread.together), []
    same_items = spread.shared & ~np.eye(len(rates), dtype=bool)
    for case in (spread.together, np.diag(1 / spread.rows)):
        size = np.sqrt(np.diagonal(case))
        cases.append(np.where(same_items, correlation * np.outer(size, size), case))
    alike, independent = cases
    worst = alike
    if factors is not None:
        # a rate of 0 varies too
        inner = (rates * clusters + 1) / (clusters + 2)
        times = factors * np.sqrt(inner * (1 - inner))
        worst = max(cases, key=lambda case: float(times @ case @ times))
    # of sums of items
    least = spread.rows * rates * (1 - rates)
    most = float(np.nansum(least * (spread.rows / clusters - 1)))
    excess = float(np.nansum(spread.rows**2 * np.diagonal(spread.covariance) - least))
    icc = min(max(excess / most, 0.0), 1.0) if most > 0 else 0.0
    share = share_known(float(np.nanmean(events)), HALF_KNOWN_RATES)
    return np.asarray(share * (icc * alike + (1 - icc) * independent) + (1 - share) * worst)


def doubts(
    rates: Floats, trials: Floats, correlation: Floats, factors: Floats, spread: Spread
) -> Floats:
    """Return how much the trials of each rate may be off, over those of normal items, 0 to 1.

    Trials are p (1 − p) / v̂, so what counts is the variance of v̂ for a given p̂: that of clusters of
    beta-binomial counts, with more for clusters of unlike sizes, and that of normal items as far as
    weights differ, which may depend on the decision.
    """
    own = spread.expected.argmax(axis=1)
    clusters, items = spread.clusters[own], spread.items[own]
    rows = np.maximum(items / clusters, 1)
    inner = (rates * clusters + 1) / (clusters + 2)  # a rate of 0 varies too
    # all rates have one correlation, of which a sum has no more than is left of its variance
    errors = factors * np.sqrt(inner * (1 - inner) / trials)
    left = min(float(errors @ correlation @ errors) / float(errors @ errors), 1.0)
    icc = np.clip((items / trials - 1) / np.maximum(rows - 1, ROUNDING), 0, 1)
    shared = left * float(np.prod(icc)) ** (1 / len(icc))
    free, skewness = beta_binomial(inner, shared, rows)
    alike = np.minimum(free + skewness / 2 * spread.uneven[own], 1)
    return np.asarray(alike + spread.unlike[own] * (1 - alike))


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
