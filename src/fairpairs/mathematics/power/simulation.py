"""How often a test rejects on sets that are drawn from the cells of the items.

For cells with too few items or pairs for a normal approximation. The tests are those that
users call, so that a plan and a test cannot disagree.
"""

from __future__ import annotations

import numpy as np

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.estimates.pairs.binary import all_pairs_from_counts
from fairpairs.mathematics.estimates.pairs.rates import Ties
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
    rng = np.random.default_rng(0)
    cells, ties = (items.items, items.ties) if isinstance(items, PilotOfScores) else (items, WRONG)
    counts = rng.multinomial(n_items, cells.ravel(), size=SETS).reshape(SETS, *cells.shape)
    if separation:
        pvalues = separation_from_counts(counts, method="auto").pvalue
    else:
        rates = all_pairs_from_counts(counts.astype(float), ties=ties)
        if n_pairs is not None:  # given the items, a pair is right with the rate of all pairs
            chance = 2 * rates.comparable.reshape(SETS, 4) / float(n_items) ** 2
            rest = np.maximum(1 - chance.sum(axis=-1, keepdims=True), 0)
            pairs = rng.multinomial(n_pairs, np.concatenate([chance, rest], axis=-1))[:, :4]
            right = rng.binomial(pairs, np.nan_to_num(rates.tpr).clip(0, 1).reshape(SETS, 4))
            rates = rates_of_drawn_pairs(rates, pairs.astype(float), right.astype(float))
        pvalues = gap_pvalues(rates)
    pvalues = adjusted(pvalues, correction)
    return float((np.nan_to_num(pvalues, nan=1).min(axis=-1) < alpha).mean())
