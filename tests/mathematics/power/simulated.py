"""Rates of two groups, and data sets that are drawn with them."""

import numpy as np

from fairpairs.mathematics.estimates.pairs.binary import all_pairs_from_counts
from fairpairs.mathematics.estimates.pairs.rates import PairCounts, cell_probabilities

FAIR = {"share": 0.4, "prevalence": (0.4, 0.6), "tpr": 0.8, "fpr": 0.3}
UNFAIR = {"share": 0.3, "prevalence": (0.3, 0.5), "tpr": (0.85, 0.7), "fpr": (0.2, 0.3)}


def simulated_rates(items, n_items, n_pairs, r, seed):
    """Rates of data sets of items, on all pairs or on pairs drawn from them with replacement.

    Given the items, the pairs of a draw fall into the cells as one multinomial draw.
    """
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(n_items, items.ravel(), size=r).reshape(r, 2, 2, 2)
    if n_pairs is None:
        return all_pairs_from_counts(counts)
    right, wrong = (x.reshape(r, 4) for x in cell_probabilities(counts / n_items))
    rest = 1 - (right + wrong).sum(axis=1, keepdims=True)
    drawn = rng.multinomial(n_pairs, np.concatenate([right, wrong, rest], axis=1))
    right, usable = drawn[:, :4], drawn[:, :4] + drawn[:, 4:8]
    return PairCounts(right.reshape(r, 2, 2), usable.reshape(r, 2, 2))
