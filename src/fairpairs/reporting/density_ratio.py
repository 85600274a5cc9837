"""The tables of the sensitivity study: how estimators of density ratios agree.

References
----------
*A Comprehensive Evaluation of the Sensitivity of Density-Ratio Estimation Based Fairness
Measurement in Regression*, all tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.stats import kendalltau, spearmanr

from fairpairs.experiments.density_ratio_study import STUDIED, TRUTHS
from fairpairs.files import write_text
from fairpairs.reporting.cells import Cell, distance_from_printed, reproduced
from fairpairs.reporting.tables import number, write_people_table

Coefficient = Literal["spearman", "kendall"]
#: What the paper calls the estimators → their names.
ESTIMATORS = {
    "Logistic Regression": "logistic",
    "Ridge": "ridge",
    "Lasso": "lasso",
    "KLR_Gaussian": "kernel_gaussian",
    "KLR_Polynomial": "kernel_polynomial",
}
COEFFICIENTS: tuple[Coefficient, ...] = ("spearman", "kendall")
TESTS: dict[str, Any] = {"spearman": spearmanr, "kendall": kendalltau}
#: Half a unit of the last printed digit.
HALF = 0.005
#: The cap of Tables 6, 7, 13 and 14, and the interval that they are of.
CAP, LAST = 0.99, "3 - 3.9"
#: Number of a table → coefficient, measure, and what its rows are.
KINDS: dict[int, tuple[Coefficient, str, str]] = {
    3: ("spearman", "independence", "intervals"),
    4: ("spearman", "independence", "truth"),
    5: ("spearman", "separation", "intervals"),
    6: ("spearman", "independence", "caps"),
    7: ("spearman", "separation", "caps"),
    10: ("kendall", "independence", "intervals"),
    11: ("kendall", "separation", "intervals"),
    12: ("kendall", "independence", "truth"),
    13: ("kendall", "independence", "caps"),
    14: ("kendall", "separation", "caps"),
}
KEYS = ["measure", "cap", "interval", "coefficient", "first", "second"]


def interval(mean: float) -> str:
    """Return the interval that a mean of group 1 falls into, in the paper's words."""
    return f"{int(mean)} - {int(mean)}.9"


