"""How often a test is expected to reject, its level or its power, and the gaps it is to show.

The variances for pairs that share items are derived in docs/explanation/comparative-separation.md.
"""

import copy
from dataclasses import replace
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
from scipy.special import ndtr, ndtri

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.estimates.pairs.binary import all_pairs_from_counts
from fairpairs.mathematics.estimates.pairs.rates import PairRates, Ties, cell_probabilities
from fairpairs.mathematics.inference.contrasts.binomial_decisions import are_different
from fairpairs.mathematics.inference.contrasts.score_statistic import score_statistic
from fairpairs.mathematics.inference.gaps import gap_cells, gaps_from_rates
from fairpairs.mathematics.inference.rates import compared_counts
from fairpairs.mathematics.inference.results import Correction, adjusted
from fairpairs.mathematics.power.items import MOST, PilotOfScores, checked_items, simulated_sets

#: Smallest expected content of a cell, which keeps divisions finite.
TINY = 1e-9
#: The cells (group of the winner, group of the loser) that items of each class are in: winners and
#: losers of group 0, and of group 1.
CELLS_OF_CLASSES = np.array([[0, 1], [0, 2], [2, 3], [1, 3]])
#: The classes of the winners of each cell, and of its losers.
CLASSES_OF_CELLS = np.array([[0, 0, 2, 2], [1, 3, 1, 3]])
#: "separation": `separation_test`. "fresh_pairs": the dyadic test on pairs of two fresh
#: items each. "drawn_pairs": the same on pairs drawn from the items. "binomial": the paper's test
#: on such pairs. "all_pairs": the test on all pairs of the items.
Test = Literal["separation", "fresh_pairs", "drawn_pairs", "binomial", "all_pairs"]
#: Fresh pairs are modelled as drawn from this many items per pair, so that few items recur.
FRESH = 10_000
#: Sets that are drawn: the standard error of a power of 0.8 is 0.009.
SETS = 2_000
#: Of several groups, so many times more where the exact test is that of the pooled z.
QUICK = 5
#: No exact p is below a level where that of the pooled z is as large as this.
UNLIKE = 0.2
#: Predictions of 0 and 1 that tie are not ranked right.
WRONG: Ties = "wrong"
#: What determines simulated sets: the number of items, the shape and bytes of the probabilities of
#: their cells, and the number of sets.
Drawn = tuple[int, tuple[int, ...], bytes, int]


def gaps_and_covariance(
    items: Floats | PilotOfScores, n_items: float, n_pairs: float | None = None
) -> tuple[Floats, Floats]:
    """Return the two gaps of comparative separation, (2,), and the covariance of their estimates.

    Over all pairs V = ζ10/m + ζ01/n + (θ(1 − θ) − ζ10 − ζ01)/(mn), with ζ10 = t(1 − t)u², ζ01 = u(1
    − u)t² for θ = t u; over M drawn pairs V + (θ(1 − θ) − V) E[1/pairs].
    """
    theta, flat, usable = _rates_of_pairs(items, n_items)
    if n_pairs is not None:
        variance = np.diagonal(flat).reshape(2, 2)
        added = (theta * (1 - theta) - variance) * _expected_inverse(n_pairs, usable)
        flat = flat + np.diag(added.ravel())
    first, second = gap_cells(2)
    contrasts = np.eye(4)[first] - np.eye(4)[second]
    return contrasts @ theta.ravel(), contrasts @ flat @ contrasts.T


def _rates_of_pairs(items: Floats | PilotOfScores, n_items: float) -> tuple[Floats, Floats, Floats]:
    """Return the rates of all pairs, (2, 2), their covariance, (4, 4), and each cell's chance."""
    if not isinstance(items, PilotOfScores):
        return _cell_rates(checked_items(items), n_items)
    rates = expected_rates(items, n_items)
    return rates.tpr, rates.covariance, 2 * rates.comparable / float(n_items) ** 2


def either_found(gaps: Floats, covariance: Floats, critical: Floats) -> float:
    """Return the chance that one of two normal estimates exceeds `critical`, shape (2,)."""
    from scipy.stats import multivariate_normal  # noqa: PLC0415  (slow)

    if not (np.diagonal(covariance) > 0).all():
        return 0.0  # without variance there is no rejection
    accepted = multivariate_normal.cdf(
        critical, gaps, covariance, allow_singular=True, lower_limit=-critical
    )
    return float(1 - accepted)


