"""Power of larger collections of judgments, estimated from a pilot of judgments."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtri

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError, shown
from fairpairs.mathematics.estimates.pairs.given import orient_pairs, verdicts
from fairpairs.mathematics.estimates.pairs.rates import PairRates, Ties, check_ties
from fairpairs.mathematics.inference.gaps import gap_cells
from fairpairs.mathematics.inference.results import Correction
from fairpairs.mathematics.judgments.components import Components, variance_components
from fairpairs.mathematics.judgments.given import read_judgments
from fairpairs.mathematics.power.expected_gaps import GAPS_OF_CELLS
from fairpairs.mathematics.power.items import MOST
from fairpairs.mathematics.power.shared_judgments import ExpectedGaps, Kind, level_of_each


@dataclass(frozen=True)
class PilotOfJudgments:
    """A pilot of judgments, from which larger collections are planned.

    Attributes
    ----------
    groups
        The two values of the sensitive attribute, sorted.
    tpr, pairs
        TPR(a, b) and the judgments of each cell, shape (2, 2).
    of_one
        Variance of what one judgment contributes to each gap, shape (2,).
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
    tpr: Floats = field(repr=False)
    pairs: Floats = field(repr=False)
    of_one: Floats = field(repr=False)
    n_judgments: int
    n_items: int
    units: dict[str, int]
    unequal: dict[str, float]
    components: tuple[Components, Components] = field(repr=False)

    @property
    def gaps(self) -> Floats:
        """TPR(1,0) − TPR(0,1) and TPR(1,1) − TPR(0,0), shape (2,)."""
        first, second = gap_cells(2)
        return np.asarray(self.tpr.ravel()[first] - self.tpr.ravel()[second])

    @property
    def behind(self) -> Floats:
        """Judgments of each gap, shape (2,)."""
        first, second = gap_cells(2)
        return np.asarray(self.pairs.ravel()[first] + self.pairs.ravel()[second])

    def icc(self, kind: str) -> Floats:
        """Return the intra-class correlation of each gap, from 0 to 1, shape (2,).

        Parameters
        ----------
        kind
            "item", "pair" (both items), "judge" or "cluster".
        """
        covariance = np.array([parts.covariance[kind] for parts in self.components])
        return np.minimum(covariance / self.of_one, 1)

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
        per_unit = np.maximum(m / number, 1 + 1e-9)
        icc = np.minimum(self.icc(kind), 1 - 1e-9)
        f = 1 + per_unit * icc / (1 - icc)
        rest = np.maximum(m - number, 1)
        ends = [f / fdtri(number - 1, rest, level) for level in (1 - alpha / 2, alpha / 2)]
        limits = np.stack([(end - 1) / (end - 1 + per_unit) for end in ends], axis=-1)
        return np.asarray(np.clip(limits, 0, 1))

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
        judgments as unequally. The arguments are those of `judged_rejection`.
        """
        times = n_judgments / self.n_judgments
        items = self.n_items * times if n_items is None else n_items
        per_item = times * self.n_items / items
        effect = np.ones(2)
        for kind, more in (("item", per_item), ("pair", 1.0)):
            others = np.array([parts.sharing[kind] for parts in self.components])
            effect = effect + self.icc(kind) * others * more
        numbers = {"judge": judges, "cluster": clusters}
        behind, kinds = self.behind * times, []
        for kind, known in self.units.items():
            number = numbers[kind] or known
            icc = self.icc(kind) if iccs is None else iccs[kind]
            share = max(self.unequal[kind] / number - 1 / n_judgments, 0)
            kinds.append(Kind(number, icc, icc * self.of_one * share))
        rates = _rates(self.tpr, self.pairs * times, effect, items)
        alone = np.diag(self.of_one / behind * effect)
        return ExpectedGaps(rates, self.gaps, alone, kinds)

    def design_effect(self, *, alpha: float = 0.05) -> Floats:
        """Return how many times judges and clusters enlarge the variance of each gap.

        Its interval joins those of both correlations (MOVER).

        Parameters
        ----------
        alpha
            The interval covers 1 − alpha.

        Returns
        -------
        ndarray of shape (2, 3)
            Of each gap the estimate, and the ends of its interval.
        """
        total, below, above = np.ones(2), np.zeros(2), np.zeros(2)
        for kind, number in self.units.items():
            times = np.maximum(self.unequal[kind] * self.behind / number - 1, 0)
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
    iccs: Mapping[str, Floats] | None = None,
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
    iccs
        Intra-class correlations of each gap, shape (2,), by "judge" and "cluster", in place of
        those of the pilot.
    alpha, correction
        As in `expected_rejection`.

    Raises
    ------
    InputError
        When a number is out of its range, or the pilot has no judges or clusters.
    """
    if not isinstance(pilot, PilotOfJudgments):
        raise InputError(
            f"pilot must be a PilotOfJudgments; it is {shown(pilot)}: make it with "
            "power.pilot_of_judgments."
        )
    inputs.level(alpha)
    inputs.one_of(correction, "correction", get_args(Correction))
    inputs.between(n_judgments, "n_judgments", 1, MOST, ends=True)
    if n_items is not None:
        inputs.between(n_items, "n_items", 2, MOST, ends=True)
    if iccs is not None:
        iccs = _checked_iccs(iccs, pilot)
    for name, number in (("judge", judges), ("cluster", clusters)):
        if number is not None and name not in pilot.units:
            raise InputError(f"The pilot has no {name}s: give it {name}s=, or leave {name}s out.")
        if number is not None:
            inputs.whole(number, f"{name}s", 2, MOST)
    expected = pilot.expected(
        n_judgments, n_items=n_items, judges=judges, clusters=clusters, iccs=iccs
    )
    return expected.found(level_of_each(alpha, correction))


