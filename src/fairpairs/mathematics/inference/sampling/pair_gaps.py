"""The difference of two rates of pairs, such as two AUCs: the independent trials they are worth.

Few placements of a good score, most of which are 1, say too little about their spread. So the
variance also rests on the shares that are estimated from the items of both groups, and, the fewer
events there are, on the largest variance that a class may have (docs/explanation/inference.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.inference.sampling.gaps import Gap, share_known
from fairpairs.mathematics.inference.sampling.linear import Linear, Spread

#: The share of both rates together raises that of a class by at most this factor.
MOST_OF_BOTH = 1.25

#: The share of the largest variance that placements have where none vary, as in `rate_intervals`.
UNVARYING_SHARE = 0.5

#: Smallest and largest variance of a rate, as a multiple of that of independent classes.
RATIOS = 0.1, 2.0


@dataclass(frozen=True, eq=False)
class PairGap(Gap):
    """The difference of two rates of pairs."""

    #: For each rate the class of the items that should be ahead and that of those behind; one where
    #: they are the same.
    roles: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())

    def effective_trials(
        self, estimates: Sequence[Linear], spread: Spread
    ) -> tuple[Floats, Floats, Floats]:
        """Return both rates, the independent trials that each is worth, and their correlation.

        A class of n clusters of equal weight adds v to the variance of a rate θ, at most θ (1 − θ)
        / n, of which it has the share s = n v / (θ (1 − θ)). Where that of the classes of both
        rates together, Σ n² v / Σ n θ (1 − θ), is larger, s is raised to it, by 25 % at most. With
        the `share_known` k of s / n,

        1 / trials = r Σ (k s + 1 − k) / n over both classes,

        where r is the variance of the rate over the sum of both v, which the clusters that the
        classes have in common make differ from 1.
        """
        if not len(spread.classes):  # of items with cheap labels
            return super().effective_trials(estimates, spread)
        rates = np.array([rate.estimate for rate in estimates])
        largest, variance = rates * (1 - rates), np.diagonal(spread.covariance)
        indices = np.searchsorted(spread.classes, np.array(self.roles))
        part = np.take_along_axis(spread.parts, indices, axis=1)
        part = np.where(variance[:, None] > 0, part, 0)
        n = spread.clusters[indices]
        with np.errstate(invalid="ignore", divide="ignore"):
            alone = np.where(largest[:, None] > 0, n * part / largest[:, None], 0)
            together = (n**2 * part).sum(axis=0) / (n * largest[:, None]).sum(axis=0)
            together = np.where(np.isfinite(together), np.minimum(together, 1), UNVARYING_SHARE)
            most = np.where(alone > 0, MOST_OF_BOTH * alone, together)
            share = np.maximum(alone, np.minimum(together, most))
            ratio = variance / part.sum(axis=1)
            joint_ratio = variance.sum() / part.sum()
        ratio = np.fmax(ratio, joint_ratio)
        ratio = np.clip(np.where(np.isfinite(ratio), ratio, 1), *RATIOS)
        with np.errstate(divide="ignore", invalid="ignore"):
            known = share_known(np.where(share > 0, largest[:, None] * n / share, 0.0))
        trials = 1 / (ratio * ((known * share + 1 - known) / n).sum(axis=1))
        error = np.sqrt(largest / trials)
        with np.errstate(invalid="ignore", divide="ignore"):
            shared = spread.covariance[0, 1] / error.prod()
        shared = float(np.clip(shared, -1, 1)) if np.isfinite(shared) else 0.0
        return rates, trials, np.array([[1.0, shared], [shared, 1.0]])
