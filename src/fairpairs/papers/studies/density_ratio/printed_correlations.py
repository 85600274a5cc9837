"""Printed correlations of real data: their asterisks, and two forms of their kernels."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

from fairpairs.papers.published.cells import PRINTED, values_of
from fairpairs.papers.published.table import MARK, Key, PublishedTable
from fairpairs.papers.published.verdicts import AGREES, DIFFERS, NOT_COMPARABLE
from fairpairs.papers.studies.density_ratio import measured
from fairpairs.papers.studies.density_ratio.cells import HALF, LEVEL, correlation_of
from fairpairs.papers.studies.density_ratio.measured import Form
from fairpairs.papers.studies.density_ratio.synthetic import KERNEL_CLASSIFIERS, STUDIED, in_form

#: The paper's regressors.
REGRESSORS = 22
ROUNDING = "the printed digits leave it open"
TIES = "ties, of which nothing is printed, may explain it"
KEYS = ("coefficient", "cap", "measure", "first", "second", "dataset")
#: Columns of the table: a kernel classifier in the right form, and in the published one.
FORMS = ("with_intercept", "as_published")


def least_significant(coefficient: str, n: int) -> tuple[float, float]:
    """Return the least |correlation| of n items with p < 0.05, without ties and with the most ties.

    Spearman's is tested by Student's t of n − 2, as in scipy, whether there are ties or not;
    Kendall's by the normal distribution. Of ties, two measures of two values each need the largest
    Kendall's coefficient, which is then the phi of a 2 × 2 table.
    """
    if coefficient == "spearman":
        t = stdtrit(n - 2, 1 - LEVEL / 2)
        least = float(t / np.sqrt(n - 2 + t * t))
        return least, least
    z = -ndtri(LEVEL / 2)
    return float(z * np.sqrt(2 * (2 * n + 5) / (9 * n * (n - 1)))), float(z / np.sqrt(n - 1))


def asterisk_rows(published: Sequence[PublishedTable], correlations: pd.DataFrame) -> pd.DataFrame:
    """Compare every printed asterisk with the printed correlation, and with ours.

    The verdict is whether the asterisk, or its absence, follows from what is printed: "not
    comparable" if rounding or ties leave it open.
    """
    find, parts = correlation_of(correlations), []
    for table in published:
        cells = table.cells
        least, with_ties = least_significant(cells["key"].iloc[0]["coefficient"], REGRESSORS)
        starred, size = cells["published_mark"] == MARK, cells["published"].abs()
        low, high = size - HALF, size + HALF
        open_by = np.select(
            [(low < least) & (high >= least), ~starred & (low >= least) & (low < with_ties)],
            [ROUNDING, TIES],
            "",
        )
        follows = np.where(starred == (low >= least), AGREES, DIFFERS)
        ours = [find(key) or {} for key in cells["key"]]
        part = cells[["row", "column", "published"]].assign(
            published_asterisk=starred.astype(int),
            verdict=np.where(open_by == "", follows, NOT_COMPARABLE),
            note=open_by,
            value=[row.get("value", np.nan) for row in ours],
            pvalue=[row.get("pvalue", np.nan) for row in ours],
        )
        part.insert(0, "table", table.spec["table"])
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def kernel_rows(published: Sequence[PublishedTable], correlations: pd.DataFrame) -> pd.DataFrame:
    """Put both forms of kernel classifiers beside the printed correlations.

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
    return keys.join(pd.DataFrame([*found.values()], columns=["published", *FORMS]))


def _in_form(key: Key, form: Form) -> Key:
    """Return the key of a correlation in the run, with its kernel classifiers in a form."""
    names = {name: in_form(name, form) for name in KERNEL_CLASSIFIERS}
    pair = {position: names.get(key[position], key[position]) for position in ("first", "second")}
    return {**key, **pair, "form": "published"}
