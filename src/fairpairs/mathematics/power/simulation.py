"""How often a test rejects on sets that are drawn from the cells of the items.

For cells with too few items or pairs for a normal approximation. The tests are those that
users call, so that a plan and a test cannot disagree.
"""

import copy
from functools import lru_cache

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.pairs.binary import all_pairs_from_counts
from fairpairs.mathematics.estimates.pairs.rates import PairRates, Ties
from fairpairs.mathematics.fairness.separation import separation_from_counts
from fairpairs.mathematics.inference.gaps import gap_pvalues
from fairpairs.mathematics.inference.results import Correction, adjusted
from fairpairs.mathematics.power.expected_gaps import rates_of_drawn_pairs
from fairpairs.mathematics.power.pilots import PilotOfScores

#: Sets that are drawn: the standard error of a power of 0.8 is 0.009.
SETS = 2_000
#: Predictions of 0 and 1 that tie are not ranked right.
WRONG: Ties = "wrong"


def simulated_rejection(
    items: Floats | PilotOfScores,
    n_items: int,
    n_pairs: int | None = None,
    *,
    separation: bool = False,
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> float:
    """Return the share of simulated sets in which a test rejects; the seed is fixed."""
    cells, ties = (items.items, items.ties) if isinstance(items, PilotOfScores) else (items, WRONG)
    drawn = n_items, cells.shape, cells.tobytes(), SETS
    if separation:
        pvalues = separation_from_counts(_sets(*drawn)[0], method="auto").pvalue
    else:
        rates, rng = _rates(*drawn, ties)
        if n_pairs is not None:  # given the items, a pair is right with the rate of all pairs
            rng = copy.deepcopy(rng)
            chance = 2 * rates.comparable.reshape(SETS, 4) / float(n_items) ** 2
            rest = np.maximum(1 - chance.sum(axis=-1, keepdims=True), 0)
            pairs = rng.multinomial(n_pairs, np.concatenate([chance, rest], axis=-1))[:, :4]
            right = rng.binomial(pairs, np.nan_to_num(rates.tpr).clip(0, 1).reshape(SETS, 4))
            rates = rates_of_drawn_pairs(rates, pairs.astype(float), right.astype(float))
        pvalues = gap_pvalues(rates)
    pvalues = adjusted(pvalues, correction)
    return float((np.nan_to_num(pvalues, nan=1).min(axis=-1) < alpha).mean())


def _sets(
    n_items: int, shape: tuple[int, ...], cells: bytes, sets: int
) -> tuple[Integers, np.random.Generator]:
    """Return the counts of simulated sets, and the generator that drew them."""
    rng = np.random.default_rng(0)
    return rng.multinomial(n_items, np.frombuffer(cells), size=sets).reshape(sets, *shape), rng


@lru_cache(maxsize=2)  # a search for the pairs that are needed draws them over the same items
def _rates(
    n_items: int, shape: tuple[int, ...], cells: bytes, sets: int, ties: Ties
) -> tuple[PairRates, np.random.Generator]:
    """Return the rates of all pairs of simulated sets, and the generator that drew the sets."""
    counts, rng = _sets(n_items, shape, cells, sets)
    return all_pairs_from_counts(counts.astype(float), ties=ties), rng
