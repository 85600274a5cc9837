"""What equalising xAUC by a shift of group 0's log odds does, and what it costs: measures."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.arrays import Floats, Integers
from fairpairs.experiments.predictions import (
    FairnessTest,
    RepeatedPredictions,
    Settings,
    estimate_rows,
)
from fairpairs.experiments.seeds import stream
from fairpairs.experiments.split import stratified_split
from fairpairs.fairness.ranking_adjustment import equalize_xauc
from fairpairs.fairness.ranking_rates import ranking_rates

BINARY_LABEL = True
#: What is said of the adjustment, before and after it.
ADJUSTED = ("ΔxAUC", "|ΔxAUC|", "AUC", "Brier")


def xauc_adjustment(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Measure what equalising xAUC by a shift of group 0's log odds does, and what it costs.

    Each repeat's test items are halved within group and label. The shift that is found on one half
    is judged on the other, alone, and the other way round; the numbers are the means of the two.
    """
    predictions.check_binary("xauc_adjustment")
    rows = []
    for repeat, own in predictions.parts():
        label: Integers = predictions.label[own]
        group = predictions.group[own]
        rng = stream(settings.seed, "adjustment", *predictions.key, repeat)
        half = stratified_split(2 * group + label, 0.5, rng)
        ways = [_judged(label, predictions.score[own], group, part) for part in (half, ~half)]
        rows.append(np.mean(ways, axis=0))
    names = [
        "shift of log odds",
        *(f"{name} {when} it" for when in ("before", "after") for name in ADJUSTED),
    ]
    return estimate_rows(names, predictions, rows)


def _judged(
    label: Integers, score: Floats, group: Integers, fitted: NDArray[np.bool_]
) -> list[float]:
    """Return the shift that is found on some items, and the measures of the others."""
    judged = ~fitted
    parts = [np.bincount((2 * group + label)[part], minlength=4) for part in (fitted, judged)]
    if np.min(parts) == 0:  # no shift can be found, or judged
        return [np.nan] * (1 + 2 * len(ADJUSTED))
    adjustment = equalize_xauc(
        label[fitted], score[fitted], sensitive_features=group[fitted], reference=1
    )
    after = adjustment.transform(score[judged], sensitive_features=group[judged])
    values = [adjustment.shifts[0]]
    for scores in (score[judged], after):
        rate = ranking_rates(label[judged], scores, group[judged], 2).tpr
        gap = rate[0, 1] - rate[1, 0]
        values += [gap, abs(gap), rate[2, 2], ((scores - label[judged]) ** 2).mean()]
    return values


TEST: FairnessTest = xauc_adjustment
