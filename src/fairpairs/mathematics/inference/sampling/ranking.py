"""AUC, xAUC and balanced xAUC of items with clusters and weights: the differences and the rates."""

from collections.abc import Iterator

import numpy as np

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.estimates.pairs.rates import PairRates, Ties
from fairpairs.mathematics.estimates.ranking_rates import ranking_cells
from fairpairs.mathematics.inference.sampling.gaps import Gap, alone
from fairpairs.mathematics.inference.sampling.linear import spread
from fairpairs.mathematics.inference.sampling.placements import RankedItems


def ranking_gaps(items: RankedItems, ties: Ties) -> Iterator[Gap]:
    """Yield the differences in the order of `ranking_rates.ranking_hypotheses`, a − b for a < b."""
    for first, second in ranking_cells(items.n_groups):
        yield items.gap(first, second, ties=ties)


def sampled_ranking_rates(items: RankedItems, ties: Ties, alpha: float) -> tuple[PairRates, Floats]:
    """Return the rates of K groups and all items, without covariance, and errors and limits.

    The second array, (3, K + 1, K + 1), has the standard error and both ends of each rate.
    """
    k, design = items.n_groups, items.design
    total = np.bincount(2 * items.group + items.labels, design.weights, minlength=2 * k)
    group_weight = total.reshape(k, 2)[:, ::-1]  # label 1 first
    weight: Floats = np.vstack([group_weight, group_weight.sum(axis=0)]).astype(np.float64)
    comparable: Floats = weight[:, :1] * weight[:, 1]
    theta, known = np.zeros((k + 1, k + 1)), np.full((3, k + 1, k + 1), np.nan)
    for a, b in zip(*np.nonzero(comparable), strict=True):
        rate = items.rate(int(a), int(b), ties=ties)
        theta[a, b] = rate.estimate
        contrast = alone(rate, design)
        if contrast is not None:
            error = np.sqrt(spread([rate], design).covariance[0, 0])
            known[:, a, b] = error, *contrast.limits(alpha)
    none = np.zeros(((k + 1) ** 2,) * 2)
    rates = PairRates(theta * comparable, comparable, comparable, none[None], weight.ravel(), none)
    return rates, known
