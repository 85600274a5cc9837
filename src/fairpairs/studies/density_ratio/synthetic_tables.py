"""How estimators of density ratios agree on synthetic data, and how near the truth they are.

References
----------
*A Comprehensive Evaluation of the Sensitivity of Density-Ratio Estimation Based Fairness
Measurement in Regression*, Tables 3 to 7 and 10 to 14.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.special import ndtr

from fairpairs.files import write_text
from fairpairs.output.tables import number, write_display_table
from fairpairs.published.cells import OURS, PRINTED, Cell, distance_from_printed, reproduced
from fairpairs.studies.density_ratio.synthetic import STUDIED, TRUTHS, in_form, matching_forms

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
#: Half a unit of the last printed digit.
HALF = 0.005
#: Items of each synthetic data set of the paper.
ITEMS = 1000
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
#: Estimators in the order of the tables.
ORDER = (*STUDIED, *(in_form(name, form) for name, form in matching_forms()), *TRUTHS)
KEYS = ["measure", "cap", "interval", "coefficient", "first", "second"]


def interval(mean: float) -> str:
    """Return the interval that a mean of group 1 falls into, in the paper's words."""
    return f"{int(mean)} - {int(mean)}.9"


def correlations(results: pd.DataFrame) -> pd.DataFrame:
    """Correlate every two estimators over the means of each interval, once a repeat.

    Parameters
    ----------
    results
        What `fairpairs.studies.density_ratio.synthetic.synthetic_study` returned, of all chunks.

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
        wide = wide[[name for name in ORDER if name in wide]]
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


def section_5_1(source: Mapping[str, Any]) -> Callable[[str, str], Cell | None]:
    """Redo numbers of the text of step 1: means of rows of Tables 4 and 12, and items above 0.9.

    Parameters
    ----------
    source
        What the `run` has (its `correlations`; None if none), the `printed` cells of the tables,
        by name, and the numbers of the `text`.
    """
    text = source["text"].set_index(["row", "column"])["published"].to_dict()

    def cell(row: str, column: str) -> Cell | None:
        if row == "Items above 0.9 at mean 2":
            return reproduced(items_above(0.9, 2, ITEMS))
        name, where = row.split(", mean of ")
        number = int(name.removeprefix("Table "))
        if column == PRINTED:
            own = source["printed"][f"density_ratio_table_{number}"]
            return reproduced(own.loc[own["row"] == where, "published"].mean())
        if column != OURS or source["run"] is None:
            return None
        found = source["run"]["correlations"]
        coefficient, measure, _ = KINDS[number]
        own = found[
            (found["coefficient"] == coefficient) & (found["measure"] == measure)
            & (found["cap"] == 0) & (found["interval"] == where)
            & found["first"].isin(ESTIMATORS.values()) & (found["second"] == "population")
        ]  # fmt: skip
        wide = own.pivot(index="repeat", columns="first", values="value")
        values = wide.dropna().mean(axis=1).to_numpy()
        if len(values) < 2:
            return None
        sd, printed = float(values.std(ddof=1)), text[row, column]
        z = distance_from_printed(values, printed - HALF, printed + HALF)
        return reproduced(values.mean(), sd / np.sqrt(len(values)), run_sd=sd, z=z)

    return cell


def items_above(probability: float, mean: float, items: int) -> float:
    """Return how many items are expected to have a larger probability of group 1.

    Half of the items are of each group, drawn from normal distributions of variance 1 with means 0
    and `mean`; the probability is the exact one.
    """
    # log odds are mean · x − mean² / 2
    x = (np.log(probability / (1 - probability)) + mean**2 / 2) / mean
    return float(items / 2 * (ndtr(-x) + ndtr(mean - x)))


#: Name of a published file → the function of its source that gives its cells.
TABLES: dict[str, Callable[[Any], Callable[[str, str], Cell | None]]] = {
    **{f"density_ratio_table_{kind}": partial(table, kind) for kind in KINDS},
    "density_ratio_section_5_1": section_5_1,
}


def estimator_rows(results: pd.DataFrame) -> pd.DataFrame:
    """Compare estimated with true independence: bias, spread, and how often there is no estimate.

    Parameters
    ----------
    results
        What `fairpairs.studies.density_ratio.synthetic.synthetic_study` returned.

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
    display = texts.pivot(index="line", columns="interval", values="text").loc[lines]
    write_display_table(
        display.rename_axis("estimator \\ mean of group 1"),
        Path(estimators_stem),
        title="Independence: logarithm of the estimate over the true value",
        note=(
            "Mean ± spread of one data set, over the ten means of an interval and all seeds. 0 is "
            "right; −0.69 is half the true ratio. The true value is the population's, "
            "(1 + exp(m²)) / 2."
        ),
    )
