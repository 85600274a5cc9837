"""The change of a gap from an old model to a new one, on the same items.

The influence of an item on the change is its influence on the new gap minus that on the old one, so
that the variance has the covariance that the shared items bring:
var(new − old) = var(new) + var(old) − 2 cov(new, old).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairpairs.arrays import Floats, Integers
from fairpairs.fairness.contrasts import Contrast, PairedContrast, StudentContrast
from fairpairs.fairness.sampling.design import SamplingDesign
from fairpairs.fairness.sampling.gaps import Gap, effective_clusters
from fairpairs.fairness.sampling.linear import Linear, spread

#: What rounding leaves of a sum of squares, as a share of it.
ROUNDING = 1e-10


@dataclass(frozen=True)
class GapChange:
    """A gap of an old model and of a new one.

    Attributes
    ----------
    old, new
        The gaps, of the same items.
    design
        How these were sampled.
    decisions
        Old and new decision, 0 or 1, of each item, shape (n,) each, if the gaps rest on decisions.
    """

    old: Gap
    new: Gap
    design: SamplingDesign
    decisions: tuple[Floats, Floats] | None = None

    @cached_property
    def linear(self) -> Linear:
        """The change with its influence."""
        return self.new.difference - self.old.difference

    @cached_property
    def variances(self) -> tuple[float, float]:
        """The variance of the change; and that it had if the models had items of their own.

        The first is smaller if the gaps of both models are positively correlated.
        """
        of_both = spread([self.old.difference, self.new.difference, self.linear], self.design)
        old, new, change = np.diagonal(of_both.covariance)
        return float(change), float(old + new)

    @cached_property
    def average(self) -> Gap:
        """The mean of both gaps, whose tests are those of their sum."""
        rates = zip(self.old.parts, self.new.parts, strict=True)
        return Gap(
            _mean(self.old.first, self.new.first),
            _mean(self.old.second, self.new.second),
            self.old.rates,
            tuple((factor, _mean(old, new)) for (factor, old), (_, new) in rates),
        )

    @cached_property
    def contrast(self) -> Contrast | None:
        """The tests of the change; None where no prediction changed and no rate bounds it.

        With decisions, the change in each class of items is that of a rate, whose limits rest on
        the items that changed (Tango). Otherwise Student's t.
        """
        states = None if self.decisions is None else self._states(*self.decisions)
        of_change = spread([self.linear], self.design)
        variance = float(of_change.covariance[0, 0])
        if self.old.rates and (states is not None or variance == 0):
            return self._paired(states, float(of_change.df[0]) if variance else np.inf)
        if variance == 0:
            return None
        return StudentContrast(
            self.linear.estimate, float(np.sqrt(variance)), float(of_change.df[0])
        )

    def _states(self, old: Floats, new: Floats) -> Integers | None:
        """Return 0 to 3, twice the old decision plus the new one, of each item.

        None where items of one class and state differ in their influence, as for ranks.
        """
        change, weight = self.linear, self.design.weights
        states = (2 * old + new).astype(np.int64)
        inside = (change.classes >= 0) & (weight > 0)
        place, weight = (4 * change.classes + states)[inside], weight[inside]
        each = change.influence[inside] / weight
        total = np.maximum(np.bincount(place, weight), np.finfo(float).tiny)
        rest = each - (np.bincount(place, weight * each) / total)[place]
        squares = float(weight @ rest**2)
        return states if squares <= ROUNDING * float(weight @ each**2) else None

    def _paired(self, states: Integers | None, df: float) -> PairedContrast:
        change, weights = self.linear, self.design.weights
        kinds = np.unique(change.classes[change.classes >= 0])
        moved = np.zeros(len(weights)) if states is None else np.array([0.0, 1, -1, 0])[states]
        parts = [
            Linear(0.0, np.where(change.classes == k, change.influence, 0.0),
                   np.where(change.classes == k, k, -1))
            for k in kinds
        ]  # fmt: skip
        covariance = spread(parts, self.design).covariance
        variance = np.diagonal(covariance)
        share, changed, factors, most, worth = np.empty((5, len(kinds)))
        for i, (k, part) in enumerate(zip(kinds, parts, strict=True)):
            inside = change.classes == k
            by = moved[inside]
            weight = weights[inside] / weights[inside].sum()
            share[i], changed[i] = weight @ by, weight @ by**2
            factors[i] = _slope(part.influence[inside], by - share[i], weight)
            most[i], worth[i] = 1 / (weight @ weight), effective_clusters(part, self.design)
        varying = changed - share**2
        with np.errstate(invalid="ignore", divide="ignore"):
            items = np.where(variance > 0, factors**2 * varying / variance, worth)
            correlation = covariance / np.sqrt(np.outer(variance, variance))
        correlation = np.where(np.isfinite(correlation), np.clip(correlation, -1, 1), 0.0)
        correlation *= np.outer(np.sign(factors), np.sign(factors))
        np.fill_diagonal(correlation, 1.0)
        independent = self.design.cluster is None and self.design.weight is None
        return PairedContrast(
            share, np.minimum(items, most), factors, correlation, np.inf if independent else df,
            changed=changed, change=change.estimate,
        )  # fmt: skip


def _slope(influence: Floats, moved: Floats, weight: Floats) -> float:
    """Return what the change of the rate of a class adds to the measure; 1 where none changed.

    Parameters
    ----------
    influence
        Of each item of the class, shape (m,).
    moved
        The change of its decision, minus the mean of the class.
    weight
        Its share of the weight of the class.
    """
    squares = float(weight @ moved**2)
    return float(influence @ moved) / squares if squares > ROUNDING else 1.0


def _mean(old: Linear, new: Linear) -> Linear:
    return 0.5 * old + 0.5 * new
