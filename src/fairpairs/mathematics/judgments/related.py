"""What judgments share, how alike that makes them, and the covariance of rates that follows.

What judges and clusters add is estimated twice, as that of items is: from each cell's own
judgments, and from all cells together as if separation held (docs/explanation/methods.md).

References: M. Fafchamps and F. Gubert (2007), The formation of risk sharing networks, equation
(2.6): pairs that share a member. A. C. Cameron, J. B. Gelbach and D. L. Miller (2011), Robust
inference with multiway clustering: several kinds of clusters, by inclusion and exclusion. J. G.
MacKinnon, M. Ø. Nielsen and M. D. Webb (2024), Jackknife inference with two-way clustering: no
variance below that of one kind alone. C. R. Rao (1971), Estimation of variance and covariance
components, MINQUE theory: with all weight on the error, as products of two contributions are
regressed on what the two judgments share. R. M. Bell and D. F. McCaffrey (2002), Bias reduction in
standard errors for linear regression with multi-stage samples (CR3, and degrees of freedom by the
shares of the units).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.pairs.given import given_pairs
from fairpairs.mathematics.estimates.pairs.rates import PairRates, group_pairs

#: A unit with at least this share of a cell has all of it.
ALL = 1 - 1e-12
#: Cells times units up to which sums are kept in an array, not in a sparse one.
DENSE = 1 << 16


@dataclass(frozen=True)
class Relations:
    """What m judgments share: items, and perhaps a judge and a cluster."""

    #: The two items of each judgment, or the clusters that these belong to.
    one: Integers
    two: Integers
    #: Judge or cluster of each judgment, from 0, of each kind.
    shared: tuple[Integers, ...] = ()

    def covariance(self, influence: Floats, cell: Integers, n_cells: int) -> Floats:
        """Return the covariance of sums of influences over the judgments of the cells, (c, c).

        Products of influences, with mean 0, are summed over all pairs of judgments that share an
        item, a judge or a cluster, each once. With few units the diagonal can be negative.
        """
        total = np.zeros((n_cells, n_cells))
        sizes = range(len(self.shared) + 1)
        for kinds in (kinds for size in sizes for kinds in combinations(self.shared, size)):
            sign = (-1) ** len(kinds)
            code = _joint(*kinds) if kinds else None
            for ends, judgment, end_sign in self._ends:
                within = ends if code is None else _joint(code[judgment], ends)
                total += (
                    sign * end_sign * _within(within, influence[judgment], cell[judgment], n_cells)
                )
            if code is not None:
                total -= sign * _within(code, influence, cell, n_cells)
        return total

    def variance(self, influence: Floats) -> float:
        """Return the variance of a sum over judgments, at least that by one kind (not nested)."""
        coarsest, one_cell = self.coarsest, np.zeros(len(self.one), dtype=np.int64)
        sums = influence, one_cell, 1
        ways = [coarsest.covariance(*sums), *(_within(code, *sums) for code in coarsest.shared)]
        if self.shared and not coarsest.items_within:
            ways.append(Relations(self.one, self.two).covariance(*sums))
        return max(0.0, *(float(way[0, 0]) for way in ways))

    @cached_property
    def _ends(self) -> tuple[tuple[Integers, Integers, int], ...]:
        """Items of the judgments, added, and their pairs, which this counts twice, subtracted."""
        every, apart = np.arange(len(self.one)), np.flatnonzero(self.one != self.two)
        item = _joint(np.concatenate([self.one, self.two[apart]]))
        low, high = np.minimum(self.one, self.two)[apart], np.maximum(self.one, self.two)[apart]
        return (item, np.concatenate([every, apart]), 1), (_joint(low, high), apart, -1)

    def take(self, rows: Integers) -> Relations:
        """Return the relations of some of the judgments."""
        shared = tuple(code[rows] for code in self.shared)
        return Relations(self.one[rows], self.two[rows], shared)

    @property
    def ends(self) -> tuple[Integers, Integers]:
        """The items of the judgments, from 0, and the judgment of each."""
        return self._ends[0][:2]

    @cached_property
    def coarsest(self) -> Relations:
        """The same relations, without a kind whose units all lie within units of another one."""
        kept: list[Integers] = []
        for code in sorted(self.shared, key=count_codes):
            if not any(_nested(code, other) for other in kept):
                kept.append(code)
        return replace(self, shared=tuple(kept))

    @property
    def items_within(self) -> bool:
        """Whether all judgments of an item have the same judge, or the same cluster."""
        item, judgment, _ = self._ends[0]
        return any(_nested(item, code[judgment]) for code in self.shared)


def count_codes(code: Integers) -> int:
    """Return how many codes there are, if the largest one occurs."""
    return int(code.max(initial=-1)) + 1


def _joint(*codes: Integers) -> Integers:
    """Return a number for each combination of codes, from 0."""
    result: Any = codes[0]
    for code in codes[1:]:
        result = result * (code.max(initial=0) + 1) + code
    return np.asarray(pd.factorize(result)[0])


def _nested(code: Integers, other: Integers) -> bool:
    """Say whether all of a code have one other code."""
    return count_codes(_joint(code, other)) == len(pd.unique(code))


def _within(code: Integers, influence: Floats, cell: Integers, n_cells: int) -> Floats:
    """Sum the products of the sums of each code, shape (c, c)."""
    n = count_codes(code)
    if n * n_cells <= max(DENSE, 4 * len(code)):
        sums = np.bincount(code * n_cells + cell, influence, n * n_cells).reshape(n, n_cells)
        return np.asarray(sums.T @ sums)
    from scipy.sparse import csr_array  # noqa: PLC0415  (slow)

    matrix = csr_array((influence, (code, cell)), shape=(n, n_cells))
    return np.asarray((matrix.T @ matrix).toarray())


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


@dataclass(frozen=True)
class _Shared:
    """What two judgments may share: the code of each end of a judgment, and its judgment."""

    code: Integers
    judgment: Integers

    def within(self, other: _Shared) -> _Shared:
        """Return what two judgments share that share another thing with one end, too."""
        both = self.code * (other.code.max() + 1) + other.code[self.judgment]
        return _Shared(pd.factorize(both)[0], self.judgment)

    def products(self, values: Floats) -> Floats:
        """Sum products over pairs of different judgments, each time they share something."""
        ends = values[self.judgment]
        sums = np.stack([np.bincount(self.code, column) for column in ends.T])
        return np.asarray(sums @ sums.T - ends.T @ ends)


def _all_shared(one: Integers, two: Integers, kinds: Mapping[str, Integers]) -> dict[str, _Shared]:
    """Return the items, the pairs of items, and the kinds that judgments share."""
    once, low, high = np.arange(len(one)), np.minimum(one, two), np.maximum(one, two)
    pair = pd.factorize(low * (high.max(initial=0) + 1) + high)[0]
    return {
        "item": _Shared(np.concatenate([one, two]), np.concatenate([once, once])),
        "pair": _Shared(pair, once),
        **{name: _Shared(code, once) for name, code in kinds.items()},
    }


def variance_components(
    contribution: Floats,
    cell: Integers,
    one: Integers,
    two: Integers,
    kinds: Mapping[str, Integers],
) -> dict[str, float]:
    """Estimate the components of the variance of contributions to a gap, with mean 0 in each cell.

    `kinds` are the judge and the cluster of each judgment, by name. The result has the covariance
    of two contributions because they share an item ("item"), both items ("pair"), or one of
    `kinds`; it is not negative.

    >>> values = np.array([1.0, 1, -1, -1])
    >>> item = np.arange(4)
    >>> parts = variance_components(
    ...     values, np.zeros(4, dtype=int), item, item + 4, {"judge": np.array([0, 0, 1, 1])}
    ... )
    >>> round(parts["judge"], 3)
    2.0
    """
    m = len(contribution)
    shared = _all_shared(one, two, kinds)
    values = np.column_stack([contribution, cell == 0, cell == 1]).astype(float)
    sums = {name: relation.products(values) for name, relation in shared.items()}
    names = [name for name in shared if sums[name][1:, 1:].any()]
    n = len(names)
    gram, response = np.zeros((n + 3, n + 3)), np.zeros(n + 3)
    for i, name in enumerate(names):
        response[i] = sums[name][0, 0]
        gram[i, n:] = gram[n:, i] = _by_cells(sums[name])
        for j, other in enumerate(names[: i + 1]):
            gram[i, j] = gram[j, i] = _overlap(shared, sums, other, name)
    every = _Shared(np.zeros(m, dtype=np.int64), np.arange(m))
    gram[n:, n:] = np.diag(_by_cells(every.products(values)))
    first, second = (np.where(cell == side, contribution, 0) for side in (0, 1))
    by_cell = every.products(np.column_stack([np.zeros(m), first, second]))
    response[n:] = _by_cells(by_cell)
    solution = np.linalg.lstsq(gram, response, rcond=None)[0][:n]
    estimated = dict(zip(names, np.maximum(solution, 0), strict=True))
    return {name: float(estimated.get(name, 0.0)) for name in shared}


def _by_cells(sums: Floats) -> Floats:
    return np.array([sums[1, 1], sums[2, 2], 2 * sums[1, 2]])


def _overlap(
    shared: Mapping[str, _Shared], sums: Mapping[str, Floats], one: str, two: str
) -> float:
    """Sum over pairs of judgments how often they share one thing times how often another."""
    number = {name: float(products[1:, 1:].sum()) for name, products in sums.items()}
    if one == two:  # two shared items count 2 · 2
        return number[one] + (2 * number["pair"] if one == "item" else 0)
    if {one, two} == {"item", "pair"}:
        return 2 * number["pair"]
    ones = np.ones((len(shared[two].judgment), 1))
    return float(shared[one].within(shared[two]).products(ones).sum())


def added_covariances(
    values: Floats,
    part: Integers,
    n_parts: int,
    scale: tuple[Floats, Floats],
    relations: Relations,
    *,
    without: int | None = None,
) -> tuple[Floats, Floats]:
    """Return what shared items, judges and clusters add to covariances of sums, shape (P,) each.

    The first is of the sum of a part with itself, the second with that of all. Values have mean 0
    and about one variance; `scale` multiplies them in a part, and in all. The kind at `without` in
    `relations.shared` adds nothing.

    >>> values, item, ones = np.array([1.0, 1, -1, -1]), np.arange(4), np.ones(4)
    >>> relations = Relations(item, item + 4, (np.array([0, 0, 1, 1]),))
    >>> part = np.array([0, 1, 0, 1])
    >>> within, with_all = added_covariances(values, part, 2, (ones, ones), relations)
    >>> within.round(3), with_all.round(3)
    (array([0., 0.]), array([4., 4.]))
    """
    items = relations.one, relations.two
    kinds = {f"kind {index}": code for index, code in enumerate(relations.shared)}
    covariance = variance_components(values, np.zeros_like(part), *items, kinds)
    within, with_all = np.zeros((2, n_parts))
    for name, shared in _all_shared(np.minimum(*items), np.maximum(*items), kinds).items():
        if name == f"kind {without}" or covariance[name] <= 0:
            continue
        end_part, unit = part[shared.judgment], np.unique(shared.code, return_inverse=True)[1]
        both = np.unique(unit * n_parts + end_part, return_inverse=True)[1]
        one, all_ = (factor[shared.judgment] for factor in scale)
        others = np.bincount(both, one)[both] - one, np.bincount(unit, all_)[unit] - all_
        within += covariance[name] * np.bincount(end_part, one * others[0], n_parts)
        with_all += covariance[name] * np.bincount(end_part, one * others[1], n_parts)
    return within, with_all