def critical_gaps(rates: PairRates, level: float) -> Floats:
    """Return how large each gap must be to be significant at a level, shape (2,).

    It is the distance to the limit that is nearer to 0.
    """
    with np.errstate(invalid="ignore"):  # more pairs than an integer holds
        gaps = gaps_from_rates(rates, alpha=level)
    return np.where(gaps.estimate > 0, gaps.estimate - gaps.ci_low, gaps.ci_high - gaps.estimate)


def expected_rates(
    items: Floats | PilotOfScores, n_items: float, n_pairs: float | None = None
) -> PairRates:
    """Return the rates of a collection in which the numbers in all cells are the expected ones."""
    if isinstance(items, PilotOfScores):
        rates = all_pairs_from_counts(n_items * items.items, ties=items.ties)
    else:
        rates = all_pairs_from_counts(n_items * items)
    if n_pairs is None:
        return rates
    pairs = 2 * n_pairs * rates.comparable.ravel() / float(n_items) ** 2
    return rates_of_drawn_pairs(rates, pairs, pairs * rates.tpr.ravel())


def differences_of_separation(
    items: Floats, n_items: float, level: float
) -> tuple[Floats, Floats, Floats]:
    """Return differences of separation, their covariance, and how large they must be (pooled z)."""
    totals = items.sum(axis=-1)
    positive = items[..., 1]
    rates, common = positive / totals, positive.sum(axis=0) / totals.sum(axis=0)
    unpooled = (rates * (1 - rates) / (n_items * totals)).sum(axis=0)
    pooled = common * (1 - common) * (1 / (n_items * totals)).sum(axis=0)
    return rates[1] - rates[0], np.diag(unpooled), ndtri(1 - level / 2) * np.sqrt(pooled)


def rates_of_drawn_pairs(every: PairRates, pairs: Floats, right: Floats) -> PairRates:
    """Return what `given_pairs` would for pairs drawn with replacement, (..., 4), some `right`.

    docs/explanation/comparative-separation.md has what drawing adds to variances of `every` pair.
    """
    shape = every.tpr.shape
    known = every.covariance if every.pooled is None else every.pooled
    with np.errstate(invalid="ignore", divide="ignore"):
        rate = right / pairs
        common = right.sum(axis=-1, keepdims=True) / pairs.sum(axis=-1, keepdims=True)
        unpooled, pooled = (
            np.nan_to_num(np.maximum(p * (1 - p) - np.diagonal(v, axis1=-2, axis2=-1), 0))
            / np.maximum(pairs, TINY)
            for p, v in ((rate, every.covariance), (common, known))
        )
    components = every.components.copy()
    for number, cells in enumerate(CELLS_OF_CLASSES):
        components[..., number, cells, cells] += unpooled[..., cells]
    met = pairs[..., CELLS_OF_CLASSES].sum(axis=-1) / np.maximum(every.class_sizes, TINY)
    counts = pairs.reshape(shape)
    # the number of pairs of an item is nearly Poisson: its second and fourth moments
    sizes = every.class_sizes[..., CLASSES_OF_CELLS]
    mean = pairs[..., None, :] / np.maximum(sizes, TINY)
    second = (sizes * (mean + mean**2)).sum(axis=-2)
    fourth = (sizes * (mean + 7 * mean**2 + 6 * mean**3 + mean**4)).sum(axis=-2)
    return replace(
        every,
        concordant=right.reshape(shape),
        comparable=counts,
        pairs=counts,
        components=components,
        class_sizes=every.class_sizes * -np.expm1(-met),  # of the items that are in a pair
        counted_twice=unpooled[..., None] * np.eye(4),
        pooled=known + pooled[..., None] * np.eye(4),
        effective=counts,
        items=(second**2 / np.maximum(fourth, TINY)).reshape(shape),
    )


def few_are_expected(items: Floats, n_items: float, n_pairs: float | None) -> bool:
    """Return whether a cell is expected to have too few items or pairs for the normal test."""
    kinds = [n_items * items]
    if n_pairs is not None:
        kinds.append(n_pairs * np.stack(cell_probabilities(items), axis=-1))
    return any(counts.min() < SMALL_CELL for counts in kinds)


