"""How estimators rank regressors (Tables 1, 2, 8 and 9), and what a cap changes."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from fairpairs.base.files import write_parquet
from fairpairs.base.plain_values import Record
from fairpairs.base.texts import decimals
from fairpairs.papers.display.tables import Display, write_table
from fairpairs.papers.studies.density_ratio.measured import FORMS
from fairpairs.papers.studies.density_ratio.synthetic import (
    AS_PUBLISHED,
    KERNEL_CLASSIFIERS,
    STUDIED,
)

#: Without a cap, probabilities of a group above this are counted.
SURE = 0.999
#: Estimators that match ratios.
MATCHED = ("ulsif", "rulsif_0.25", "rulsif_0.5", "rulsif_0.75", "rulsif_1")
#: Estimators in the order of the tables.
ORDER = (*STUDIED, *AS_PUBLISHED, "lsif", *MATCHED)
#: The cap of the study, whose conclusions are shown beside those without one.
CAP = 0.99
LINEAR = ("logistic", "ridge", "lasso")
#: Estimators that match ratios; with α = 1 the relative ratio is 1 everywhere.
RELATIVE = MATCHED[:-1]
#: Pairs of estimators whose mean correlation sums the study up.
GROUPS = {
    "linear classifiers among one another": (LINEAR, LINEAR),
    "linear with kernel classifiers": (LINEAR, tuple(KERNEL_CLASSIFIERS)),
    "linear with kernel classifiers as published": (LINEAR, tuple(AS_PUBLISHED)),
    "linear classifiers with uLSIF and RuLSIF": (LINEAR, RELATIVE),
    "uLSIF and RuLSIF among one another": (RELATIVE, RELATIVE),
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
        ratios = frame[frame["form"] != ""]
        classifiers = ratios[~ratios["estimator"].isin(MATCHED)]
        for form in FORMS:
            subset = ratios[ratios["form"] == form]
            if form == "published":
                subset = pd.concat([classifiers, subset[subset["estimator"].isin(MATCHED)]])
            for (cap, measure), part in subset.groupby(["cap", "measure"], sort=False):
                wide = part.pivot(index="regressor", columns="estimator", values="value")
                names = [name for name in ORDER if name in wide]
                values = {name: wide[name].to_numpy() for name in names}
                for i, first in enumerate(names):
                    for second in names[i + 1 :]:
                        pair = np.column_stack([values[first], values[second]])
                        pair = pair[~np.isnan(pair).any(axis=1)]
                        for name, coefficient in tests.items():
                            value = pvalue = np.nan
                            if len(pair) > 2 and (np.ptp(pair, axis=0) > 0).all():
                                value, pvalue = coefficient(pair[:, 0], pair[:, 1])
                            key = (dataset, form, cap, measure, name, first, second)
                            rows.append((*key, value, pvalue, len(pair)))
    columns = ["dataset", "form", "cap", "measure", "coefficient", "first", "second"]
    return pd.DataFrame(rows, columns=[*columns, "value", "pvalue", "n"])


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
            rows.append(
                {
                    "dataset": dataset,
                    "cap": cap,
                    "regressor": regressor,
                    "independence": values[regressor],
                    "median": values.median(),
                    "smallest": values.min(),
                    "largest": values.max(),
                    "items": np.nan if p.isna().any() else int((p > (cap or SURE)).sum()),
                    "tested": len(p),
                    "failed": int(values.isna().sum()),
                }
            )
    return pd.DataFrame(rows)


def conclusion_rows(correlations: pd.DataFrame) -> pd.DataFrame:
    """Return how alike groups of estimators rank regressors: their mean Spearman correlations."""
    spearman = correlations[
        (correlations["coefficient"] == "spearman") & correlations["value"].notna()
    ]
    rows = []
    for (dataset, form, cap, measure), part in spearman.groupby(
        ["dataset", "form", "cap", "measure"], sort=False
    ):
        for group, (left, right) in GROUPS.items():
            inside = (part["first"].isin(left) & part["second"].isin(right)) | (
                part["first"].isin(right) & part["second"].isin(left)
            )
            values = part[inside]["value"]
            if len(values):
                key = (dataset, measure, form, cap, group)
                rows.append((*key, values.mean(), values.min(), len(values)))
    columns = ["dataset", "measure", "form", "cap", "pairs of estimators"]
    return pd.DataFrame(rows, columns=[*columns, "mean", "smallest", "pairs"])


def write_regressor_tables(
    measures: Mapping[str, pd.DataFrame],
    probabilities: Mapping[str, pd.DataFrame],
    correlations: str | Path,
    capped: str | Path,
    table: str | Path,
) -> None:
    """Write the correlations and the caps of the real study, and its tables beside `table`.

    They are `regressor_correlations` (CSV only), `conclusions` (how alike estimators rank),
    `regressors` (what each regressor is measured as) and `caps`.
    """
    found, caps = regressor_correlations(measures), cap_rows(measures, probabilities)
    write_parquet(correlations, found)
    write_parquet(capped, caps)
    folder = Path(table).parent
    write_table(table, found)
    write_table(folder / "caps", caps, caps_display(caps))
    rows = conclusion_rows(found)
    write_table(folder / "conclusions", rows, conclusions_display(rows))
    rows = measure_rows(measures)
    write_table(folder / "regressors", rows, measures_display(rows))


def conclusions_display(rows: pd.DataFrame) -> Display:
    """Return `conclusion_rows` in words, measures and estimators down, data sets across."""
    shown = rows[rows["cap"].isin([0, CAP])]
    caps = shown["cap"].map(lambda cap: f", cap {cap:g}" if cap else "")
    shown = shown.assign(
        line=shown["measure"] + ", " + shown["pairs of estimators"],
        column=shown["dataset"] + ", " + shown["form"] + caps,
        text=[
            f"{decimals(mean, 2)} ({decimals(least, 2)})"
            for mean, least in shown[["mean", "smallest"]].to_numpy()
        ],
    )
    lines, columns = (list(dict.fromkeys(shown[axis])) for axis in ("line", "column"))
    table = shown.pivot(index="line", columns="column", values="text").loc[lines, columns]
    return Display(
        table.fillna("–").rename_axis("measure, estimators"),
        title="Do estimators of density ratios rank regressors alike?",
        note=(
            "Mean Spearman correlation over pairs of estimators (the smallest), over regressors. "
            "Quotient: separation and sufficiency as defined; published: as in the public code, "
            "where uLSIF's ratios are multiplied and relative ratios stand for ratios. Kernel "
            "classifiers as published: of the cited R package, which lack the intercept."
        ),
    )


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


def measures_display(table: pd.DataFrame) -> Display:
    """Return `measure_rows` in words."""
    texts = pd.DataFrame(
        {
            name: table[column].map(partial(decimals, digits=digits))
            for name, column, digits in (
                ("R²", "accuracy, R²", 2),
                ("independence", "logistic, independence", 2),
                ("separation", "logistic, separation", 2),
                ("sufficiency", "logistic, sufficiency", 2),
                ("separation, p", "permutation, separation", 2),
                ("I_sep, cross-fitted", "information, separation", 3),
                ("comparative separation, p", "comparative_separation, p", 3),
            )
        }
    )
    texts.index = pd.Index(table["dataset"] + ", " + table["regressor"], name="")
    return Display(
        texts,
        title="Fairness of regressors: ratios by logistic regression, and comparative separation",
        note=(
            "Ratios of group 1 over group 0, 1 where the notion holds; I_sep is the share of the "
            "group's entropy given the label that the prediction tells. The first p-value is that "
            "of separation, the groups shuffled within labels; the second the joint one of "
            "comparative separation on all pairs, labels balanced. Kernel methods and the Gaussian "
            "process are fitted on at most 2,000 items."
        ),
    )


def caps_display(rows: pd.DataFrame) -> Display:
    """Return `cap_rows` in words."""
    texts = pd.DataFrame(
        {
            "regressor": rows["regressor"],
            "independence": rows["independence"].map(partial(decimals, digits=2)),
            "median of all regressors": rows["median"].map(partial(decimals, digits=2)),
            "smallest to largest": [
                f"{decimals(low, 2)} to {decimals(high, 2)}"
                for low, high in rows[["smallest", "largest"]].to_numpy()
            ],
            "regressors without an end": rows["failed"].astype(str),
            "items above": [
                f"{decimals(items, 0)} of {tested:,}"
                for items, tested in rows[["items", "tested"]].to_numpy()
            ],
        }
    )
    names = [f"cap {cap:g}" if cap else "no cap" for cap in rows["cap"]]
    texts.index = pd.Index(rows["dataset"] + ", " + pd.Series(names), name="data set, cap")
    return Display(
        texts,
        title="Independence by logistic regression, as its probabilities are capped",
        note=(
            "Items above: whose stated probability of group 1 lies above the cap "
            f"(above {SURE} where there is none). The paper's example on Communities has 79.78, "
            "46.17, 8.19 and 0.94, and 112 items above 0.999."
        ),
    )
