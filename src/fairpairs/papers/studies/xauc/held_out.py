"""The ranking and the calibration of all items of a data set, each scored by a model without it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content, Record
from fairpairs.mathematics.estimates.calibration import calibration_slope, inner_log_odds
from fairpairs.mathematics.estimates.ranking_rates import MEASURES
from fairpairs.mathematics.fairness.ranking import conditional_shares, xauc
from fairpairs.mathematics.inference.ranking_differences import difference_variances
from fairpairs.papers.datasets.prepared import PreparedDataset, positions
from fairpairs.papers.experiments.train import train_folds

ALL = "all"
#: The columns of the ranking.
COLUMNS = [
    *("dataset", "attribute", "measure"),
    *("estimate", "standard_error", "pvalue", "positives", "negatives"),
]
#: Bins of predicted probability.
BINS = np.linspace(0, 1, 11)
#: A negative item is ranked above nearly all positive ones of a group if its conditional xAUC is at
#: most this.
NEARLY_NONE = 0.1
#: Measure → the name of a rate of `RankingResult.rates`.
NAMES = {
    "AUC": "AUC({positive})",
    "xAUC": "xAUC({positive},{negative})",
    "xAUC_1": "xAUC_1({positive})",
    "xAUC_0": "xAUC_0({negative})",
}


def held_out_tables(
    datasets: Iterable[PreparedDataset],
    *,
    model: str | Content,
    treatment: Any,
    folds: int,
    seed: int,
    extensions: Sequence[str],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the tables of ranking and of calibration of all data sets, scored by `train_folds`."""
    training: Any = {"model": model, "treatment": treatment, "extensions": extensions}
    ranking, calibration = [], []
    for dataset in datasets:
        predictions = train_folds(dataset, folds=folds, seed=seed, **training)
        ranking.append(held_out_ranking(predictions, dataset))
        calibration.append(held_out_calibration(predictions, dataset))
    return pd.concat(ranking, ignore_index=True), pd.concat(calibration, ignore_index=True)


def held_out_ranking(predictions: pd.DataFrame, dataset: PreparedDataset) -> pd.DataFrame:
    """Return AUC and xAUC of all items and test their differences, for each sensitive attribute.

    `standard_error` is DeLong's; `pvalue` is of one difference, by `xauc`, not adjusted (Kallus and
    Zhou, 2019, Definitions 2 and 3). "xAUC(a,b) ≤ 0.1" is the share of the negative items of b that
    are ranked above nearly all positive ones of a (section 6), with its binomial error.
    """
    parts = []
    for attribute, (labels, scores, group) in _items(predictions, dataset):
        result = xauc(labels, scores, sensitive_features=group, correction="none")
        rates, tests = result.rates(), result.to_frame()
        groups: Any = rates[["measure", "positive", "negative"]].to_dict("records")
        rates["measure"] = [NAMES[of["measure"]].format(**of) for of in groups]
        everyone = rates[-1:].assign(measure="AUC")
        differences = everyone.loc[everyone.index.repeat(len(tests))].assign(
            measure=[f"Δ{measure}" for measure in MEASURES],
            estimate=-tests["estimate"].to_numpy(),  # the paper's: the first group minus the second
            standard_error=np.sqrt(difference_variances(result.rates_of_all)),
            pvalue=tests["pvalue"].to_numpy(),
        )
        tails = pd.DataFrame(_tail(labels, scores, group, *pair) for pair in ((0, 1), (1, 0)))
        part = pd.concat([everyone, rates[:-1], differences, tails])
        parts.append(part.assign(dataset=dataset.name, attribute=attribute))
    return pd.concat(parts, ignore_index=True)[COLUMNS]


def _tail(labels: Integers, scores: Floats, group: Integers, a: int, b: int) -> Record:
    """Return the share of the negative items of b with a conditional xAUC of at most 0.1."""
    faced = conditional_shares(labels[None], scores[None], group[None], 2)[0][:, a]
    tail = pd.Series(faced[(labels == 0) & (group == b)] <= NEARLY_NONE, dtype=float)
    return {
        **{"measure": f"xAUC({a},{b}) ≤ {NEARLY_NONE}", "estimate": tail.mean()},
        **{"standard_error": tail.sem(ddof=0), "negatives": len(tail)},
        "positives": np.count_nonzero((labels == 1) & (group == a)),
    }


def held_out_calibration(predictions: pd.DataFrame, dataset: PreparedDataset) -> pd.DataFrame:
    """Return how far scores are from the shares of label 1, for all items and each group.

    `standard_error` is that of the deviation if the scores are right; NaN stands for no slope.
    """
    rows = []
    for attribute, (labels, scores, group) in _items(predictions, dataset):
        for name, member in ((ALL, group >= 0), ("0", group == 0), ("1", group == 1)):
            keys = {"dataset": dataset.name, "attribute": attribute, "group": name}
            rows.append({**keys, **_calibration(labels[member], scores[member])})
    return pd.DataFrame(rows)


def _calibration(labels: Integers, scores: Floats) -> dict[str, float]:
    try:
        fit = calibration_slope(labels.astype(np.float64), inner_log_odds(scores)[0])
        slope, slope_error = fit.slope, float(np.sqrt(fit.variance))
    except InputError:  # labels of one kind, or which the scores separate
        slope = slope_error = np.nan
    error = np.sqrt((scores * (1 - scores)).sum()) / len(labels)
    return {
        **{"n": len(labels), "score": scores.mean(), "observed": labels.mean()},
        **{"deviation": calibration_deviation(labels, scores), "standard_error": error},
        **{"slope": slope, "slope_error": slope_error},
    }


def calibration_deviation(labels: Integers, scores: Floats) -> float:
    """Return the mean over items of |mean score − share of label 1| in ten bins of the score.

    >>> scores = np.array([0.5, 0.5, 0.9, 0.9])
    >>> round(calibration_deviation(np.array([0, 1, 1, 1]), scores), 3)
    0.05
    """
    bins = np.digitize(scores, BINS[1:-1])
    return float(np.abs(np.bincount(bins, labels - scores)).sum() / len(labels))


def _items(
    predictions: pd.DataFrame, dataset: PreparedDataset
) -> Iterator[tuple[str, tuple[Integers, Floats, Integers]]]:
    """Yield, for each sensitive attribute, label, score and group of each item."""
    item, score = positions(predictions, dataset), predictions["score"].to_numpy()
    for column, attribute in enumerate(dataset.attributes):
        yield attribute, (dataset.label[item], score, dataset.sensitive[item, column])
