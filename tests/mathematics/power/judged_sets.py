"""Sets of judgments by judges with tastes of their own, over prompts that differ in difficulty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from fairpairs import comparative_separation_from_judgments
from fairpairs.mathematics.estimates.pairs.drawn import cell_probabilities
from fairpairs.mathematics.inference.gaps import gap_cells
from fairpairs.mathematics.power.shared_judgments import SharedJudgments

#: Nodes and weights of a normal distribution.
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(101)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
FIRST, SECOND = gap_cells(2)
#: Taste raises the rate of the first cell of a gap and lowers that of the second.
SIGN = np.ones(4)
SIGN[SECOND] = -1
#: The gap that a cell belongs to.
GAP = np.zeros(4, dtype=int)
GAP[[FIRST[1], SECOND[1]]] = 1


@dataclass(frozen=True)
class JudgedSets:
    """How often each cell is judged right, and how far judges and prompts move it.

    A judgment is right with the probability Φ(b + s(τ z + υ w)), z of its judge and w of its
    prompt, both standard normal, and others for the other gap; b gives the cell its rate, τ and υ
    the gap its intra-class correlations, and s is 1 in its first cell and −1 in its second.
    """

    rate: np.ndarray
    share: np.ndarray
    taste: np.ndarray
    shared: SharedJudgments

    @classmethod
    def of(cls, items, shared):
        """Return the sets in which both gaps have the correlations of `shared`."""
        right, wrong = (x.ravel() for x in cell_probabilities(items))
        share = right + wrong
        rate, taste = right / share, np.zeros((2, 4))
        for one, two in zip(FIRST, SECOND, strict=True):
            iccs = [shared.judge_icc if shared.judges else 0, shared.cluster_icc]
            taste[:, [one, two]] = _tastes(rate[[one, two]], share[[one, two]], iccs)[:, None]
        return cls(rate, share, taste, shared)

    def drawn(self, m, rng):
        """Draw m pairs to judge: judgments, as the function takes them."""
        cell = rng.choice(5, m, p=[*self.share, 1 - self.share.sum()])
        cell = cell[cell < 4]
        n = len(cell)
        move, related = np.zeros(n), {}
        for name, number, taste in (
            ("judges", self.shared.judges, self.taste[0]),
            ("clusters", self.shared.clusters, self.taste[1]),
        ):
            if number is not None:
                related[name] = rng.permutation(np.arange(n) % number)
                move += taste[cell] * rng.normal(size=(number, 2))[related[name], GAP[cell]]
        scale = np.sqrt(1 + (self.taste**2).sum(axis=0))
        right = rng.random(n) < ndtr(ndtri(self.rate[cell]) * scale[cell] + SIGN[cell] * move)
        group = np.concatenate([cell // 2, cell % 2])
        return {
            "left": np.arange(n), "right": n + np.arange(n), "outcome": np.ones(n),
            "predicted": np.where(right, 1, -1), "sensitive_features": group, **related,
        }  # fmt: skip

    def found(self, m, sets, seed):
        """Return the share of the sets in which a violation is found."""
        rng = np.random.default_rng(seed)
        return np.mean([
            comparative_separation_from_judgments(**self.drawn(m, rng)).violated
            for _ in range(sets)
        ])  # fmt: skip


def _tastes(rate, share, iccs):
    """Return τ and υ that give the gap of two cells these correlations."""
    weight = share / share.sum()
    of_one = (rate * (1 - rate) / weight).sum()

    def between(taste, other):
        """Return the variance of own gaps: others are averaged."""
        scale = np.sqrt(1 + taste**2 + other**2)
        sign = np.array([1, -1])
        own = ndtr((ndtri(rate) * scale + sign * taste * NODES[:, None]) / np.sqrt(1 + other**2))
        gaps = own[:, 0] - own[:, 1]
        return WEIGHTS @ gaps**2 - (WEIGHTS @ gaps) ** 2

    taste = np.zeros(2)
    for _ in range(60):
        for kind in (0, 1):
            if iccs[kind]:
                other = taste[1 - kind]
                taste[kind] = brentq(
                    lambda t, other=other, icc=iccs[kind]: between(t, other) - icc * of_one, 0, 50
                )
    return taste


def effects(rng, number):
    """Draw standard normal effects; of many, with the mean 0."""
    values = rng.normal(size=number)
    return values - values.mean() * (number > 200)


def latent(rng, n, m, judges, clusters, gap=0.0, taste=0.3, prompt=0.4):
    """Judgments over shared items: quality and scores are normal, judges favour a group."""
    group, quality = rng.integers(0, 2, n), rng.normal(size=n)
    score = quality - gap * group + 0.8 * rng.normal(size=n)
    one = rng.integers(n, size=m)
    two = (one + rng.integers(1, n, size=m)) % n
    judge, cluster = rng.integers(judges, size=m), rng.integers(clusters, size=m)
    lean = taste * effects(rng, judges)[judge] + prompt * effects(rng, clusters)[cluster]
    ahead = quality[one] - quality[two] + lean * (group[one] - group[two])
    return {
        "left": one, "right": two, "y_score": score, "sensitive_features": group,
        "outcome": np.where(ahead + 0.3 * rng.normal(size=m) > 0, 1, -1),
        "judges": judge, "clusters": cluster,
    }  # fmt: skip
