"""How alike judgments are that share an item, a judge or a cluster: components of variance.

Products of two contributions are regressed on what the two judgments share (least squares, without
the squares themselves): the covariance components of C. R. Rao (1971), Estimation of variance and
covariance components, MINQUE theory, with all weight on the error. Means of the products within and
between the two cells absorb what the estimated rates take away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.judgments.related import Relations


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
