"""How estimators rank regressors (Tables 1, 2, 8 and 9), as we find and as printed."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

from fairpairs.base.plain_values import Record
from fairpairs.papers.published.cells import PRINTED, values_of
from fairpairs.papers.published.table import MARK, Key, PublishedTable
from fairpairs.papers.published.verdicts import AGREES, DIFFERS, NOT_COMPARABLE
from fairpairs.papers.studies.density_ratio import synthetic
from fairpairs.papers.studies.density_ratio.cells import HALF, LEVEL, correlation_of
from fairpairs.papers.studies.density_ratio.measured import FORMS, Form

#: Without a cap, probabilities of a group above this are counted.
SURE = 0.999
#: Estimators that match ratios.
MATCHED = ("ulsif", "rulsif_0.25", "rulsif_0.5", "rulsif_0.75", "rulsif_1")
#: Estimators in the order of the tables.
ORDER = (*synthetic.STUDIED, *synthetic.AS_PUBLISHED, "lsif", *MATCHED)
LINEAR = ("logistic", "ridge", "lasso")
#: Estimators that match ratios; with α = 1 the relative ratio is 1 everywhere.
RELATIVE = MATCHED[:-1]
#: Pairs of estimators whose mean correlation sums the study up.
GROUPS = {
    "linear classifiers among one another": (LINEAR, LINEAR),
    "linear with kernel classifiers": (LINEAR, tuple(synthetic.KERNEL_CLASSIFIERS)),
    "linear with kernel classifiers as published": (LINEAR, tuple(synthetic.AS_PUBLISHED)),
    "linear classifiers with uLSIF and RuLSIF": (LINEAR, RELATIVE),
    "uLSIF and RuLSIF among one another": (RELATIVE, RELATIVE),
}
KEYS = ["dataset", "form", "cap", "measure", "coefficient", "first", "second"]


def regressor_tables(
    measures: Mapping[str, pd.DataFrame], probabilities: Mapping[str, pd.DataFrame]
) -> dict[str, pd.DataFrame]:
    """Return the correlations and the caps of the real study, and its tables.

    They are `conclusions` (how alike estimators rank), `regressors` (what each regressor is
    measured as) and `caps`.
    """
    found, caps = regressor_correlations(measures), cap_rows(measures, probabilities)
    return {
        **{"correlations": found, "table": found, "capped": caps, "caps": caps},
        **{"conclusions": conclusion_rows(found), "regressors": measure_rows(measures)},
    }


def regressor_correlations(measures: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Correlate every two estimators over the regressors of each data set.

    `n` is the number of regressors that both have; a correlation is NaN below three, or if one does
    not vary. Classifiers are the same in both forms.
    """
    from scipy.stats import kendalltau, spearmanr  # noqa: PLC0415  (slow)

    tests: Record = {"spearman": spearmanr, "kendall": kendalltau}
    rows = []
    for dataset, frame in measures.items():
        classifier = (frame["form"] != "") & ~frame["estimator"].isin(MATCHED)
        for form in FORMS:
            subset = frame[(frame["form"] == form) | classifier]
            for (cap, measure), part in subset.groupby(["cap", "measure"], sort=False):
                wide = part.pivot(index="regressor", columns="estimator", values="value")
                for first, second in combinations([name for name in ORDER if name in wide], 2):
                    pair = wide[[first, second]].to_numpy()
                    pair = pair[~np.isnan(pair).any(axis=1)]
                    varies = len(pair) > 2 and (np.ptp(pair, axis=0) > 0).all()
                    for name, coefficient in tests.items():
                        found = coefficient(*pair.T) if varies else (np.nan, np.nan)
                        key = (dataset, form, cap, measure, name, first, second)
                        rows.append((*key, *found, len(pair)))
    return pd.DataFrame(rows, columns=[*KEYS, "value", "pvalue", "n"])


