"""The difference of two estimates of items with clusters and weights: its test and interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairpairs.fairness.contrasts import Contrast, MoverContrast, StudentContrast
from fairpairs.fairness.sampling.design import SamplingDesign
from fairpairs.fairness.sampling.linear import Linear, spread


@dataclass(frozen=True)
class Gap:
    """The difference of two estimates, first − second.

    Attributes
    ----------
    first, second
        Of the group, and of the reference.
    rates
        Whether both are rates, from 0 to 1.
    """

    first: Linear
    second: Linear
    rates: bool = True

    @property
    def difference(self) -> Linear:
        """The difference, with its influence."""
        return self.first - self.second

    def contrast(self, design: SamplingDesign) -> Contrast:
        """Return the tests of the difference, robust to clusters and weights.

        That of two rates is by MOVER with Student's t: a rate is worth as many independent trials
        as give it its variance, or, where it is 0 or 1, as its clusters do by their weights.
        """
        of_both = spread([self.first, self.second, self.difference], design)
        variance, df = np.diagonal(of_both.covariance), float(of_both.df[2])
        if not self.rates:
            return StudentContrast(self.difference.estimate, float(np.sqrt(variance[2])), df)
        rates = np.array([self.first.estimate, self.second.estimate])
        worth = [effective_clusters(each, design) for each in (self.first, self.second)]
        with np.errstate(invalid="ignore", divide="ignore"):
            trials = np.where(variance[:2] > 0, rates * (1 - rates) / variance[:2], worth)
            shared = of_both.covariance[0, 1] / np.sqrt(variance[0] * variance[1])
        correlation = float(np.clip(shared, -1, 1)) if np.isfinite(shared) else 0.0
        first, second = map(float, trials)
        return MoverContrast(
            self.first.estimate, self.second.estimate, (first, second), correlation, df
        )


def effective_clusters(estimate: Linear, design: SamplingDesign) -> float:
    """Return the number of clusters that an estimate rests on, as if of equal weights (Kish)."""
    weight = design.totals(np.where(estimate.classes >= 0, design.weights, 0.0))
    return float(weight.sum() ** 2 / (weight**2).sum())
