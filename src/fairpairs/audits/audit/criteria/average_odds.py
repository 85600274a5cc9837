"""Average odds, the mean of the differences of TPR and FPR: a sum of four independent rates."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fairpairs.audits.audit.comparison import Comparison
from fairpairs.audits.audit.criteria.criterion import Criterion
from fairpairs.audits.audit.criteria.rates import FPR, TPR, needs_decisions
from fairpairs.audits.audit.differences import Difference
from fairpairs.audits.audit.rows import Measure, Row
from fairpairs.mathematics.estimates.estimates import SMALL, SMALL_CELL, UNVARYING
from fairpairs.mathematics.inference.contrasts.score import ScoreContrast, continuity
from fairpairs.mathematics.inference.sampling.gaps import Gap, average

MEASURE = Measure(
    "average odds",
    "TPR and FPR of {a} differ from those of {b} by 0 on average",
    words="TPR and FPR of {group} are, on average,",
    against="those of {reference}",
    favours=1,
)
#: Of reference and group, by label: the mean of two differences.
FACTORS = np.array([-0.5, -0.5, 0.5, 0.5])


def average_odds(comparison: Comparison) -> Iterator[Difference]:
    """Yield AOD, the mean of both differences, whose items are not the same ones."""

    def row() -> Row:
        return _row(comparison)

    def gap() -> Gap:
        return average(comparison.rate_gap(TPR), comparison.rate_gap(FPR))

    yield Difference(MEASURE, row, gap)


def _row(comparison: Comparison) -> Row:
    sizes = comparison.counts.sum(axis=-1)
    n, smallest = int(sizes.sum()), int(sizes.min())
    if smallest == 0:
        return comparison.row(MEASURE, n=n, smallest_cell=0, note="empty cell")
    contrast = average_odds_contrast(comparison.counts)
    rates = contrast.rates.reshape(2, 2)
    low, high = contrast.limits(comparison.alpha)
    unvarying = bool(np.isin(rates, (0, 1)).all() and (rates[0] == rates[1]).all())
    notes = [UNVARYING] * unvarying + [SMALL] * (smallest < SMALL_CELL)
    return comparison.row(
        MEASURE,
        estimate=float(contrast.estimate),
        ci_low=float(low),
        ci_high=float(high),
        statistic=np.nan if unvarying else float(contrast.statistic(0.0)),
        pvalue=np.nan if unvarying else float(contrast.pvalue()),
        n=n,
        smallest_cell=smallest,
        note="; ".join(notes),
        contrast=contrast,
    )


def average_odds_contrast(counts: NDArray[np.int64]) -> ScoreContrast:
    """Return the tests of AOD; counts by group, label, prediction, (..., 2, 2, 2), none empty."""
    sizes = counts.sum(axis=-1)
    shape = *counts.shape[:-3], 4
    rates, trials = (x.reshape(shape) for x in (counts[..., 1] / sizes, sizes.astype(float)))
    nearer = continuity(rates, trials, np.abs(FACTORS) / trials)
    return ScoreContrast(rates, trials, FACTORS, nearer=nearer)


AVERAGE_ODDS = Criterion(
    "average_odds",
    "Average odds",
    "The mean of both differences of separation; opposite ones cancel.",
    (MEASURE,),
    average_odds,
    why_not=needs_decisions,
    controlled=True,
)
