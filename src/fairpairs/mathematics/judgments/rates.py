"""TPR(a, b) from judgments that share judges and clusters beside items.

What judges and clusters add to the covariance is estimated twice, as that of items is: from each
cell's own judgments, and from all cells together as if separation held. The derivations are in
docs/explanation/methods.md.

References: R. M. Bell and D. F. McCaffrey (2002), Bias reduction in standard errors for linear
regression with multi-stage samples (CR3, and degrees of freedom by the shares of the units). J. G.
MacKinnon, M. Ø. Nielsen and M. D. Webb (2024), Jackknife inference with two-way clustering: no
variance below that of one kind of clusters alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.pairs.given import given_pairs
from fairpairs.mathematics.estimates.pairs.rates import PairRates, group_pairs
from fairpairs.mathematics.judgments.related import Relations, count_codes

#: A unit with at least this share of a cell has all of it.
ALL = 1 - 1e-12


def related_pairs(
    winner: Integers,
    loser: Integers,
    hit: Floats,
    group: Integers,
    n_groups: int,
    *,
    weights: Floats | None = None,
    shared: tuple[Integers, ...] = (),
    item_clusters: Integers | None = None,
) -> PairRates:
    """Estimate TPR(a, b) as `given_pairs` from pairs that share items, judges and clusters.

    `shared` are judge and cluster of each pair, from 0; items of one cluster count as one.
    """
    rates = given_pairs(winner, loser, hit, group, n_groups, weights=weights)
    if not shared and item_clusters is None:
        return rates
    cluster = np.arange(len(group)) if item_clusters is None else item_clusters
    relations = Relations(cluster[winner], cluster[loser], shared).coarsest
    within = relations.items_within
    weight = (winner != loser) * (1.0 if weights is None else weights)

    def with_related(table: PairRates, code: Integers, members: NDArray[np.bool_]) -> PairRates:
        """Add what judges and clusters bring to the rates of judgments of two members."""
        rows = np.flatnonzero(members[winner] & members[loser])
        one, two, kept = winner[rows], loser[rows], relations.take(rows)
        k = table.comparable.shape[-1]
        cells = _Cells(table, code[one] * k + code[two], hit[rows], weight[rows])
        pairwise = Relations(one, two).covariance(*cells.sums)
        kinds = [cells.kind(unit) for unit in kept.shared]
        alone = [kind.corrected for kind in kinds]
        pooled = np.sum([kind.pooled for kind in kinds], axis=0) if kinds else 0 * pairwise
        if not within:
            by_item = pairwise
            if item_clusters is not None:
                kinds.append(cells.kind(*kept.ends))
                by_item = Relations(kept.one, kept.two).covariance(*cells.sums) + kinds[-1].widened
                # items alone are in the pooled covariance
                pooled = pooled + by_item - pairwise
            alone.append(by_item)
        ways = np.stack(alone)
        if len(alone) > 1:
            every = kept.covariance(*cells.sums) + np.sum([kind.widened for kind in kinds], axis=0)
            ways = np.concatenate([every[None], ways])
        units = np.min([kind.units for kind in kinds], axis=0).reshape(k, k)
        return replace(table, related=ways - pairwise, related_pooled=pooled, units=units)

    each_two = None
    if rates.each_two is not None:
        each_two = tuple(
            with_related(two_rates, (group == two[1]).astype(np.int64), np.isin(group, two))
            for two_rates, two in zip(rates.each_two, group_pairs(n_groups), strict=True)
        )
    all_items = np.ones(len(group), dtype=bool)
    return replace(with_related(rates, group, all_items), each_two=each_two)


@dataclass(frozen=True)
class _Kind:
    """What one kind of units brings."""

    #: Covariance of the rates where it alone relates judgments, and what its correction adds,
    #: shape (c, c).
    corrected: Floats
    widened: Floats
    #: What it adds to the covariance where separation holds, shape (c, c).
    pooled: Floats
    #: Effective number of units behind each cell, shape (c,).
    units: Floats


class _Cells:
    """Judgments by cell: what each adds to the rate of its cell, and its share of the cell."""

    def __init__(self, rates: PairRates, cell: Integers, hit: Floats, weight: Floats) -> None:
        total = rates.comparable.ravel()[cell]
        self.cell, self.n_cells, self.weight = cell, rates.comparable.size, weight
        self.share = np.divide(weight, total, out=np.zeros(len(cell)), where=total > 0)
        self.influence = self.share * (hit - np.nan_to_num(rates.tpr).ravel()[cell])
        usable = rates.comparable.sum()
        self.common = float(rates.concordant.sum() / usable) if usable > 0 else 0.0
        self.residual = weight * (hit - self.common)

    @property
    def sums(self) -> tuple[Floats, Integers, int]:
        """What `Relations.covariance` takes."""
        return self.influence, self.cell, self.n_cells

    def kind(self, code: Integers, judgment: Integers | None = None) -> _Kind:
        """Return what units of one kind bring, from the unit of each judgment or `judgment`.

        A unit with the share s of its cell is divided by 1 − s (the jackknife, CR3).
        """
        rows = slice(None) if judgment is None else judgment
        n, index = count_codes(code), code * self.n_cells + self.cell[rows]

        def add(values: Floats) -> Floats:
            size = n * self.n_cells
            return np.asarray(np.bincount(index, values[rows], size).reshape(n, self.n_cells))

        sums, shares, alone = add(self.influence), add(self.share), add(self.share**2)
        with np.errstate(invalid="ignore", divide="ignore"):
            factor = np.sqrt(np.nan_to_num(1 - 1 / (shares > 0).sum(axis=0), neginf=0))
            corrected = np.where(shares < ALL, sums / (1 - shares), 0) * factor
        same, other = self._common_products(add)
        products = shares.T @ shares
        pooled = other * products
        np.fill_diagonal(pooled, same * (np.diag(products) - alone.sum(axis=0)))
        spread = self.common * (1 - self.common)
        alike = min(same / spread, 1.0) if spread > 0 else 0.0
        units = _effective(shares, alone + alike * np.maximum(shares**2 - alone, 0))
        covariance = corrected.T @ corrected
        return _Kind(covariance, covariance - sums.T @ sums, pooled, units)

    def _common_products(self, add: Callable[[Floats], Floats]) -> tuple[float, float]:
        """Return the mean product of two judgments of a unit, by numbers, in one cell and two."""
        numbers = add(self.weight)
        per_unit = 1 / np.maximum(numbers.sum(axis=1), np.finfo(float).tiny)
        means = []
        products = _products(add(self.residual), add(self.residual**2))
        for product, number in zip(products, _products(numbers, add(self.weight**2)), strict=True):
            total = float(per_unit @ number)
            means.append(float(per_unit @ product) / total if total > 0 else 0.0)
        return max(means[0], 0.0), means[1]


def _products(sums: Floats, squares: Floats) -> tuple[Floats, Floats]:
    """Sum, for each unit, the products of two of its judgments, of one cell and of two."""
    return (sums**2 - squares).sum(axis=1), sums.sum(axis=1) ** 2 - (sums**2).sum(axis=1)


def _effective(shares: Floats, variances: Floats) -> Floats:
    """Return the effective units behind each cell, (c,): less 1 the df (Bell and McCaffrey)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        behind = variances.sum(axis=0) ** 2 / (variances**2).sum(axis=0)
        lost = ((shares / shares.sum(axis=0)) ** 2).sum(axis=0)
        return np.asarray(np.nan_to_num(1 + behind * (1 - lost)))