def _cell_rates(items: Floats, n_items: float) -> tuple[Floats, Floats, Floats]:
    """Return the rates, their covariance on all pairs, and the chance of a pair in each cell."""
    totals = items.sum(axis=-1)
    rates = items[..., 1] / totals
    t, u = rates[:, 1], 1 - rates[:, 0]
    theta = np.outer(t, u)
    few_winners, few_losers = (_expected_inverse(n_items, totals[:, label]) for label in (1, 0))
    covariance = np.zeros((2, 2, 2, 2))
    for g in (0, 1):  # cells that share their winners, and their losers
        covariance[g, :, g, :] += t[g] * (1 - t[g]) * few_winners[g] * np.outer(u, u)
        covariance[:, g, :, g] += u[g] * (1 - u[g]) * few_losers[g] * np.outer(t, t)
    first_order = (t * (1 - t))[:, None] * u**2 + t[:, None] ** 2 * (u * (1 - u))
    alone = theta * (1 - theta)
    variance = np.einsum("abab->ab", covariance).copy()
    variance += (alone - first_order) * np.outer(few_winners, few_losers)
    flat = covariance.reshape(4, 4)
    np.fill_diagonal(flat, variance.ravel())
    return theta, flat, 2 * np.outer(totals[:, 1], totals[:, 0])


def _expected_inverse(n: float, chance: Floats) -> Floats:
    """E[1/k] of a binomial count k that is not 0, to the second order."""
    mean = n * chance
    return np.asarray(np.minimum((1 + (1 - chance) / mean) / mean, 1))


def expected_rejection(
    test: Test,
    items: Floats | PilotOfScores,
    *,
    n_items: int | None = None,
    n_pairs: int | None = None,
    alpha: float = 0.05,
    correction: Correction = "none",
) -> float:
    """Return the probability that a test rejects at least one of its hypotheses.

    Where separation holds this is its level, else its power. It is computed from the normal
    distribution of the gaps where 30 items or pairs of each kind (group, label, prediction) or more
    are expected. Where fewer are, for pilots of scores, and for three groups or more, it is the
    share of 2,000 or more simulated sets (with a fixed seed) in which the test rejects; its
    standard error is 0.01 or less.

    Parameters
    ----------
    test
        A name in `Test`.
    items
        Probability of an item in each cell (a, y, c), shape (2, 2, 2), or (k, 2, 2) of k groups, of
        which "separation" compares each two; or a pilot of scores, which goes with "fresh_pairs",
        "drawn_pairs" and "all_pairs".
    n_items
        Number of items; not for "fresh_pairs".
    n_pairs
        Number of pairs; for "fresh_pairs", "drawn_pairs" and "binomial".
    alpha
        Level.
    correction
        "none", "holm" or "sidak".

    Returns
    -------
    float

    Raises
    ------
    InputError
        When the test is not known, or a number that it needs is missing.

    Examples
    --------
    >>> from fairpairs import power
    >>> items = power.items_from_rates(tpr=(0.8, 0.7))
    >>> round(expected_rejection("all_pairs", items, n_items=1000), 2)
    0.57
    """
    inputs.one_of(test, "test", get_args(Test))
    needed = {
        "n_items": test != "fresh_pairs",
        "n_pairs": test in ("fresh_pairs", "drawn_pairs", "binomial"),
    }
    for name, number in (("n_items", n_items), ("n_pairs", n_pairs)):
        if needed[name] and number is None:
            raise InputError(f"{test} needs {name}.")
        if number is not None:
            inputs.between(number, name, 1, MOST, ends=True)
    if isinstance(items, PilotOfScores) and test in ("separation", "binomial"):
        raise InputError(f"{test} needs yes/no predictions: a pilot of scores has none.")
    inputs.level(alpha)
    inputs.one_of(correction, "correction", get_args(Correction))
    items = items if isinstance(items, PilotOfScores) else checked_items(items)
    level = level_of_each(alpha, correction)
    m = None if test in ("separation", "all_pairs") else n_pairs
    n = FRESH * (n_pairs or 0) if test == "fresh_pairs" else n_items or 0
    if test == "binomial" and not isinstance(items, PilotOfScores):
        right, wrong = cell_probabilities(items)
        usable = right + wrong
        # the paper's test takes pairs to be independent
        alone = (right * wrong / usable**2 / (usable * (n_pairs or 0))).ravel()
        first, second = gap_cells(2)
        critical = ndtri(1 - level / 2) * np.sqrt(alone[first] + alone[second])
        return either_found(*gaps_and_covariance(items, n, m), critical)
    cells, ties = (items.items, items.ties) if isinstance(items, PilotOfScores) else (items, WRONG)
    several = len(cells) > 2 and not isinstance(items, PilotOfScores)
    if several and test != "separation":
        raise InputError(f"{test} compares two groups: items have {len(cells)}, leave some out.")
    few = isinstance(items, PilotOfScores) or few_are_expected(items, n, m)
    if few or several:
        drawn = n, cells.shape, cells.tobytes(), SETS if few else QUICK * SETS
        if test == "separation":
            return _separation_rejected(drawn, alpha, correction, exact=few)
        return _gaps_rejected(drawn, ties, m, alpha, correction)
    if test == "separation":
        return either_found(*differences_of_separation(cells, n, level))
    return either_found(
        *gaps_and_covariance(items, n, m), critical_gaps(expected_rates(items, n, m), level)
    )


