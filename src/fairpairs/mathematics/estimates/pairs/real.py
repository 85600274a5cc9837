"""TPR(a, b) from all pairs of items with real labels, which may have weights."""

from dataclasses import replace

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.pairs.rates import PairRates, Ties, by_class, group_pairs
from fairpairs.mathematics.estimates.pairs.running_sums import sums_over_labels, sums_over_pairs
from fairpairs.mathematics.estimates.pairs.strata import centred, effective_items, pooled_in_strata


def all_pairs_real(
    y_true: Floats,
    y_score: Floats,
    group: Integers,
    k: int,
    ties: Ties,
    weights: Floats | None,
    strata: Integers | None,
) -> PairRates:
    """Estimate TPR(a, b) in r data sets; the arguments are those of `all_pairs`."""
    table, added, kernels = _projected(y_true, y_score, group, k, ties, weights, strata)
    concordant, comparable, pairs = table
    components, sizes = by_class(added, group, k)
    pooled = None
    if weights is not None and strata is not None:
        sizes = effective_items(weights, group, k)
        pooled = pooled_in_strata(
            kernels, (concordant, comparable), sizes, (weights, group, strata)
        )

    def rates_among(i: Integers, cells: Integers) -> PairRates:
        # with unweighted items, the rates of some groups do not depend on those of another
        table, square = (..., i[:, None], i), (..., i[:, None, None], cells[:, None], cells)
        parts = components[square]
        return PairRates(
            concordant[table],
            comparable[table],
            pairs[table],
            parts,
            sizes[..., i],
            np.zeros(parts[:, 0].shape),
        )

    groups = np.arange(k)
    each_two = tuple(
        rates_among(np.array(two), np.add.outer(k * np.array(two), two).ravel())
        for two in group_pairs(k)
    )
    return replace(rates_among(groups, np.arange(k * k)), pooled=pooled, each_two=each_two or None)


def projections(
    y_true: Floats,
    y_score: Floats,
    group: Integers,
    k: int,
    ties: Ties,
    weights: Floats | None = None,
    strata: Integers | None = None,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the contribution of each item to TPR(a, b) over all pairs (Hájek's projections).

    After the concordant, comparable and all pairs, shape (r, K, K), they are (r, n, K²), centred
    within group and stratum where `strata` are given.
    """
    table, added, _ = _projected(y_true, y_score, group, k, ties, weights, strata)
    return *table, np.moveaxis(added, 0, -1)


def _projected(
    y_true: Floats,
    y_score: Floats,
    group: Integers,
    k: int,
    ties: Ties,
    weights: Floats | None = None,
    strata: Integers | None = None,
) -> tuple[tuple[Floats, Floats, Floats], Floats, Floats]:
    """Return tables of pairs, what items add, and what they add whatever the group of the other.

    What they add to each rate has the shape (K², r, n).
    """
    member = (np.arange(k)[:, None, None] == group).astype(float)  # (K, r, n)
    columns = member if weights is None else member * weights
    beaten, beating = sums_over_pairs(y_true, y_score, columns, ties=ties)
    counted = [columns] if weights is None else [columns, member * (weights > 0)]
    lower, higher = sums_over_labels(y_true, np.concatenate(counted))
    concordant = np.einsum("arn,brn->rab", columns, beaten)
    sums = [
        np.einsum("arn,brn->rab", weighted, lower[index * k : (index + 1) * k])
        for index, weighted in enumerate(counted)
    ]
    comparable, pairs = sums[0], sums[-1]
    concordant = np.where(
        np.isclose(concordant, comparable, rtol=1e-12, atol=0), comparable, concordant
    )  # not 1 − 1e-16
    with np.errstate(invalid="ignore", divide="ignore"):
        rate = concordant / comparable
        added = np.zeros((k, k, *y_true.shape))
        for a in range(k):
            for b in range(k):
                theta, total = rate[:, a, b, None], comparable[:, a, b, None]
                added[a, b] += columns[a] * (beaten[b] - theta * lower[b]) / total
                added[a, b] += columns[b] * (beating[a] - theta * higher[a]) / total
    added = added.reshape(k * k, *y_true.shape)
    if strata is not None:
        added = centred(added, group * (strata.max() + 1) + strata)
    with np.errstate(invalid="ignore", divide="ignore"):
        common = (concordant.sum(axis=(1, 2)) / comparable.sum(axis=(1, 2)))[:, None]
    kernels = np.stack([summed.sum(axis=0) for summed in (beaten, beating)])
    kernels -= common * np.stack([summed[:k].sum(axis=0) for summed in (lower, higher)])
    return (concordant, comparable, pairs), added, kernels
