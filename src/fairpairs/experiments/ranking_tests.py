"""Tests and measures of a ranking that run on kept predictions, for all repeats."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.errors import InputError
from fairpairs.experiments.repeated_predictions import (
    Integers,
    RepeatedPredictions,
    Settings,
    estimate_rows,
    hypothesis_rows,
)
from fairpairs.experiments.seeds import stream
from fairpairs.experiments.split import stratified_split
from fairpairs.fairness.pair_rates import PairRates
from fairpairs.fairness.proportions import Floats, ProportionDifference
from fairpairs.fairness.ranking import (
    MEASURES,
    decomposition,
    difference_variances,
    differences_from_rates,
    ranking_hypotheses,
    ranking_rates,
    rate_variances,
)
from fairpairs.fairness.ranking_adjustment import equalize_xauc

#: The rates of two groups (0, 1) and of everyone (2), by their place among 3 × 3.
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
#: What is said of the adjustment, before and after it.
ADJUSTED = ("ΔxAUC", "|ΔxAUC|", "AUC", "Brier")
#: Proposition 1 holds up to rounding.
ROUNDING = 1e-9


def xauc(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Test equal AUC within groups, equal xAUC and equal balanced xAUCs; Holm."""
    result = differences_from_rates(_rates(predictions, "xauc"), alpha=settings.alpha)
    with_draws = ProportionDifference(
        **{name: field[:, None] for name, field in vars(result).items()}
    )
    return hypothesis_rows(
        ranking_hypotheses((0, 1)), predictions, with_draws, settings, correction="holm"
    )


def ranking(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Measure AUC, xAUC, balanced xAUC with DeLong's standard errors, and Brier scores.

    Raises
    ------
    ArithmeticError
        When Proposition 1 does not hold to rounding, which would be a mistake of ours.
    """
    rates = _rates(predictions, "ranking")
    parts = np.stack(list(decomposition(rates).values()))
    if not np.ptp(parts, axis=0).max() <= ROUNDING:
        raise ArithmeticError("Proposition 1 does not hold: the sums of xAUC are not the AUC.")
    theta, variance, _ = rate_variances(rates)
    differences = differences_from_rates(rates).estimate
    places = list(RATES.values())
    nothing = np.full((len(theta), len(BRIER)), np.nan)
    loss = (predictions.score - predictions.label) ** 2
    if not ((predictions.score >= 0) & (predictions.score <= 1)).all():
        loss = np.full(len(loss), np.nan)  # no probabilities, so there is no Brier score
    brier = np.stack([_means(loss, predictions, group) for group in (None, 0, 1)], axis=1)
    names = [*RATES, *(f"Δ{measure}" for measure in MEASURES), *BRIER]
    values = np.hstack([theta[:, places], differences, brier])
    errors = [np.sqrt(part) for part in (variance[:, places], difference_variances(rates)[0])]
    return estimate_rows(names, predictions, values, np.hstack([*errors, nothing]))


def xauc_adjustment(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Measure what equalising xAUC by a shift of group 0's log odds does, and what it costs.

    Each repeat's test items are halved within group and label. The shift that is found on one half
    is judged on the other, alone, and the other way round; the numbers are the means of the two.
    """
    _check_binary(predictions, "xauc_adjustment")
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


def _rates(predictions: RepeatedPredictions, test: str) -> PairRates:
    """Return the rates of all repeats, fields of shape (repeats, ...), for a test of this name."""
    _check_binary(predictions, test)
    tables = [
        ranking_rates(predictions.label[own], predictions.score[own], predictions.group[own], 2)
        for _, own in predictions.parts()
    ]
    fields = ("right", "usable", "pairs", "components", "class_sizes", "counted_twice", "pooled")
    return PairRates(
        **{field: np.stack([getattr(table, field) for table in tables]) for field in fields}
    )


def _means(values: Floats, predictions: RepeatedPredictions, group: int | None) -> Floats:
    """Return the mean of each repeat, of one group or of all items; NaN without an item."""
    own = np.ones(len(values)) if group is None else (predictions.group == group).astype(float)
    n = len(predictions.repeats)
    total, number = (
        np.bincount(predictions.block, weight, minlength=n) for weight in (own * values, own)
    )
    with np.errstate(invalid="ignore"):
        return np.asarray(total / number)


def _check_binary(predictions: RepeatedPredictions, test: str) -> None:
    if not predictions.is_binary:
        raise InputError(
            f"The test {test} needs a label of 0 and 1: for a real label, take "
            "comparative_separation."
        )