def level_of_each(alpha: float, correction: Correction) -> float:
    """Return the level of each of two hypotheses at which the correction rejects either."""
    return float({"none": alpha, "holm": alpha / 2, "sidak": 1 - np.sqrt(1 - alpha)}[correction])


@lru_cache(maxsize=1024)  # a search, its curve in each file, and like plans ask for it again
def _gaps_rejected(
    drawn: Drawn, ties: Ties, n_pairs: int | None, alpha: float, correction: Correction
) -> float:
    """Return the share of simulated sets in which comparative separation is rejected.

    Tests of simulated sets are those that users call, so that a plan and a test cannot disagree.
    """
    n_items, *_, sets = drawn
    rates, rng = _rates(drawn, ties)
    if n_pairs is not None:  # given the items, a pair is right with the rate of all pairs
        rng = copy.deepcopy(rng)
        chance = 2 * rates.comparable.reshape(sets, 4) / float(n_items) ** 2
        rest = np.maximum(1 - chance.sum(axis=-1, keepdims=True), 0)
        pairs = rng.multinomial(n_pairs, np.concatenate([chance, rest], axis=-1))[:, :4]
        right = rng.binomial(pairs, np.nan_to_num(rates.tpr).clip(0, 1).reshape(sets, 4))
        rates = rates_of_drawn_pairs(rates, pairs.astype(float), right.astype(float))
    pvalues = adjusted(gaps_from_rates(rates).pvalue, correction)
    return float((np.nan_to_num(pvalues, nan=1).min(axis=-1) < alpha).mean())


@lru_cache(maxsize=1024)
def _separation_rejected(
    drawn: Drawn, alpha: float, correction: Correction, *, exact: bool = True
) -> float:
    """Return the share of simulated sets in which `separation_test` rejects, of any two groups."""
    counts = simulated_sets(*drawn)[0]
    first, second = np.triu_indices(counts.shape[1], 1)
    pairs = compared_counts(np.stack([counts[:, first], counts[:, second]], axis=2))
    k1, n1, k0, n0 = (array.reshape(len(counts), -1) for array in pairs)
    tested = (np.minimum(n1, n0) > 0) & (k1 + k0 > 0) & (k1 + k0 < n1 + n0)
    number = np.maximum(tested.sum(axis=-1, keepdims=True), 1)
    level = {"none": alpha, "holm": alpha / number, "sidak": 1 - (1 - alpha) ** (1 / number)}
    levels = np.broadcast_to(level[correction], k1.shape)
    by_z = 2 * ndtr(-np.abs(score_statistic(k1, k0, n1, n0, 0.0)[0]))
    if not exact:
        return float((by_z < levels).any(axis=-1).mean())
    found, likely = np.zeros(k1.shape, dtype=bool), tested & (by_z < max(UNLIKE, alpha))
    likeliest = by_z == np.where(likely, by_z, 1).min(axis=-1, keepdims=True)
    for some in (likely & likeliest, likely & ~likeliest):  # one difference is enough
        left = some & ~found.any(axis=-1, keepdims=True)
        found[left] = are_different(k1[left], n1[left], k0[left], n0[left], levels[left])
    return float(found.any(axis=-1).mean())


@lru_cache(maxsize=2)  # a search for the pairs that are needed draws them over the same items
def _rates(drawn: Drawn, ties: Ties) -> tuple[PairRates, np.random.Generator]:
    """Return the rates of all pairs of simulated sets, and the generator that drew the sets."""
    counts, rng = simulated_sets(*drawn)
    return all_pairs_from_counts(counts.astype(float), ties=ties), rng
