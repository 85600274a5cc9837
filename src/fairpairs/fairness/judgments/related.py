"""What judgments share, and the covariance of sums over judgments that follows from it.

References
----------
M. Fafchamps and F. Gubert (2007), The formation of risk sharing networks, equation (2.6): pairs
that share a member. A. C. Cameron, J. B. Gelbach and D. L. Miller (2011), Robust inference with
multiway clustering: several kinds of clusters, by inclusion and exclusion.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from fairpairs.arrays import Floats, Integers
from fairpairs.fairness.pairs.given import given_pairs
from fairpairs.fairness.pairs.rates import PairRates


@dataclass(frozen=True)
class Relations:
    """What m judgments share: items, and perhaps a judge and a cluster.

    Attributes
    ----------
    one, two
        The two items of each judgment, or the clusters that these belong to, shape (m,).
    shared
        Judge or cluster of each judgment, from 0, of each kind; shape (m,).
    """

    one: Integers
    two: Integers
    shared: tuple[Integers, ...] = ()

    def covariance(self, influence: Floats) -> Floats:
        """Return the covariance of sums over the judgments, shape (h, h).

        Two judgments covary when they share an item, a judge or a cluster: the products of their
        influences are summed over all such pairs, each once. With few units it can have a negative
        diagonal: see `variances`.

        Parameters
        ----------
        influence
            What each judgment adds to each sum, with mean 0; shape (m, h).

        Examples
        --------
        >>> relations = Relations(np.array([0, 0, 2]), np.array([1, 2, 3]))
        >>> relations.covariance(np.array([[1.0], [1.0], [-2.0]]))
        array([[4.]])
        """
        total = np.zeros((influence.shape[1], influence.shape[1]))
        for kinds in self._subsets():
            sign = (-1) ** len(kinds)
            code = _joint(*kinds, size=len(self.one))
            total += sign * self._by_items(code, influence)
            if kinds:
                total -= sign * _within(code, influence)
        return total

    def variances(self, influence: Floats) -> Floats:
        """Return variances of sums over the judgments, shape (h,).

        At the least those where one kind alone relates judgments, so none is negative.
        """
        alone = [np.diag(Relations(self.one, self.two).covariance(influence))]
        alone += [np.diag(_within(code, influence)) for code in self.shared]
        if not self.shared:
            return np.asarray(np.maximum(alone[0], 0))
        return np.asarray(np.maximum(np.diag(self.covariance(influence)), np.max(alone, axis=0)))

    def _subsets(self) -> Iterator[tuple[Integers, ...]]:
        for size in range(len(self.shared) + 1):
            yield from combinations(self.shared, size)

    @cached_property
    def _ends(self) -> tuple[Integers, Integers]:
        """Items of the judgments, and the judgment of each; one with itself is counted once."""
        apart = np.flatnonzero(self.one != self.two)
        judgment = np.concatenate([np.arange(len(self.one)), apart])
        return np.concatenate([self.one, self.two[apart]]), judgment

    def _by_items(self, code: Integers, influence: Floats) -> Floats:
        """Sum over pairs of judgments of one code that share an item; of both items, once."""
        item, judgment = self._ends
        apart = np.flatnonzero(self.one != self.two)
        low, high = np.minimum(self.one, self.two), np.maximum(self.one, self.two)
        both = _joint(code[apart], low[apart], high[apart])
        return _within(_joint(code[judgment], item), influence[judgment]) - _within(
            both, influence[apart]
        )


def _joint(*codes: Integers, size: int = 0) -> Integers:
    """Return a number for each combination of codes, from 0; one for all without any code."""
    result: Any = np.zeros(len(codes[0]) if codes else size, dtype=np.int64)
    for code in codes:
        import pandas as pd  # noqa: PLC0415  (slow)

        result = pd.factorize(result * (code.max(initial=0) + 1) + code)[0]
    return np.asarray(result)


def _within(code: Integers, influence: Floats) -> Floats:
    """Sum the products of the sums of each code, shape (h, h)."""
    n = int(code.max(initial=-1)) + 1
    sums = np.stack([np.bincount(code, column, minlength=n) for column in influence.T])
    return np.asarray(sums @ sums.T)


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
    """Estimate TPR(a, b) from pairs that share items, judges and clusters.

    Parameters
    ----------
    winner, loser, hit, group, n_groups, weights
        Of one data set, as in `given_pairs`.
    shared
        Judge or cluster of each pair, from 0, of each kind; shape (m,).
    item_clusters
        Cluster of each item, from 0, shape (n,); items of one cluster count as one.
    """
    return given_pairs(winner, loser, hit, group, n_groups, weights=weights)
