"""The difference of two rates of pairs, such as two AUCs: the independent trials they are worth.

Few placements of a good score, most of which are 1, say too little about their spread. So the
variance also rests on what all classes of both rates tell of it, and, the fewer events there are,
on the largest variance that a class may have (docs/explanation/inference.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.inference.sampling.gaps import Gap, share_known
from fairpairs.mathematics.inference.sampling.linear import Linear, Spread

#: The share of both rates together raises that of a class by at most this factor.
MOST_OF_BOTH = 1.5

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

    @np.errstate(invalid="ignore", divide="ignore")
    def effective_trials(
        self, estimates: Sequence[Linear], spread: Spread
    ) -> tuple[Floats, Floats, Floats]:
        """Return both rates, the independent trials that each is worth, and their correlation.

        A class of n clusters adds v to the variance of a rate θ, of which it has the share s = n v
        / (θ (1 − θ)), raised to that of both rates together, by 50 % at most. It is trusted with
        the `share_known` k of the inverse squared skewness, E = θ (1 − θ) n / s / (1 − 2 θ)², and
        else what all classes tell (`_expected_share`), by half of its mean E. 1 / trials = r Σ (k s
        + (1 − k) expected) / n over both classes, with r the variance of the rate over the sum of
        both v.
        """
        if not len(spread.classes):  # of items with cheap labels
            return super().effective_trials(estimates, spread)
        rates = np.array([rate.estimate for rate in estimates])
        scale, variance = rates * (1 - rates), np.diagonal(spread.covariance)
        largest, indices = scale[:, None], np.searchsorted(spread.classes, np.array(self.roles))
        part, apart = (
            np.where(variance[:, None] > 0, np.take_along_axis(parts, indices, axis=1), 0)
            for parts in (spread.parts, spread.apart)
        )
        n, items = spread.clusters[indices], spread.items[indices]
        alone = np.where(largest > 0, n * part / largest, 0)
        together = _share((n**2 * part).sum(axis=0), (n * largest).sum(axis=0))
        most = np.where(alone > 0, MOST_OF_BOTH * alone, together)
        share = np.maximum(alone, np.minimum(together, most))
        ratio = np.fmax(variance / part.sum(axis=1), variance.sum() / part.sum())
        ratio = np.clip(np.where(np.isfinite(ratio), ratio, 1), *RATIOS)
        skewness = (1 - 2 * rates[:, None]) ** 2
        events = np.where(share > 0, largest * n / share / skewness, 0.0)
        known, of_all = share_known(events), share_known(n * (events / n).mean() / 2)
        expected = of_all * _expected_share(largest, part, apart, n, items) + 1 - of_all
        trials = 1 / (ratio * ((known * share + (1 - known) * expected) / n).sum(axis=1))
        shared = spread.covariance[0, 1] / np.sqrt(scale / trials).prod()
        shared = float(np.clip(shared, -1, 1)) if np.isfinite(shared) else 0.0
        return rates, trials, np.array([[1.0, shared], [shared, 1.0]])


def _expected_share(
    largest: Floats, part: Floats, apart: Floats, clusters: Floats, items: Floats
) -> Floats:
    """Return the share of the largest variance that each class has if all are alike, (2, classes).

    One correlation within clusters raises the variance above that of independent items, `apart`.
    """
    each = items / clusters
    share = _share((items**2 * apart).sum(), (items * largest).sum())
    most = (clusters**2 * apart * (each - 1)).sum()
    excess = (clusters**2 * (part - apart)).sum()
    icc = min(max(excess / most, 0.0), 1.0) if most > 0 else 0.0
    return np.asarray(np.minimum(share * (icc + (1 - icc) / each), 1))


def _share(variance: Floats, largest: Floats) -> Floats:
    share = variance / largest
    return np.asarray(np.where(np.isfinite(share), np.minimum(share, 1), UNVARYING_SHARE))