def _checked_iccs(iccs: Mapping[str, Floats], pilot: PilotOfJudgments) -> dict[str, Floats]:
    """Return two correlations of each kind of units, or raise InputError."""
    if isinstance(iccs, Mapping) and set(iccs) == set(pilot.units):
        arrays = {kind: inputs.numbers(values, f"iccs: {kind}") for kind, values in iccs.items()}
        if all(icc.shape == (2,) and ((icc >= 0) & (icc <= 1)).all() for icc in arrays.values()):
            return arrays
    kinds = ", ".join(f'"{kind}"' for kind in pilot.units) or "nothing, as it has no judges"
    raise InputError(
        f"iccs must hold two correlations, from 0 to 1, for each kind of units of the pilot: "
        f"{kinds}; it is {shown(iccs)}."
    )


def pilot_of_judgments(
    left: ArrayLike,
    right: ArrayLike,
    outcome: ArrayLike,
    y_score: ArrayLike | None = None,
    *,
    sensitive_features: ArrayLike,
    predicted: ArrayLike | None = None,
    judges: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    ties: Ties = "wrong",
) -> PilotOfJudgments:
    """Return a pilot of judgments, from which to plan larger collections.

    Parameters
    ----------
    left, right, outcome, y_score, sensitive_features, predicted, judges, clusters, ties
        As in `comparative_separation_from_judgments`; two groups. Ties of the outcome are left out.

    Raises
    ------
    InputError
        As that function; and when there are other than two groups, judgments of a cell (group of
        the preferred item, group of the other) are missing, all judgments of a gap agree with the
        scores or none does, or no judge, or cluster, has two judgments.

    Examples
    --------
    >>> from fairpairs import power
    >>> rng = np.random.default_rng(0)
    >>> m = 800
    >>> left, right = np.arange(m), m + np.arange(m)
    >>> group, judge = rng.integers(0, 2, 2 * m), rng.integers(0, 16, m)
    >>> taste = rng.normal(size=16)[judge] * (group[left] - group[right])
    >>> agrees = np.where(rng.random(m) < 0.7 + 0.2 * taste, 1, -1)
    >>> pilot = power.pilot_of_judgments(
    ...     left, right, np.ones(m), predicted=agrees, sensitive_features=group, judges=judge
    ... )
    >>> pilot.icc("judge").round(2)
    array([0.11, 0.  ])
    """
    if (y_score is None) == (predicted is None):
        raise InputError("Give either y_score or predicted: one of them is what is audited.")
    group, names = inputs.two_groups(sensitive_features)
    check_ties(ties)
    given = read_judgments(
        left, right, outcome, len(group), predicted=predicted, judges=judges, clusters=clusters
    )
    given = given.take(np.flatnonzero((given.outcome != 0) & (given.left != given.right)))
    sides = given.left, given.right
    verdict = np.asarray(given.predicted)
    if y_score is not None:
        scores = inputs.numeric(y_score, "y_score")
        inputs.same_items(y_score=y_score, sensitive_features=sensitive_features)
        verdict = verdicts(scores, *sides)
    one, two, hit = orient_pairs(given.outcome, verdict, *sides, ties=ties)
    named = [name for name, unit in (("judge", judges), ("cluster", clusters)) if unit is not None]
    kinds = dict(zip(named, given.shared, strict=True))
    for name, code in kinds.items():
        if len(np.unique(code)) == len(code):
            raise InputError(
                f"No {name} has two judgments: how alike those of one {name} are cannot be told, "
                f"so let each {name} give several, or leave {name}s out."
            )
    if len(kinds) == 2 and _same_units(*kinds.values()):
        raise InputError(
            "judges and clusters are the same units: how alike judgments of one are cannot be "
            "divided between them, so leave one of the two out."
        )
    cell = 2 * group[one] + group[two]
    total, agree = (np.bincount(cell, weights, minlength=4) for weights in (None, hit))
    if not total.all():
        a, b = divmod(int(np.argmin(total)), 2)
        raise InputError(
            f"No judgment of the pilot prefers an item of {names[a]} over one of {names[b]}: add "
            "such judgments."
        )
    rate = agree / total
    first, second = gap_cells(2)
    by_gap = []
    for x, y in zip(first, second, strict=True):
        inside = (cell == x) | (cell == y)
        share = np.where(cell == x, total[x], -total[y]) / (total[x] + total[y])
        contribution = ((hit - rate[cell]) / share)[inside]
        codes = {name: code[inside] for name, code in kinds.items()}
        parts = variance_components(
            contribution, (cell == y)[inside].astype(np.int64), one[inside], two[inside], codes
        )
        by_gap.append((float(np.mean(contribution**2)), parts))
    single, components = zip(*by_gap, strict=True)
    if not all(single):
        raise InputError(
            "All judgments of a gap agree with the scores, or none does: a pilot needs some of "
            "both, so add judgments."
        )
    return PilotOfJudgments(
        groups=names,
        tpr=rate.reshape(2, 2),
        pairs=total.reshape(2, 2).astype(float),
        of_one=np.array(single),
        n_judgments=len(hit),
        n_items=len(np.unique(np.concatenate([one, two]))),
        units={name: len(np.unique(code)) for name, code in kinds.items()},
        unequal={name: _unequal(code) for name, code in kinds.items()},
        components=components,
    )