def correlations(results: pd.DataFrame) -> pd.DataFrame:
    """Correlate every two estimators over the means of each interval, once a repeat.

    Parameters
    ----------
    results
        What `fairpairs.experiments.density_ratio_study.synthetic_study` returned, of all chunks.

    Returns
    -------
    DataFrame
        A row for each repeat, measure, cap (0 for none), interval, coefficient and two estimators,
        the truths among them: `value`, NaN where an estimate is missing or does not vary.
    """
    own = results.assign(interval=results["mean"].map(interval), cap=results["cap"].fillna(0.0))
    truths = own[own["estimator"].isin(TRUTHS)]  # which do not depend on a cap
    others = [cap for cap in own["cap"].unique() if cap > 0]
    own = pd.concat([own, *(truths.assign(cap=cap) for cap in others)], ignore_index=True)
    keys = ["repeat", "measure", "cap", "interval"]
    parts = []
    for key, part in own.groupby(keys, sort=False):
        wide = part.pivot(index="mean", columns="estimator", values="value")
        wide = wide[[name for name in (*STUDIED, *TRUTHS) if name in wide]]
        first, second = np.triu_indices(wide.shape[1], 1)
        for coefficient in COEFFICIENTS:
            matrix = wide.corr(method=coefficient, min_periods=len(wide)).to_numpy()
            parts.append(
                pd.DataFrame(
                    {
                        **dict(zip(keys, key, strict=True)),
                        "coefficient": coefficient,
                        "first": wide.columns[first],
                        "second": wide.columns[second],
                        "value": matrix[first, second],
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)


def table(kind: int, source: Mapping[str, pd.DataFrame]) -> Callable[[str, str], Cell | None]:
    """Reproduce a synthetic table: means over repeats, z against the spread of one repeat.

    Parameters
    ----------
    kind
        Number of the table.
    source
        The `correlations` and the `published` cells.
    """
    coefficient, measure, rows = KINDS[kind]
    frame = source["correlations"]
    own = frame[(frame["coefficient"] == coefficient) & (frame["measure"] == measure)]
    found = {
        key: part.dropna().to_numpy()
        for key, part in own.groupby(["cap", "interval", "first", "second"])["value"]
    }
    printed = source["published"].set_index(["row", "column"])["published"].to_dict()

    def cell(row: str, column: str) -> Cell | None:
        cap, where, other = 0.0, LAST, "population"
        if rows == "caps":
            when, other = row.split(" thresholding, ")
            cap = CAP if when == "after" else 0.0
        elif rows == "intervals":
            where, other = row.split(", ")
        else:
            where = row
        one, two = ESTIMATORS[column], ESTIMATORS.get(other, other)
        values = found.get((cap, where, one, two), found.get((cap, where, two, one)))
        if values is None or len(values) < 2:
            return None
        sd, value = float(values.std(ddof=1)), printed[row, column]
        return reproduced(
            values.mean(), sd / np.sqrt(len(values)), run_sd=sd,
            z=distance_from_printed(values, value - HALF, value + HALF),
        )  # fmt: skip

    return cell


#: Name of a published file → the function of its source that gives its cells.
TABLES: dict[str, Callable[[Any], Callable[[str, str], Cell | None]]] = {
    f"density_ratio_table_{kind}": partial(table, kind) for kind in KINDS
}


def estimator_rows(results: pd.DataFrame) -> pd.DataFrame:
    """Compare estimated with true independence: bias, spread, and how often there is no estimate.

    Parameters
    ----------
    results
        What `fairpairs.experiments.density_ratio_study.synthetic_study` returned.

    Returns
    -------
    DataFrame
        A row for each cap (0 for none), interval and estimator: `bias` and `sd` of the logarithm of
        the estimate over the true value of the population, `standard_error` of the bias, `failed`
        (the share without a finite estimate), `n`.
    """
    own = results[results["measure"] == "independence"].assign(
        interval=lambda frame: frame["mean"].map(interval),
        cap=lambda frame: frame["cap"].fillna(0.0),
    )
    truth = own[own["estimator"] == "population"].set_index(["repeat", "mean"])["value"]
    estimated = own[~own["estimator"].isin(TRUTHS)].join(
        truth.rename("truth"), on=["repeat", "mean"]
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        estimated["error"] = np.log(estimated["value"] / estimated["truth"])
    estimated["failed"] = ~np.isfinite(estimated["error"])
    estimated["error"] = estimated["error"].where(~estimated["failed"])
    return estimated.groupby(["cap", "interval", "estimator"], sort=False).agg(
        bias=("error", "mean"),
        sd=("error", "std"),
        standard_error=("error", "sem"),
        failed=("failed", "mean"),
        n=("failed", "size"),
    ).reset_index()  # fmt: skip


def write_density_ratio_tables(
    found: pd.DataFrame, results: pd.DataFrame, stem: str | Path, estimators_stem: str | Path
) -> None:
    """Write all correlations as stem.csv, and how far estimators are from the truth.

    Parameters
    ----------
    found
        What `correlations` returned.
    results
        The results of the study.
    stem, estimators_stem
        Where the two go; the second also as .md and .tex.
    """
    grouped = found.groupby(KEYS, sort=False)["value"]
    summary = grouped.agg(mean="mean", sd="std", one_seed="first", repeats="count").reset_index()
    write_text(Path(stem).with_suffix(".csv"), summary.to_csv(index=False))
    rows = estimator_rows(results)
    write_text(Path(estimators_stem).with_suffix(".csv"), rows.to_csv(index=False))
    texts = rows.assign(
        line=rows["estimator"] + rows["cap"].map(lambda cap: f", cap {cap:g}" if cap else ""),
        text=[
            f"{number(bias, 2)} ± {number(sd, 2)}" + (f" ({failed:.0%} failed)" if failed else "")
            for bias, sd, failed in rows[["bias", "sd", "failed"]].to_numpy()
        ],
    )
    lines = list(dict.fromkeys(texts["line"]))
    people = texts.pivot(index="line", columns="interval", values="text").loc[lines]
    write_people_table(
        people.rename_axis("estimator \\ mean of group 1"),
        Path(estimators_stem),
        title="Independence: logarithm of the estimate over the true value",
        note=(
            "Mean ± spread of one data set, over the ten means of an interval and all seeds. 0 is "
            "right; −0.69 is half the true ratio. The true value is the population's, "
            "(1 + exp(m²)) / 2."
        ),
    )


# the real study

#: What the paper calls estimators that match ratios → their names.
MATCHED = {
    "LSIF": "ulsif",
    "uLSIF = 0.25": "rulsif_0.25",
    "uLSIF = 0.5": "rulsif_0.5",
    "uLSIF = 0.75": "rulsif_0.75",
    "uLSIF = 1": "rulsif_1",
}
#: What the paper calls the data sets → their names.
DATASETS = {"Law School": "law_school", "Communities": "communities", "Insurance": "insurance"}
#: Number of a table of the real study → coefficient.
REAL: dict[int, Coefficient] = {1: "spearman", 2: "spearman", 8: "kendall", 9: "kendall"}
#: Pairs of estimators whose mean correlation sums the study up.
GROUPS = {
    "linear classifiers among one another": (("logistic", "ridge", "lasso"),) * 2,
    "linear with kernel classifiers": (
        ("logistic", "ridge", "lasso"),
        ("kernel_gaussian", "kernel_polynomial"),
    ),
    "linear classifiers with uLSIF and RuLSIF": (
        ("logistic", "ridge", "lasso"),
        ("ulsif", "rulsif_0.25", "rulsif_0.5", "rulsif_0.75"),
    ),
    "uLSIF and RuLSIF among one another": (("ulsif", "rulsif_0.25", "rulsif_0.5", "rulsif_0.75"),)
    * 2,
}
FORMS = ("quotient", "published")


def regressor_correlations(measures: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Correlate every two estimators over the regressors of each data set.

    Parameters
    ----------
    measures
        What `fairpairs.experiments.regressor_study.measure_regressors` returned, by data set.

    Returns
    -------
    DataFrame
        A row for each data set, form, cap (0 for none), measure, coefficient and two estimators:
        `value`, `pvalue` and `n`, the number of regressors that both have; NaN below three, or
        where one does not vary. Classifiers are the same in both forms.
    """
    rows = []
    for dataset, frame in measures.items():
        ratios = frame[frame["form"] != ""]
        classifiers = ratios[~ratios["estimator"].isin(MATCHED.values())]
        for form in FORMS:
            own = ratios[ratios["form"] == form]
            if form == "published":
                own = pd.concat([classifiers, own[own["estimator"].isin(MATCHED.values())]])
            for (cap, measure), part in own.groupby(["cap", "measure"], sort=False):
                wide = part.pivot(index="regressor", columns="estimator", values="value")
                names = [name for name in [*STUDIED, "lsif", *MATCHED.values()] if name in wide]
                for i, first in enumerate(names):
                    for second in names[i + 1 :]:
                        pair = wide[[first, second]].dropna().to_numpy()
                        for name, coefficient in TESTS.items():
                            value = pvalue = np.nan
                            if len(pair) > 2 and (np.ptp(pair, axis=0) > 0).all():
                                value, pvalue = coefficient(pair[:, 0], pair[:, 1])
                            key = (dataset, form, cap, measure, name, first, second)
                            rows.append((*key, value, pvalue, len(pair)))
    columns = ["dataset", "form", "cap", "measure", "coefficient", "first", "second"]
    return pd.DataFrame(rows, columns=[*columns, "value", "pvalue", "n"])


def real_table(kind: int, source: pd.DataFrame) -> Callable[[str, str], Cell | None]:
    """Redo a table of the real study from `regressor_correlations`, in the published form."""
    own = source[
        (source["coefficient"] == REAL[kind])
        & (source["form"] == "published")
        & (source["cap"] == 0)
    ]
    keys = zip(own["dataset"], own["measure"], own["first"], own["second"], strict=True)
    found = dict(zip(keys, own["value"], strict=True))

    def cell(row: str, column: str) -> Cell | None:
        (measure, one), (two, dataset) = row.split(", "), column.split(", ")
        pair = [{**ESTIMATORS, **MATCHED}[name] for name in (one, two)]
        for first, second in (pair, pair[::-1]):
            value = found.get((DATASETS[dataset], measure.lower(), first, second))
            if value is not None:
                return None if np.isnan(value) else reproduced(value)
        return None

    return cell


TABLES.update({f"density_ratio_table_{kind}": partial(real_table, kind) for kind in REAL})


def conclusion_rows(found: pd.DataFrame) -> pd.DataFrame:
    """Return how alike groups of estimators rank regressors: mean Spearman correlations.

    Parameters
    ----------
    found
        What `regressor_correlations` returned.

    Returns
    -------
    DataFrame
        A row for each data set, measure, form, cap and group of pairs: `mean`, `smallest` and the
        number of `pairs`.
    """
    own = found[(found["coefficient"] == "spearman") & found["value"].notna()]
    rows = []
    for (dataset, form, cap, measure), part in own.groupby(
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
    found: pd.DataFrame,
    stems: Mapping[str, str | Path],
) -> None:
    """Write the tables of the real study.

    Parameters
    ----------
    measures
        What `fairpairs.experiments.regressor_study.measure_regressors` returned, by data set.
    found
        What `regressor_correlations` returned of it.
    stems
        Where the tables go: `correlations` (CSV only), `conclusions` (how alike estimators rank)
        and `regressors` (what each regressor is measured as), both also as .md and .tex.
    """
    write_text(Path(stems["correlations"]).with_suffix(".csv"), found.to_csv(index=False))
    rows = conclusion_rows(found)
    write_text(Path(stems["conclusions"]).with_suffix(".csv"), rows.to_csv(index=False))
    shown = rows[rows["cap"].isin([0, CAP])]
    shown = shown.assign(
        line=shown["measure"] + ", " + shown["pairs of estimators"],
        column=shown["dataset"] + ", " + shown["form"] + shown["cap"].map(
            lambda cap: f", cap {cap:g}" if cap else ""
        ),
        text=[
            f"{number(mean, 2)} ({number(least, 2)})"
            for mean, least in shown[["mean", "smallest"]].to_numpy()
        ],
    )  # fmt: skip
    lines, columns = (list(dict.fromkeys(shown[axis])) for axis in ("line", "column"))
    people = shown.pivot(index="line", columns="column", values="text").loc[lines, columns]
    write_people_table(
        people.fillna("–").rename_axis("measure, estimators"),
        Path(stems["conclusions"]),
        title="Do estimators of density ratios rank regressors alike?",
        note=(
            "Mean Spearman correlation over pairs of estimators (the smallest), over regressors. "
            "Quotient: separation and sufficiency as defined; published: as in the public code, "
            "where uLSIF's ratios are multiplied and relative ratios stand for ratios."
        ),
    )
    parts = []
    for dataset, frame in measures.items():
        own = frame[(frame["cap"] == 0) & frame["form"].isin(["quotient", ""])]
        own = own.assign(column=own["estimator"] + ", " + own["measure"])
        wide = own.pivot(index="regressor", columns="column", values="value")
        wide.insert(0, "dataset", dataset)
        parts.append(wide.reset_index())
    table = pd.concat(parts, ignore_index=True)
    write_text(Path(stems["regressors"]).with_suffix(".csv"), table.to_csv(index=False))
    texts = pd.DataFrame(
        {
            name: table[column].map(partial(_digits, digits=digits))
            for name, column, digits in (
                ("R²", "accuracy, R²", 2),
                ("independence", "logistic, independence", 2),
                ("separation", "logistic, separation", 2),
                ("sufficiency", "logistic, sufficiency", 2),
                ("I_sep, cross-fitted", "information, separation", 3),
                ("comparative separation, p", "comparative_separation, p", 3),
            )
        }
    )
    texts.index = pd.Index(table["dataset"] + ", " + table["regressor"], name="")
    write_people_table(
        texts,
        Path(stems["regressors"]),
        title="Fairness of regressors: ratios by logistic regression, and comparative separation",
        note=(
            "Ratios of group 1 over group 0, 1 where the notion holds; I_sep is the share of the "
            "group's entropy given the label that the prediction tells; the joint p-value of "
            "comparative separation on all pairs, labels balanced. Kernel methods and the Gaussian "
            "process are fitted on at most 2,000 items."
        ),
    )


def _digits(value: float, digits: int) -> str:
    return number(value, digits)
