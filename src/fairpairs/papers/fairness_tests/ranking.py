"""AUC, xAUC and balanced xAUC with DeLong's standard errors, and Brier scores (no test)."""

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.estimates.pairs.rates import PairRates
from fairpairs.mathematics.estimates.ranking_rates import MEASURES, ranking_rates
from fairpairs.mathematics.inference.ranking_differences import (
    difference_variances,
    differences_from_rates,
    rate_variances,
)
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings, estimate_rows

BINARY_LABEL = True
SCORE = True
#: Index of each rate in the flattened 3 × 3 table of groups 0, 1 and all items (2).
RATES = {
    "AUC": 8,
    "AUC(0)": 0,
    "AUC(1)": 4,
    "xAUC(0,1)": 1,
    "xAUC(1,0)": 3,
    "xAUC_1(0)": 2,
    "xAUC_1(1)": 5,
    "xAUC_0(0)": 6,
    "xAUC_0(1)": 7,
}
BRIER = ("Brier", "Brier(0)", "Brier(1)")


def ranking(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Measure AUC, xAUC, balanced xAUC with DeLong's standard errors, and Brier scores."""
    rates = predictions.shared(repeated_rates)
    theta, variance = (
        table.reshape(len(table), -1) for table in (rates.tpr, rate_variances(rates))
    )
    differences = differences_from_rates(rates).estimate
    columns = list(RATES.values())
    no_errors = np.full((len(theta), len(BRIER)), np.nan)
    loss = (predictions.score - predictions.label) ** 2
    if not ((predictions.score >= 0) & (predictions.score <= 1)).all():
        loss = np.full(len(loss), np.nan)  # not probabilities: no Brier score
    brier = _means(loss, predictions)
    names = [*RATES, *(f"Δ{measure}" for measure in MEASURES), *BRIER]
    values = np.hstack([theta[:, columns], differences, brier])
    errors = [np.sqrt(part) for part in (variance[:, columns], difference_variances(rates))]
    return estimate_rows(names, predictions, values, np.hstack([*errors, no_errors]))


def repeated_rates(predictions: RepeatedPredictions) -> PairRates:
    """Return the rates of all repeats, fields of shape (repeats, …)."""
    tables = [
        ranking_rates(predictions.label[part], predictions.score[part], predictions.group[part], 2)
        for _, part in predictions.parts()
    ]
    return PairRates.stacked(tables)


def _means(values: Floats, predictions: RepeatedPredictions) -> Floats:
    """Return the mean in each repeat, of all items and of each group; NaN if there is no item."""
    n = len(predictions.repeats)
    cell = 2 * predictions.block + predictions.group
    totals, numbers = (
        np.column_stack(
            [
                np.bincount(predictions.block, part, minlength=n),
                np.bincount(cell, part, minlength=2 * n).reshape(n, 2),
            ]
        )
        for part in (values, None)
    )
    with np.errstate(invalid="ignore"):
        return np.asarray(totals / numbers)


TEST = ranking
