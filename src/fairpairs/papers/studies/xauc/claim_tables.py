"""The tables that the checks of the conclusions read, and how they write numbers."""

from collections.abc import Iterable

import numpy as np

from fairpairs.base.arrays import Series
from fairpairs.base.texts import decimals
from fairpairs.mathematics.inference.results import adjusted
from fairpairs.papers.plan.claim_tests import LEVEL, Mean
from fairpairs.papers.plan.claims import CannotTellError, row, table
from fairpairs.papers.plan.results import Results

Name = tuple[str, str]

LOGISTIC, RANKBOOST = (
    f"tables/xauc/ranking_{model}.csv" for model in ("logistic_regression", "rankboost")
)
HELD_OUT, CALIBRATION = (
    f"tables/xauc/{kind}/ranking_logistic_regression.csv" for kind in ("held_out", "calibration")
)
TABLE_1, SECTION_6 = (f"tables/xauc/{name}.csv" for name in ("table_1", "section_6"))
NORMAL_SCORES = "tables/xauc/normal_scores.csv"
#: Data set and attribute of Table 1, in its order → what the paper calls it.
NAMES: dict[Name, str] = {
    ("compas_filtered", "race"): "COMPAS",
    ("framingham", "sex"): "Framingham",
    ("german_age_25", "age"): "German credit",
    ("adult", "race"): "Adult",
}
COMPAS, FRAMINGHAM, GERMAN, ADULT = NAMES
#: Framingham without the feature that is known only later, and with the label of the text.
WITHOUT_FOLLOWUP = ("framingham_without_followup", "sex")
TEN_YEARS = ("framingham_ten_years", "sex")
#: What the printed numbers of Framingham rest on; it follows "of Framingham".
LEAK = (
    "are met only, of the codings that we tried, with the disease at any time as the label and the "
    "time to the event, which is known only later, as a feature"
)
TEXT = ("dataset", "attribute", "treatment", "measure", "group")


def over_splits(results: Results, name: Name, measure: str, file: str = LOGISTIC) -> Mean:
    """Return the mean of a measure over the splits."""
    cells = _split_row(results, name, measure, file)
    return Mean(cells["mean"], cells["standard_error"], cells["repeats"])


def one_test_set(results: Results, name: Name, measure: str, file: str = LOGISTIC) -> Mean:
    """Return the mean over the splits with DeLong's standard error of one test set."""
    cells = _split_row(results, name, measure, file)
    return Mean(cells["mean"], float(cells["own_error"]))


def rejected(results: Results, name: Name, measure: str, file: str = LOGISTIC) -> float:
    """Return the share of test sets on which the test of a difference rejects."""
    return float(_split_row(results, name, measure, file)["rejected"])


def held_out(results: Results, name: Name, measure: str) -> Series:
    """Return the row of a measure on all held-out items."""
    dataset, attribute = name
    frame = table(results, HELD_OUT, text=TEXT)
    cells = row(frame, dataset=dataset, attribute=attribute, measure=measure)
    if not np.isfinite([cells["estimate"], cells["standard_error"]]).all():
        raise CannotTellError("The run has not all numbers that it rests on.", HELD_OUT)
    return cells


def held_out_mean(results: Results, name: Name, measure: str) -> Mean:
    """Return a measure of all held-out items with DeLong's standard error."""
    cells = held_out(results, name, measure)
    return Mean(cells["estimate"], cells["standard_error"])


def signs(rows: Iterable[Series]) -> list[int]:
    """Return the sign of each difference on all held-out items, 0 if not significant (Holm)."""
    gaps = list(rows)
    pvalues = adjusted(np.array([gap["pvalue"] for gap in gaps], dtype=np.float64), "holm")
    return [
        int(np.sign(gap["estimate"])) if p < LEVEL else 0
        for gap, p in zip(gaps, pvalues, strict=True)
    ]


def printed(results: Results, row_name: str) -> dict[Name, tuple[float, float]]:
    """Return the two printed numbers of each data set in a row of Table 1."""
    cells = row(table(results, TABLE_1, text=("row",)), row=row_name)
    values = [float(cells[column]) for column in cells.index if column.endswith("(published)")]
    return dict(zip(NAMES, zip(values[::2], values[1::2], strict=True), strict=True))


def size(mean: Mean) -> Mean:
    """Return the size of a difference."""
    return Mean(abs(mean.value), mean.error, mean.runs)


def with_error(mean: Mean, *, sign: bool = False) -> str:
    """Write a mean with its error."""
    return f"{decimals(mean.value, 3, sign=sign)} ± {decimals(mean.error, 3)}"


def percent(value: float) -> str:
    """Write a share."""
    return f"{decimals(100 * value, 0)} %"


def _split_row(results: Results, name: Name, measure: str, file: str) -> Series:
    dataset, attribute = name
    frame = table(results, file, text=TEXT)
    return row(frame, dataset=dataset, attribute=attribute, treatment="none", measure=measure)
