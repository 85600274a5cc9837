"""TPR(a, b) from all pairs of items, whatever their labels."""

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.pairs.binary import all_pairs_binary, score_order
from fairpairs.mathematics.estimates.pairs.rates import PairRates, Ties, check_ties
from fairpairs.mathematics.estimates.pairs.real import all_pairs_real


def all_pairs(
    y_true: Floats,
    y_score: Floats,
    group: Integers,
    n_groups: int,
    *,
    ties: Ties = "wrong",
    weights: Floats | None = None,
    strata: Integers | None = None,
) -> PairRates:
    """Estimate TPR(a, b) from all pairs of items, in O(n log n) time and O(n) memory.

    Arrays have the shape (n,), or (r, n) for r data sets. (For many data sets with binary labels
    there is `all_pairs_from_counts`, which has a pooled covariance, too.) A pair weighs the product
    of the weights of its two items; where these were estimated by strata of the label, give
    `strata`: what an item adds is then centred within its group and stratum. The classes of items
    are group × label for one data set of binary labels without weights, else the groups.
    """
    check_ties(ties)
    if y_true.ndim == 1 and weights is None:
        low, high = y_true.min(), y_true.max()
        if low < high and ((y_true == low) | (y_true == high)).all():
            return all_pairs_binary(y_true == high, score_order(y_score), group, n_groups, ties)
    if y_true.ndim == 1:
        one = None if weights is None else weights[None]
        within = None if strata is None else strata[None]
        return all_pairs_real(
            y_true[None], y_score[None], group[None], n_groups, ties, one, within
        ).take(0)
    return all_pairs_real(y_true, y_score, group, n_groups, ties, weights, strata)
