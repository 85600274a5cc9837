"""Effect and cost of equalising xAUC by shifting the log odds of group 0 (no test)."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.ranking_rates import ranking_rates
from fairpairs.mathematics.fairness.ranking_adjustment import equalize_xauc
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings, estimate_rows
from fairpairs.papers.experiments.seeds import stratified_split, stream

BINARY_LABEL = True
SCORE = True
#: Measures that are reported before and after the adjustment.
ADJUSTED = ("ΔxAUC", "|ΔxAUC|", "AUC", "Brier")


def xauc_adjustment(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Measure xAUC, AUC and Brier score before and after shifting the log odds of group 0.

    The test items of each repeat are halved within group and label. The shift is fitted on one half
    and evaluated on the other, in both directions; the numbers are the means of the two.
    """
    rows = []
    for repeat, part in predictions.parts():
        label: Integers = predictions.label[part]
        group = predictions.group[part]
        rng = stream(settings.seed, "adjustment", *predictions.key, repeat)
        half = stratified_split(2 * group + label, 0.5, rng)
        score = predictions.score[part]
        both = [_evaluate(label, score, group, fitted) for fitted in (half, ~half)]
        rows.append(np.mean(both, axis=0))
    names = [
        "shift of log odds",
        *(f"{name} {when} it" for when in ("before", "after") for name in ADJUSTED),
    ]
    return estimate_rows(names, predictions, rows)


def _evaluate(
    label: Integers, score: Floats, group: Integers, fitted: NDArray[np.bool_]
) -> list[float]:
    """Fit the shift on some items; return it and the measures of the other items."""
    evaluated = ~fitted
    parts = [np.bincount((2 * group + label)[part], minlength=4) for part in (fitted, evaluated)]
    if np.min(parts) == 0:  # no shift can be fitted or evaluated
        return [np.nan] * (1 + 2 * len(ADJUSTED))
    adjustment = equalize_xauc(
        label[fitted], score[fitted], sensitive_features=group[fitted], reference=1
    )
    after = adjustment.transform(score[evaluated], sensitive_features=group[evaluated])
    values = [adjustment.shifts[0]]
    for scores in (score[evaluated], after):
        rate = ranking_rates(label[evaluated], scores, group[evaluated], 2).tpr
        gap = rate[0, 1] - rate[1, 0]
        values += [gap, abs(gap), rate[2, 2], ((scores - label[evaluated]) ** 2).mean()]
    return values


TEST = xauc_adjustment
