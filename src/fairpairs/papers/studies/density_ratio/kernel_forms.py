"""Kernel classifiers with an intercept, and without, as the package (Tables 1 and 8)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairpairs.base.plain_values import Content, TableRow
from fairpairs.papers.published.cells import PRINTED, values_of
from fairpairs.papers.published.table import Key, PublishedTable
from fairpairs.papers.studies.density_ratio import measured
from fairpairs.papers.studies.density_ratio.cells import correlation_of
from fairpairs.papers.studies.density_ratio.measured import Form
from fairpairs.papers.studies.density_ratio.synthetic import KERNEL_CLASSIFIERS, STUDIED, in_form

KEYS = ("coefficient", "cap", "measure", "first", "second", "dataset")
#: Columns of the table: a kernel classifier in the right form, and in the published one.
FORMS = ("with_intercept", "as_published")


def kernel_rows(
    published: Sequence[PublishedTable], correlations: pd.DataFrame
) -> tuple[pd.DataFrame, Content]:
    """Put both forms of kernel classifiers beside the printed correlations; and their distances.

    They are correlations of two classifiers, one of them with a kernel; of cells with the same key,
    the first counts. Ours are NaN if the run has none.
    """
    find = correlation_of(correlations)
    found: dict[tuple[str | float, ...], list[float]] = {}
    for table in published:
        for printed, key in table.cells[["published", "key"]].itertuples(index=False):
            with_kernel = {key["first"], key["second"]} & {*KERNEL_CLASSIFIERS}
            if with_kernel and key.get("basis") != PRINTED:
                first, second = sorted((key["first"], key["second"]), key=list(STUDIED).index)
                ordered = {**key, "first": first, "second": second}
                matches = [find(_in_form(ordered, form)) for form in measured.FORMS]
                values = [row["value"] if row else np.nan for row in matches]
                found.setdefault(values_of(ordered, KEYS), [printed, *values])
    keys = pd.DataFrame(found.keys(), columns=list(KEYS))
    rows = keys.join(pd.DataFrame([*found.values()], columns=["published", *FORMS]))
    return rows, {"distances": distances(rows)}


def _in_form(key: Key, form: Form) -> Key:
    """Return the key of a correlation in the run, with its kernel classifiers in a form."""
    names = {name: in_form(name, form) for name in KERNEL_CLASSIFIERS}
    pair = {position: names.get(key[position], key[position]) for position in ("first", "second")}
    return {**key, **pair, "form": "published"}


def distances(rows: pd.DataFrame) -> list[TableRow]:
    """Return the mean distance of each form from printed correlations with logistic regression."""
    logistic = rows[(rows["cap"] == 0) & (rows["first"] == "logistic")]
    far = logistic[list(FORMS)].sub(logistic["published"], axis=0).abs()
    means = far.groupby([logistic["coefficient"], logistic["second"]], sort=False).mean()
    return [*means.reset_index().to_dict("records")]
