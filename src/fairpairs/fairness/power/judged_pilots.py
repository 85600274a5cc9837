"""Power of larger collections of judgments, estimated from a pilot of judgments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtri

from fairpairs.arrays import Floats, Integers
from fairpairs.errors import InputError
from fairpairs.fairness import inputs
from fairpairs.fairness.gaps import gap_cells
from fairpairs.fairness.judgments.components import Components, variance_components
from fairpairs.fairness.power.shared_judgments import ExpectedGaps
from fairpairs.fairness.results import Correction, each_level


@dataclass(frozen=True)
class PilotOfJudgments:
    """A pilot of judgments, from which larger collections are planned.

    Attributes
    ----------
    groups
        The two values of the sensitive attribute, sorted.
    gaps
        TPR(1,0) − TPR(0,1) and TPR(1,1) − TPR(0,0), shape (2,).
    of_one
        Variance of what one judgment contributes to each gap, shape (2,).
    behind
        Judgments of each gap, shape (2,).
    n_judgments, n_items
        Judgments, and judged items, of the pilot.
    units
        Number of judges ("judge") and of clusters ("cluster"), where they are known.
    unequal
        How much more often two judgments share a judge or cluster than if all had as many: 1 or
        more.
    components
        What each gap's variance is made of.
    """

    groups: tuple[Any, Any]
    gaps: Floats
    of_one: Floats
    behind: Floats
    n_judgments: int
    n_items: int
    units: dict[str, int]
    unequal: dict[str, float]
    components: tuple[Components, Components]

    def icc(self, kind: str) -> Floats:
        """Return the intra-class correlation of each gap, from 0 to 1, shape (2,).

        Parameters
        ----------
        kind
            "item", "pair" (both items), "judge" or "cluster".
        """
        of_kind = np.array([parts.covariance[kind] for parts in self.components])
        return np.minimum(of_kind / self.of_one, 1)

    def icc_interval(self, kind: str, *, alpha: float = 0.05) -> Floats:
        """Return the interval of the intra-class correlation of each gap, shape (2, 2).

        That of an analysis of variance: the F of the estimate is divided by its quantiles.

        Parameters
        ----------
        kind
            "judge" or "cluster".
        alpha
            The intervals cover 1 − alpha, in the last axis from low to high.
        """
        number, m = self.units[kind], self.behind
        each = np.maximum(m / number, 1 + 1e-9)
        icc = np.minimum(self.icc(kind), 1 - 1e-9)
        f = 1 + each * icc / (1 - icc)
        rest = np.maximum(m - number, 1)
        ends = [f / fdtri(number - 1, rest, level) for level in (1 - alpha / 2, alpha / 2)]
        limits = np.stack([(end - 1) / (end - 1 + each) for end in ends], axis=-1)
        return np.clip(limits, 0, 1)

    def expected(
        self,
        n_judgments: float,
        *,
        n_items: float | None = None,
        judges: int | None = None,
        clusters: int | None = None,
        iccs: Mapping[str, Floats] | None = None,
    ) -> ExpectedGaps:
        """Return the gaps that a larger collection is expected to show, and their errors.

        Pairs are judged as many times as in the pilot, and items, judges and clusters share the
        judgments as unequally.

        Parameters
        ----------
        n_judgments
            Judgments, of all pairs of groups.
        n_items
            Judged items; by default as many per judgment as in the pilot.
        judges, clusters
            Their number, by default that of the pilot.
        iccs
            Intra-class correlations of judges and clusters in place of those of the pilot.
        """
        behind = self.behind * n_judgments / self.n_judgments
        per_item = 1.0 if n_items is None else (n_judgments / n_items) / (
            self.n_judgments / self.n_items
        )
        effect = 1 + sum(
            self.icc(kind) * [parts.sharing[kind] for parts in self.components] * times
            for kind, times in (("item", per_item), ("pair", 1.0))
        )
        known = self.units | {
            name: number
            for name, number in (("judge", judges), ("cluster", clusters))
            if number is not None
        }
        added = [
            ((iccs or {}).get(kind, self.icc(kind)))
            * np.maximum(self.unequal[kind] * behind / number - 1, 0)
            for kind, number in known.items()
        ]
        alone = self.of_one / behind
        return ExpectedGaps(
            self.gaps, np.diag(alone * effect), np.reshape(added, (-1, 2)) * alone,
            list(known.values()), behind,
        )  # fmt: skip

    def design_effect(
        self,
        n_judgments: float | None = None,
        *,
        judges: int | None = None,
        clusters: int | None = None,
        alpha: float = 0.05,
    ) -> Floats:
        """Return how many times judges and clusters enlarge the variance of each gap.

        Its interval joins those of both correlations (MOVER).

        Parameters
        ----------
        n_judgments, judges, clusters
            Of the collection, by default those of the pilot.
        alpha
            The interval covers 1 − alpha.

        Returns
        -------
        ndarray of shape (2, 3)
            Of each gap the estimate, and the ends of its interval.
        """
        m = self.n_judgments if n_judgments is None else n_judgments
        behind = self.behind * m / self.n_judgments
        given = {"judge": judges, "cluster": clusters}
        total, below, above = np.ones(2), np.zeros(2), np.zeros(2)
        for kind, number in self.units.items():
            times = np.maximum(self.unequal[kind] * behind / (given[kind] or number) - 1, 0)
            icc, limits = self.icc(kind), self.icc_interval(kind, alpha=alpha)
            total = total + times * icc
            below += (times * (icc - limits[:, 0])) ** 2
            above += (times * (limits[:, 1] - icc)) ** 2
        return np.stack([total, np.maximum(total - np.sqrt(below), 1), total + np.sqrt(above)], -1)


def judged_rejection(
    pilot: PilotOfJudgments,
    n_judgments: float,
    *,
    n_items: float | None = None,
    judges: int | None = None,
    clusters: int | None = None,
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> float:
    """Return the probability that a collection like a pilot shows at least one of its two gaps.

    Parameters
    ----------
    pilot
        The pilot.
    n_judgments
        Judgments, of all pairs of groups.
    n_items
        Judged items; by default as many per judgment as in the pilot.
    judges, clusters
        Their number, by default that of the pilot; 2 or more.
    alpha, correction
        As in `expected_rejection`.

    Raises
    ------
    InputError
        When a number is out of its range, or the pilot has no judges or clusters.
    """
    inputs.between(n_judgments, "n_judgments", 1, np.inf, ends=True)
    for name, number in (("judge", judges), ("cluster", clusters)):
        if number is not None and name not in pilot.units:
            raise InputError(f"The pilot has no {name}s: give it {name}s=, or leave {name}s out.")
        if number is not None and number < 2:
            raise InputError(f"{name}s must be 2 or more; it is {number:g}.")
    expected = pilot.expected(n_judgments, n_items=n_items, judges=judges, clusters=clusters)
    return expected.found(each_level(alpha, correction))


def pilot_of_judgments(
    winner: ArrayLike,
    loser: ArrayLike,
    hit: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    judges: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> PilotOfJudgments:
    """Return a pilot of judgments, from which to plan larger collections.

    Parameters
    ----------
    winner, loser
        Positions of the preferred item and of the other one of each judgment, shape (m,).
    hit
        1 where the scores agree with the judgment, else 0, or 0.5, shape (m,).
    sensitive_features
        Group of each item, shape (n,); two groups.
    judges, clusters
        Judge and cluster (a prompt, a session) of each judgment, shape (m,).

    Raises
    ------
    InputError
        When arrays do not go together, there are other than two groups, judgments of a cell (group
        of the preferred item, group of the other) are missing, all agree or none does, or when
        there is one judge or cluster only, or none with several judgments.

    Examples
    --------
    >>> from fairpairs import power
    >>> rng = np.random.default_rng(0)
    >>> m = 800
    >>> winner, loser = np.arange(m), m + np.arange(m)
    >>> group, judge = rng.integers(0, 2, 2 * m), rng.integers(0, 16, m)
    >>> taste = rng.normal(size=16)[judge] * (group[winner] - group[loser])
    >>> hit = rng.random(m) < 0.7 + 0.1 * taste
    >>> pilot = pilot_of_judgments(winner, loser, hit, sensitive_features=group, judges=judge)
    >>> pilot.icc("judge").round(2)
    array([0.04, 0.  ])
    """
    group, names = inputs.two_groups(sensitive_features)
    right = inputs.numeric(hit, "hit")
    both = [inputs.one_dimensional(side, name) for side, name in ((winner, "winner"),
            (loser, "loser"))]  # fmt: skip
    inputs.same_items(winner=winner, loser=loser, hit=hit)
    one, two = (inputs.positions(side, len(group), "winner and loser") for side in both)
    if (one == two).any():
        raise InputError("winner and loser are the same item: leave such judgments out.")
    kinds = {
        name: _coded(values, name, len(right))
        for name, values in (("judge", judges), ("cluster", clusters))
        if values is not None
    }
    cell = 2 * group[one] + group[two]
    total, agree = (np.bincount(cell, weights, minlength=4) for weights in (None, right))
    if not total.all():
        a, b = divmod(int(np.argmin(total)), 2)
        raise InputError(
            f"No judgment of the pilot prefers an item of {names[a]} over one of {names[b]}: add "
            "such judgments."
        )
    rate = agree / total
    first, second = gap_cells(2)
    gaps = []
    for x, y in zip(first, second, strict=True):
        inside = (cell == x) | (cell == y)
        share = np.where(cell == x, total[x], -total[y]) / (total[x] + total[y])
        contribution = ((right - rate[cell]) / share)[inside]
        codes = {name: code[inside] for name, code in kinds.items()}
        parts = variance_components(
            contribution, (cell == y)[inside].astype(np.int64), one[inside], two[inside], codes
        )
        gaps.append((rate[x] - rate[y], np.mean(contribution**2), inside.sum(), parts))
    gap, of_one, behind, components = zip(*gaps, strict=True)
    if not all(of_one):
        raise InputError(
            "All judgments of a gap agree with the scores, or none does: a pilot needs some of "
            "both, so add judgments."
        )
    m = len(right)
    return PilotOfJudgments(
        names, np.array(gap), np.array(of_one), np.array(behind, dtype=float), m,
        len(np.unique(np.concatenate([one, two]))),
        {name: int(code.max()) + 1 for name, code in kinds.items()},
        {name: _unequal(code) for name, code in kinds.items()},
        components,
    )  # fmt: skip


def _coded(values: ArrayLike, kind: str, m: int) -> Integers:
    """Return the judge or cluster of each judgment from 0, or raise where they tell nothing."""
    names, codes = inputs.levels(values, f"{kind}s")
    if len(codes) != m:
        raise InputError(f"{kind}s has {len(codes)} values and there are {m} judgments.")
    if len(names) < 2:
        raise InputError(
            f"All judgments are of one {kind}: differences between {kind}s cannot be told from "
            f"one, so add {kind}s."
        )
    if len(names) == m:
        raise InputError(
            f"No {kind} has two judgments: how alike those of one {kind} are cannot be told, so "
            f"let each {kind} give several, or leave {kind}s out."
        )
    return codes


def _unequal(code: Integers) -> float:
    """Return how much more often two judgments share a code than if all were as frequent."""
    each = np.bincount(code).astype(float)
    m = each.sum()
    return max(float(len(each) * (each * (each - 1)).sum() / (m * (m - 1))), 1.0)
