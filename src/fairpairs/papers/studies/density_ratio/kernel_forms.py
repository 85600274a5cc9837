"""Kernel classifiers with an intercept, and without, as the package (Tables 1 and 8)."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from fairpairs.base.texts import decimals
from fairpairs.papers.display.tables import Display, write_table
from fairpairs.papers.published.cells import PRINTED, values_of
from fairpairs.papers.published.table import Key, PublishedTable
from fairpairs.papers.studies.density_ratio import measured
from fairpairs.papers.studies.density_ratio.cells import correlation_of
from fairpairs.papers.studies.density_ratio.measured import Form
from fairpairs.papers.studies.density_ratio.synthetic import KERNEL_CLASSIFIERS, STUDIED, in_form

KEYS = ("coefficient", "cap", "measure", "first", "second", "dataset")
#: Columns of the table: a kernel classifier in the right form, and in the published one.
FORMS = ("with_intercept", "as_published")
NOTE = (
    "Printed: with the intercept, without it. The intercept belongs into a probability; the R "
    "package KLR, which the paper cites, fits it and leaves it out when it predicts. Regressors "
    "and the split are ours; the width and the penalty are ours with the intercept, and the "
    "package's without it. Ridge and lasso, nearly as logistic regression, are in the CSV."
)


def kernel_rows(published: Iterable[pd.DataFrame], correlations: pd.DataFrame) -> pd.DataFrame:
    """Put both forms of kernel classifiers beside the printed correlations.

    They are correlations of two classifiers, one of them with a kernel; of cells with the same key,
    the first counts. Ours are NaN if the run has none.
    """
    find = correlation_of(correlations)
    rows: dict[tuple[str | float, ...], list[float]] = {}
    for cells in published:
        for printed, key in cells[["published", "key"]].itertuples(index=False):
            with_kernel = {key["first"], key["second"]} & {*KERNEL_CLASSIFIERS}
            if with_kernel and key.get("basis") != PRINTED:
                ordered = _in_order(key)
                matches = [find(_in_form(ordered, form)) for form in measured.FORMS]
                values = [row["value"] if row else np.nan for row in matches]
                rows.setdefault(values_of(ordered, KEYS), [printed, *values])
    keys = pd.DataFrame(rows.keys(), columns=list(KEYS))
    return keys.join(pd.DataFrame([*rows.values()], columns=["published", *FORMS]))


def _in_order(key: Key) -> Key:
    """Return the key of a cell with the two estimators in the order of the tables."""
    first, second = sorted((key["first"], key["second"]), key=list(STUDIED).index)
    return {**key, "first": first, "second": second}


def _in_form(key: Key, form: Form) -> Key:
    """Return the key of a correlation in the run, with its kernel classifiers in a form."""
    names = {name: in_form(name, form) for name in KERNEL_CLASSIFIERS}
    pair = {position: names.get(key[position], key[position]) for position in ("first", "second")}
    return {**key, **pair, "form": "published"}


def differences_from_printed(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the mean distance of each form from printed correlations with logistic regression."""
    logistic = rows[(rows["cap"] == 0) & (rows["first"] == "logistic")]
    distances = logistic[list(FORMS)].sub(logistic["published"], axis=0).abs()
    return distances.groupby([logistic["coefficient"], logistic["second"]], sort=False).mean()


def display(rows: pd.DataFrame) -> Display:
    """Return `kernel_rows` in words, pairs of classifiers down, data sets across.

    Ridge and lasso are left out without a cap: they are nearly as logistic regression.
    """
    shown = rows[rows["first"].isin(["logistic", *KERNEL_CLASSIFIERS]) | (rows["cap"] > 0)]
    pairs = shown["first"] + " with " + shown["second"]
    caps = shown["cap"].map(lambda cap: f", cap {cap:g}" if cap else "")
    texts = shown.assign(
        line=shown["coefficient"].str.capitalize() + ", " + shown["measure"] + ", " + pairs + caps,
        text=[
            f"{decimals(printed, 2)}: {decimals(ours, 2)}, {decimals(without, 2)}"
            for printed, ours, without in shown[["published", *FORMS]].to_numpy()
        ],
    )
    lines, columns = (list(dict.fromkeys(texts[axis])) for axis in ("line", "dataset"))
    table = texts.pivot(index="line", columns="dataset", values="text").loc[lines, columns]
    distances = [
        f"{coefficient.capitalize()}, {kernel} {decimals(ours, 2)} and {decimals(without, 2)}"
        for coefficient, kernel, ours, without in differences_from_printed(rows)
        .reset_index()
        .itertuples(index=False)
    ]
    return Display(
        table.fillna("–").rename_axis("classifiers"),
        title="Kernel classifiers on real data: printed, with the intercept, and without it",
        note=(
            f"{NOTE} Mean difference from the printed correlations with logistic regression, with "
            f"the intercept and without: {'; '.join(distances)}."
        ),
    )


def write_kernel_table(
    published: Sequence[PublishedTable], correlations: pd.DataFrame, stem: str | Path
) -> None:
    """Write `kernel_rows` as stem.csv, .md and .tex."""
    rows = kernel_rows([table.cells for table in published], correlations)
    write_table(stem, rows, display(rows))