def _rates(tpr: Floats, pairs: Floats, effect: Floats, n_items: float) -> PairRates:
    """Return the expected rates if items alone, by `effect`, enlarge the variances of the gaps."""
    n, larger = pairs.ravel(), effect[GAPS_OF_CELLS]
    common = (tpr * pairs).sum() / pairs.sum()
    unpooled, pooled = (
        np.diag(rate * (1 - rate) / n * larger) for rate in (tpr.ravel(), np.full(4, common))
    )
    return PairRates(
        concordant=tpr * pairs,
        comparable=pairs,
        pairs=pairs,
        components=unpooled[None],
        class_sizes=np.array([n_items]),
        counted_twice=np.zeros((4, 4)),
        pooled=pooled,
        effective=pairs,
        items=np.minimum(2 * pairs, n_items),
    )


def _same_units(one: Integers, two: Integers) -> bool:
    both = len(np.unique(np.column_stack([one, two]), axis=0))
    return both == len(np.unique(one)) == len(np.unique(two))


def _unequal(code: Integers) -> float:
    """Return how much more often two judgments share a code than if all were as frequent."""
    counts = np.unique(code, return_counts=True)[1].astype(float)
    m = counts.sum()
    return max(float(len(counts) * (counts * (counts - 1)).sum() / (m * (m - 1))), 1.0)
