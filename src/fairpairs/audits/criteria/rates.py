"""Criteria that compare rates of decisions: one entry of OF_RATES each, and average odds."""

import numpy as np
from numpy.typing import NDArray

from fairpairs.audits.criteria import rows
from fairpairs.audits.criteria.comparison import Comparison
from fairpairs.audits.criteria.criterion import Criterion
from fairpairs.audits.criteria.rows import Measure, Row
from fairpairs.mathematics.estimates.estimates import SMALL, SMALL_CELL, UNVARYING
from fairpairs.mathematics.inference.contrasts.score import ScoreContrast, continuity
from fairpairs.mathematics.inference.sampling.gaps import average

TPR = Measure(
    "TPR", "TPR({a}) = TPR({b})", rate=rows.TPR, of="TPR", favours=1, plain="True positives (TPR)"
)
FPR = Measure(
    "FPR", "FPR({a}) = FPR({b})", rate=rows.FPR, of="FPR", favours=1, plain="False alarms (FPR)"
)
FNR = Measure(
    "FNR", "FNR({a}) = FNR({b})", rate=rows.FNR, of="FNR", favours=-1, plain="Misses (FNR)"
)
FDR = Measure(
    "FDR", "FDR({a}) = FDR({b})", rate=rows.FDR, of="FDR", plain="Wrong among predicted (FDR)"
)
PRECISION = Measure(
    "precision", "precision of {a} = that of {b}", rate=rows.PRECISION, of="precision",
    plain="Right among predicted (precision)",
)  # fmt: skip
OMISSION = Measure(
    "false omission rate",
    "false omission rate of {a} = that of {b}",
    rate=rows.FALSE_OMISSION_RATE,
    of="FOR",
    plain="Missed among the others (false omission rate)",
)
ACCURACY = Measure(
    "accuracy", "accuracy of {a} = that of {b}", rate=rows.ACCURACY, of="accuracy", plain="Accuracy"
)
ODDS = Measure(
    "average odds",
    "TPR and FPR of {a} differ from those of {b} by 0 on average",
    plain="Average odds",
    words="the mean of TPR and FPR is {gap} for {group} than for {reference}",
    favours=1,
)
#: Of reference and group, by label: the mean of two differences.
MEAN_OF_BOTH = np.array([-0.5, -0.5, 0.5, 0.5])


def of_rates(name: str, title: str, question: str, *measures: Measure) -> Criterion:
    """Return a criterion whose measures all compare a rate of decisions."""
    return Criterion(
        name,
        title,
        question,
        measures,
        lambda comparison: map(comparison.row_of_rate, measures),
        lambda comparison: map(comparison.rate_gap, measures),
        "decisions",
        controlled=True,
    )


OF_RATES = (
    of_rates(
        "separation",
        "Separation (equalized odds)",
        "Among those with the same label, are both groups predicted positive as often? TPR "
        "compares those with a positive label, the FPR those with a negative one.",
        TPR,
        FPR,
    ),
    of_rates(
        "equal_opportunity",
        "Equal opportunity",
        "Among those with a positive label, are both groups predicted positive as often?",
        TPR,
    ),
    of_rates(
        "predictive_parity",
        "Predictive parity",
        "Among those with the same prediction, is the label positive as often in both groups? "
        "Precision compares those predicted positive, the false omission rate those predicted "
        "negative. Groups that differ in labels satisfy both this and separation only by a perfect "
        "model.",
        PRECISION,
        OMISSION,
    ),
    of_rates(
        "error_rates",
        "Error rates",
        "How often are positive labels predicted negative (FNR = 1 − TPR), and positive "
        "predictions wrong (FDR = 1 − precision)? The tests are those of TPR and precision, the "
        "differences of opposite sign.",
        FNR,
        FDR,
    ),
    of_rates(
        "accuracy",
        "Accuracy",
        "Is the prediction the label as often in both groups?",
        ACCURACY,
    ),
)
SEPARATION = OF_RATES[0]


def average_odds(comparison: Comparison) -> Row:
    """Return the row of AOD, the mean of both differences, whose items are not the same ones."""
    sizes = comparison.counts.sum(axis=-1)
    n, smallest = int(sizes.sum()), int(sizes.min())
    if smallest == 0:
        return comparison.row(ODDS, n=n, smallest_cell=0, note="empty cell")
    contrast = average_odds_contrast(comparison.counts)
    rates = contrast.rates.reshape(2, 2)
    low, high = contrast.limits(comparison.alpha)
    unvarying = bool(np.isin(rates, (0, 1)).all() and (rates[0] == rates[1]).all())
    notes = [UNVARYING] * unvarying + [SMALL] * (smallest < SMALL_CELL)
    return comparison.row(
        ODDS,
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
    nearer = continuity(rates, trials, np.abs(MEAN_OF_BOTH) / trials)
    return ScoreContrast(rates, trials, MEAN_OF_BOTH, nearer=nearer)


AVERAGE_ODDS = Criterion(
    "average_odds",
    "Average odds",
    "The mean of both differences of separation; opposite ones cancel.",
    (ODDS,),
    lambda comparison: [average_odds(comparison)],
    lambda comparison: [average(comparison.rate_gap(TPR), comparison.rate_gap(FPR))],
    needs="decisions",
    controlled=True,
)
