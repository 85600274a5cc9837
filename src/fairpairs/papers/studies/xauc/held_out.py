"""The ranking and the calibration of all items of a data set, each scored by a model without it."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.texts import MISSING, decimals, pvalue
from fairpairs.mathematics.estimates.calibration import calibration_slope, inner_log_odds
from fairpairs.mathematics.estimates.ranking_rates import MEASURES
from fairpairs.mathematics.fairness.ranking import RankingResult, xauc
from fairpairs.mathematics.inference.ranking_differences import difference_variances
from fairpairs.papers.datasets.prepared import PreparedDataset, positions
from fairpairs.papers.display.labels import label
from fairpairs.papers.display.tables import Display
from fairpairs.papers.experiments.steps import Named
from fairpairs.papers.experiments.train import train_folds

ALL = "all"
#: Bins of predicted probability.
BINS = np.linspace(0, 1, 11)
#: Measure → the name of a rate of `RankingResult.rates`.
NAMES = {
    "AUC": "AUC({positive})",
    "xAUC": "xAUC({positive},{negative})",
    "xAUC_1": "xAUC_1({positive})",
    "xAUC_0": "xAUC_0({negative})",
}
RANKING_NOTE = (
    "Each item is scored once, by a model that was fitted on the other {folds} folds of {all}. "
    "Differences are group 0 minus group 1, ± DeLong's standard error; p-values are of each "
    "difference alone. Two models share most of their training items. As usual, the error is that "
    "of fixed scores: it leaves out what other training data would change."
)
CALIBRATION_NOTE = (
    "Deviation: the mean distance between the mean score and the share of label 1, over the items "
    "of ten bins of the score; chance alone makes it larger than 0. Its standard error is that of "
    "the share of label 1 where the scores are right. Slope: of the log odds of label 1 on those "
    "of the score; 1 if the scores are right, less if they are too extreme."
)


def held_out_tables(
    datasets: Iterable[PreparedDataset],
    *,
    model: str | Content,
    treatment: Named,
    folds: int,
    seed: int,
    extensions: Iterable[str | Path],
    title: str,
) -> tuple[tuple[pd.DataFrame, Display], tuple[pd.DataFrame, Display]]:
    """Return the tables of ranking and of calibration of all data sets, each with its display.

    Items are scored by `train_folds`, which gets the model, treatment, folds, seed and
    extensions.
    """
    ranking, calibration = [], []
    extensions = list(extensions)
    for dataset in datasets:
        predictions = train_folds(
            dataset,
            model=model,
            treatment=treatment,
            folds=folds,
            seed=seed,
            extensions=extensions,
        )
        ranking.append(held_out_ranking(predictions, dataset))
        calibration.append(held_out_calibration(predictions, dataset))
    ranks, scores = (pd.concat(rows, ignore_index=True) for rows in (ranking, calibration))
    return (
        (ranks, ranking_display(ranks, folds=folds, title=title)),
        (scores, calibration_display(scores, title=title)),
    )


def held_out_ranking(predictions: pd.DataFrame, dataset: PreparedDataset) -> pd.DataFrame:
    """Return AUC and xAUC of all items and test their differences, for each sensitive attribute.

    `standard_error` is DeLong's; `pvalue` is of one difference, by `xauc`, not adjusted (Kallus and
    Zhou, 2019, Definitions 2 and 3).
    """
    rows = []
    for attribute, (labels, scores, group) in _items(predictions, dataset):
        result = xauc(labels, scores, sensitive_features=group, correction="none")
        rows += [{"attribute": attribute, **row} for row in _measures(result)]
    return _with_dataset(rows, dataset)


def _measures(result: RankingResult) -> Iterator[Record]:
    rates = result.rates()
    everyone = (rates["positive"] == ALL) & (rates["negative"] == ALL)
    for row in pd.concat([rates[everyone], rates[~everyone]]).to_dict("records"):
        positive, negative = row["positive"], row["negative"]
        name = NAMES[row["measure"]].format(positive=positive, negative=negative)
        yield {
            "measure": "AUC" if positive == negative == ALL else name,
            "estimate": row["estimate"],
            "standard_error": row["standard_error"],
            "pvalue": np.nan,
            "positives": row["positives"],
            "negatives": row["negatives"],
        }
    positives, negatives = rates.loc[everyone, ["positives", "negatives"]].to_numpy()[0]
    errors = np.sqrt(difference_variances(result.rates_of_all))
    tests = result.to_frame()
    for measure, error, (estimate, p) in zip(
        MEASURES, errors, tests[["estimate", "pvalue"]].to_numpy(), strict=True
    ):
        yield {
            "measure": f"Δ{measure}",
            "estimate": -estimate,  # the paper's difference: the first group minus the second
            "standard_error": error,
            "pvalue": p,
            "positives": positives,
            "negatives": negatives,
        }


def held_out_calibration(predictions: pd.DataFrame, dataset: PreparedDataset) -> pd.DataFrame:
    """Return how far scores are from the shares of label 1, for all items and each group.

    `standard_error` is that of the deviation if the scores are right; NaN stands for no slope.
    """
    rows = []
    for attribute, (labels, scores, group) in _items(predictions, dataset):
        for name, member in ((ALL, group >= 0), ("0", group == 0), ("1", group == 1)):
            fit = _calibration(labels[member], scores[member])
            rows.append({"attribute": attribute, "group": name, **fit})
    return _with_dataset(rows, dataset)


def _calibration(labels: Integers, scores: Floats) -> dict[str, float]:
    try:
        fit = calibration_slope(labels.astype(np.float64), inner_log_odds(scores)[0])
        slope, slope_error = fit.slope, float(np.sqrt(fit.variance))
    except InputError:  # labels of one kind, or which the scores separate
        slope = slope_error = np.nan
    return {
        "n": len(labels),
        "score": scores.mean(),
        "observed": labels.mean(),
        "deviation": calibration_deviation(labels, scores),
        "standard_error": np.sqrt((scores * (1 - scores)).sum()) / len(labels),
        "slope": slope,
        "slope_error": slope_error,
    }


def calibration_deviation(labels: Integers, scores: Floats) -> float:
    """Return the mean over items of |mean score − share of label 1| in ten bins of the score.

    >>> scores = np.array([0.5, 0.5, 0.9, 0.9])
    >>> round(calibration_deviation(np.array([0, 1, 1, 1]), scores), 3)
    0.05
    """
    bins = np.digitize(scores, BINS[1:-1])
    return float(np.abs(np.bincount(bins, labels - scores)).sum() / len(labels))


def ranking_display(rows: pd.DataFrame, *, folds: int, title: str) -> Display:
    """Lay out `held_out_ranking` of several data sets, a row for each attribute."""
    shown = {}
    for (dataset, attribute), part in rows.groupby(["dataset", "attribute"], sort=False):
        measured = part.set_index("measure").to_dict("index")
        total = measured["AUC"]
        texts = {"items": f"{total['positives'] + total['negatives']:,}"}
        for measure in MEASURES:
            row = measured[f"Δ{measure}"]
            texts[f"Δ{measure}"] = _with_error(row["estimate"], row["standard_error"], sign=True)
            texts[f"Δ{measure}: p"] = pvalue(row["pvalue"])
        shown[f"{label(str(dataset))}, {attribute}"] = texts
    table = pd.DataFrame.from_dict(shown, orient="index").rename_axis("row")
    note = RANKING_NOTE.format(folds=folds - 1, all=folds)
    return Display(table, f"{title}: ranking of all held-out items", note)


def calibration_display(rows: pd.DataFrame, *, title: str) -> Display:
    """Lay out `held_out_calibration` of several data sets, a row for each group."""
    shown = {}
    for row in rows.to_dict("records"):
        group = "all" if row["group"] == ALL else f"group {row['group']}"
        shown[f"{label(row['dataset'])}, {row['attribute']}, {group}"] = {
            "items": f"{row['n']:,}",
            "mean score": decimals(row["score"], 3),
            "share of label 1": decimals(row["observed"], 3),
            "deviation": _with_error(row["deviation"], row["standard_error"]),
            "slope": _with_error(row["slope"], row["slope_error"]),
        }
    table = pd.DataFrame.from_dict(shown, orient="index").rename_axis("row")
    return Display(table, f"{title}: calibration of all held-out items", CALIBRATION_NOTE)


def _with_error(value: float, error: float, *, sign: bool = False) -> str:
    if not np.isfinite(value):
        return MISSING
    return f"{decimals(value, 3, sign=sign)} ± {decimals(error, 3)}"


def _items(
    predictions: pd.DataFrame, dataset: PreparedDataset
) -> Iterator[tuple[str, tuple[Integers, Floats, Integers]]]:
    """Yield, for each sensitive attribute, label, score and group of each item."""
    item, score = positions(predictions, dataset), predictions["score"].to_numpy()
    for column, attribute in enumerate(dataset.attributes):
        yield attribute, (dataset.label[item], score, dataset.sensitive[item, column])


def _with_dataset(rows: list[Record], dataset: PreparedDataset) -> pd.DataFrame:
    frame = pd.DataFrame(rows)
    frame.insert(0, "dataset", dataset.name)
    return frame
