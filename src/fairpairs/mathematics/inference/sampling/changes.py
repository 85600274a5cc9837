"""The change of a gap from an old model to a new one, on the same items.

The influence of an item on the change is its influence on the new gap minus that on the old one.
So the variance includes the covariance of gaps of the same items:
var(new − old) = var(new) + var(old) − 2 cov(new, old).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.inference.contrast import Contrast, StudentContrast
from fairpairs.mathematics.inference.contrasts.paired import PairedContrast
from fairpairs.mathematics.inference.contrasts.score import ScoreContrast
from fairpairs.mathematics.inference.sampling.gaps import RATIOS, Gap, share_known, summed
from fairpairs.mathematics.inference.sampling.linear import Linear, Spread, spread

#: A smaller share of a sum of squares is rounding.
ROUNDING = 1e-10


@dataclass(frozen=True)
class GapChange:
    """The gaps of an old and of a new model on the same items."""

    old: Gap
    new: Gap
    design: SamplingDesign
    #: Old and new decision, 0 or 1, of each item, if the gaps rest on decisions.
    decisions: tuple[Floats, Floats] | None = None
    #: Whether the prediction of each item changed; None if all may have.
    moved: NDArray[np.bool_] | None = None

    def of_its_items(self) -> GapChange:
        """Return the same, without the items that neither gap rests on, which take their time.

        Where all items count for a variance, as with sampling weights, they stay.
        """
        terms = [rate for gap in (self.old, self.new) for _, rate in gap.terms]
        kept = reduce(np.maximum, [rate.classes for rate in terms]) >= 0
        if kept.all() or not self.design.divisible:
            return self
        items = np.flatnonzero(kept)  # which takes less time than a mask
        decisions = self.decisions and (self.decisions[0][items], self.decisions[1][items])
        moved = None if self.moved is None else self.moved[items]
        old, new = self.old.take(items), self.new.take(items)
        return GapChange(old, new, self.design.take(kept), decisions, moved)

    @cached_property
    def linear(self) -> Linear:
        """The change with its influence."""
        return self.new.difference - self.old.difference

    @cached_property
    def variances(self) -> tuple[float, float]:
        """The variance of the change, and that of models of different items."""
        old, new, change = np.diagonal(self._spread.covariance)
        return float(change), float(old + new)

    @cached_property
    def _spread(self) -> Spread:
        return spread([self.old.difference, self.new.difference, self.linear], self.design)

    @cached_property
    def average(self) -> Gap:
        """The mean of both gaps, whose tests are those of their sum."""
        rates = zip(self.old.parts, self.new.parts, strict=True)
        return replace(
            self.old,
            first=_mean(self.old.first, self.new.first),
            second=_mean(self.old.second, self.new.second),
            parts=tuple((factor, _mean(old, new)) for (factor, old), (_, new) in rates),
            strata=summed((0.5, self.old.strata), (0.5, self.new.strata), same_items=True),
        )

    @cached_property
    def contrast(self) -> Contrast | None:
        """The tests of the change; None where no prediction changed and it is not one of rates.

        Decisions have Tango's limits, by the items that changed; rates of other items in each
        model, such as precision, those of four rates; else it is Student's t.
        """
        states = None if self.decisions is None else self._states(*self.decisions)
        variance, _ = self.variances
        if self.old.rates and (states is not None or variance == 0):
            return self._paired(states)
        if variance == 0:
            return None
        change = np.array([0.0, 0.0, 1.0])
        by_class = self._spread.added(change)
        raised = by_class if self.moved is None else np.maximum(by_class, self._of_few(self.moved))
        error = float(np.sqrt(variance + (raised - by_class).sum()))
        old, new = (gap.difference.classes >= 0 for gap in (self.old, self.new))
        if self.old.rates and not np.array_equal(old, new):
            return self._of_rates(error**2)
        return StudentContrast(self.linear.estimate, error, self._spread.df_of_sum(change, raised))

    def _of_rates(self, least: float) -> ScoreContrast:
        """Return the tests of the rates of both models, whose sum varies as the change does."""
        old, new = self.old.of_rates(self.design), self.new.of_rates(self.design)
        ratio = self.variances[0] / float(old.variance + new.variance)
        ratio = float(np.clip(ratio, *RATIOS)) if np.isfinite(ratio) else 1.0
        return ScoreContrast(
            np.concatenate((old.rates, new.rates)),
            np.concatenate((old.trials, new.trials)) / ratio,
            np.concatenate((-old.factors, new.factors)),
            df=min(old.df, new.df),
            least=least,
        )

    def _of_few(self, moved: NDArray[np.bool_]) -> Floats:
        """Return the variance of each class as far as few of its units changed, shape (k,).

        It is that of x + 1 changes among n + 2 units, with the mean square of the changes of all
        classes: where none of few units changed by chance, the class has a variance, too.
        """
        design, units = self.design, self._spread.clusters
        inside = np.flatnonzero((self.linear.classes >= 0) & (design.weights > 0))
        code = np.searchsorted(self._spread.classes, self.linear.classes[inside])
        code, unit = design.units(code, inside)
        added = np.bincount(unit, self.linear.influence[inside]).astype(float)
        some = np.sign(np.bincount(unit, moved[inside])).astype(float)
        if design.counts is not None:  # of equal items
            added, some = added / np.sqrt(design.counts[inside]), some * design.counts[inside]
        changed: Floats = np.bincount(code, some, len(units)).astype(float)
        squares = float((units[code] ** 2 * added**2)[some > 0].sum())
        variance = (changed + 1) / (units + 2) * squares / max(changed.sum(), 1) / units
        return np.asarray((1 - share_known(changed)) * variance)

    def _states(self, old: Floats, new: Floats) -> Integers | None:
        """Return twice the old decision plus the new one; None if influences of one differ."""
        change, weight = self.linear, self.design.weights
        states = (2 * old + new).astype(np.int64)
        inside = (change.classes >= 0) & (weight > 0)
        cell, weight = (4 * change.classes.astype(np.int64) + states)[inside], weight[inside]
        per_weight = change.influence[inside] / weight
        total = np.maximum(np.bincount(cell, weight), np.finfo(float).tiny)
        rest = per_weight - (np.bincount(cell, weight * per_weight) / total)[cell]
        squares = float(weight @ rest**2)
        return states if squares <= ROUNDING * float(weight @ per_weight**2) else None

    def _paired(self, states: Integers | None) -> PairedContrast:
        change, weights = self.linear, self.design.weights
        kinds = np.unique(change.classes[change.classes >= 0])
        moved = np.zeros(len(weights)) if states is None else np.array([0.0, 1, -1, 0])[states]
        parts = []
        share, changed, factors = np.empty((3, len(kinds)))
        for i, kind in enumerate(kinds):
            inside = change.classes == kind
            parts.append(
                Linear(0.0, np.where(inside, change.influence, 0.0), np.where(inside, kind, -1))
            )
            shift = moved[inside]
            weight = weights[inside] / weights[inside].sum()
            share[i], changed[i] = weight @ shift, weight @ shift**2
            # what the change of the rate of a class adds to the measure; 1 where none changed
            centred = shift - share[i]
            squares = float(weight @ centred**2)
            slope = float(change.influence[inside] @ centred)
            factors[i] = slope / squares if squares > ROUNDING else 1.0
        by_class = spread(parts, self.design)
        items, correlation = _effective_items(by_class, changed - share**2, factors)
        plain = self.design.weight is None or self.design.counts is not None
        independent = self.design.cluster is None and plain
        # a share of 0 has a variance too
        doubt = (changed * items + 1) / (items + 2) / items
        df = np.inf if independent else by_class.df(factors**2 * doubt)
        return PairedContrast(change.estimate, share, changed, items, factors, correlation, df)


@np.errstate(invalid="ignore", divide="ignore")
def _effective_items(changes: Spread, varying: Floats, factors: Floats) -> tuple[Floats, Floats]:
    """Return the independent items that changes of rates are worth, and their correlation.

    A change with the variance v of the decisions and V of the estimate is worth v / V items, and
    with few changes the number of clusters. `changes` include the factors; `varying` are the v.
    """
    clusters, variance = changes.clusters, np.diagonal(changes.covariance)
    estimated = np.where(varying > ROUNDING, variance / (factors**2 * varying), 0.0)
    correlation = changes.covariance / np.sqrt(np.outer(variance, variance))
    estimated = np.where(np.isfinite(estimated), estimated, 0.0)
    known = share_known(np.where(estimated > 0, varying / estimated, 0.0))
    correlation = np.where(np.isfinite(correlation), np.clip(correlation, -1, 1), 0.0)
    correlation *= np.outer(np.sign(factors), np.sign(factors))
    np.fill_diagonal(correlation, 1.0)
    items = 1 / (known * estimated + (1 - known) / clusters)
    return np.minimum(items, changes.items), correlation


def _mean(old: Linear, new: Linear) -> Linear:
    return 0.5 * old + 0.5 * new