def cap_rows(
    measures: Mapping[str, pd.DataFrame], probabilities: Mapping[str, pd.DataFrame]
) -> pd.DataFrame:
    """Return how independence by logistic regression falls as its probabilities are capped.

    `independence` is of the regressor in `probabilities`; `items` counts its probabilities of group
    1 above the cap (NaN if the groups can be separated), `failed` the regressors without a finite
    ratio.
    """
    rows = []
    for dataset, frame in measures.items():
        stated = probabilities[dataset]
        regressor, p = stated["regressor"].iloc[0], stated["probability"]
        logistic = frame[(frame["estimator"] == "logistic") & (frame["measure"] == "independence")]
        for cap, part in logistic.groupby("cap", sort=False):
            values = part.set_index("regressor")["value"]
            above = np.nan if p.isna().any() else int((p > (cap or SURE)).sum())
            rows.append(
                {
                    **{"dataset": dataset, "cap": cap, "regressor": regressor},
                    **{"independence": values[regressor], "median": values.median()},
                    **{"smallest": values.min(), "largest": values.max(), "items": above},
                    **{"tested": len(p), "failed": int(values.isna().sum())},
                }
            )
    return pd.DataFrame(rows)


def conclusion_rows(correlations: pd.DataFrame) -> pd.DataFrame:
    """Return how alike groups of estimators rank regressors: their mean Spearman correlations."""
    spearman = correlations[correlations["coefficient"] == "spearman"].dropna(subset="value")
    rows = []
    for (dataset, form, cap, measure), part in spearman.groupby(KEYS[:4], sort=False):
        first, second = part["first"], part["second"]
        for name, (one, two) in GROUPS.items():
            inside = (first.isin(one) & second.isin(two)) | (first.isin(two) & second.isin(one))
            if len(values := part.loc[inside, "value"]):
                key = (dataset, measure, form, cap, name)
                rows.append((*key, values.mean(), values.min(), len(values)))
    columns = ["dataset", "measure", "form", "cap", "pairs of estimators"]
    return pd.DataFrame(rows, columns=[*columns, "mean", "smallest", "pairs"])


def measure_rows(measures: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the measures of each regressor without a cap, a column per estimator and measure."""
    parts = []
    for dataset, frame in measures.items():
        values = frame[(frame["cap"] == 0) & frame["form"].isin(["quotient", ""])]
        values = values.assign(column=values["estimator"] + ", " + values["measure"])
        wide = values.pivot(index="regressor", columns="column", values="value")
        wide.insert(0, "dataset", dataset)
        parts.append(wide.reset_index())
    return pd.concat(parts, ignore_index=True)


#: The paper's regressors.
REGRESSORS = 22
ROUNDING = "the printed digits leave it open"
TIES = "ties, of which nothing is printed, may explain it"
PRINTED_KEYS = ("coefficient", "cap", "measure", "first", "second", "dataset")
#: Columns of the table: a kernel classifier in the right form, and in the published one.
KERNEL_FORMS = ("with_intercept", "as_published")


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
            with_kernel = {key["first"], key["second"]} & {*synthetic.KERNEL_CLASSIFIERS}
            if with_kernel and key.get("basis") != PRINTED:
                first, second = sorted(
                    (key["first"], key["second"]), key=list(synthetic.STUDIED).index
                )
                ordered = {**key, "first": first, "second": second}
                matches = [find(_in_form(ordered, form)) for form in FORMS]
                values = [row["value"] if row else np.nan for row in matches]
                found.setdefault(values_of(ordered, PRINTED_KEYS), [printed, *values])
    keys = pd.DataFrame(found.keys(), columns=list(PRINTED_KEYS))
    return keys.join(pd.DataFrame([*found.values()], columns=["published", *KERNEL_FORMS]))


def _in_form(key: Key, form: Form) -> Key:
    """Return the key of a correlation in the run, with its kernel classifiers in a form."""
    names = {name: synthetic.in_form(name, form) for name in synthetic.KERNEL_CLASSIFIERS}
    pair = {position: names.get(key[position], key[position]) for position in ("first", "second")}
    return {**key, **pair, "form": "published"}
