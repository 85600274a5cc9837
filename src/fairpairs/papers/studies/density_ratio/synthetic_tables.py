"""How estimators agree on synthetic data (Tables 3 to 7, 10 to 14), and the truth."""

from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from fairpairs.base.files import write_parquet
from fairpairs.base.texts import decimals
from fairpairs.papers.display.tables import Display, write_table
from fairpairs.papers.studies.density_ratio.synthetic import (
    AS_PUBLISHED,
    STUDIED,
    TRUTHS,
    in_form,
    matching_forms,
)

COEFFICIENTS: tuple[Literal["spearman", "kendall"], ...] = ("spearman", "kendall")
#: Estimators in the order of the tables.
ORDER = (
    *STUDIED,
    *AS_PUBLISHED,
    *(in_form(name, form) for name, form in matching_forms()),
    *TRUTHS,
)
#: The columns of text in the table of correlations.
TEXT = ("measure", "interval", "coefficient", "first", "second")
KEYS = ["measure", "cap", "interval", "coefficient", "first", "second"]


def interval(mean: float) -> str:
    """Return the interval that a mean of group 1 falls into, in the paper's words."""
    return f"{int(mean)} - {int(mean)}.9"


def correlations(results: pd.DataFrame) -> pd.DataFrame:
    """Correlate every two estimators, or truths, over the means of each interval, once per repeat.

    A value is NaN if an estimate is missing or does not vary.
    """
    rows = results.assign(interval=results["mean"].map(interval), cap=results["cap"].fillna(0.0))
    truths = rows[rows["estimator"].isin(TRUTHS)]  # which do not depend on a cap
    others = [cap for cap in rows["cap"].unique() if cap > 0]
    rows = pd.concat([rows, *(truths.assign(cap=cap) for cap in others)], ignore_index=True)
    keys = ["repeat", "measure", "cap", "interval"]
    rows["place"] = rows.groupby(keys, sort=False).ngroup()  # a cell of the tables, in order
    parts = []
    for _, part in rows.groupby(["measure", "cap"], sort=False):
        wide = part.pivot(index=["place", "mean"], columns="estimator", values="value")
        wide = wide[[name for name in ORDER if name in wide]]
        first, second = np.triu_indices(wide.shape[1], 1)
        cells = [cell.reset_index(drop=True) for _, cell in wide.groupby(level="place")]
        # some estimators are measured in a part of the repeats only
        present = pd.crosstab(part["place"], part["estimator"])[wide.columns].to_numpy() > 0
        both = (present[:, first] & present[:, second]).ravel()
        indices = np.repeat(wide.index.unique("place"), len(first))
        for coefficient in COEFFICIENTS:
            values = [
                cell.corr(coefficient, min_periods=len(cell)).to_numpy()[first, second]
                for cell in cells
            ]
            columns = {
                "place": indices,
                "coefficient": coefficient,
                "first": np.tile(wide.columns[first], len(cells)),
                "second": np.tile(wide.columns[second], len(cells)),
                "value": np.concatenate(values),
            }
            parts.append(pd.DataFrame(columns)[both])
    # all of one coefficient come first in a part, so that a stable sort keeps their order
    correlated = pd.concat(parts).sort_values("place", kind="stable")
    return (
        rows.loc[~rows["place"].duplicated(), [*keys, "place"]]
        .merge(correlated, on="place")
        .drop(columns="place")
    )


def estimator_rows(results: pd.DataFrame) -> pd.DataFrame:
    """Compare estimated with true independence, for each cap, interval and estimator.

    `bias` and `sd` are of the logarithm of the estimate over the true value of the population;
    `failed` is the share without a finite estimate.
    """
    values = results[results["measure"] == "independence"].assign(
        interval=lambda frame: frame["mean"].map(interval),
        cap=lambda frame: frame["cap"].fillna(0.0),
    )
    truth = values[values["estimator"] == "population"].set_index(["repeat", "mean"])["value"]
    estimated = values[~values["estimator"].isin(TRUTHS)].join(
        truth.rename("truth"), on=["repeat", "mean"]
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        estimated["error"] = np.log(estimated["value"] / estimated["truth"])
    estimated["failed"] = ~np.isfinite(estimated["error"])
    estimated["error"] = estimated["error"].where(~estimated["failed"])
    rows = estimated.groupby(["cap", "interval", "estimator"], sort=False).agg(
        bias=("error", "mean"),
        sd=("error", "std"),
        standard_error=("error", "sem"),
        failed=("failed", "mean"),
        n=("failed", "size"),
    )
    return rows.reset_index()


def write_density_ratio_tables(
    results: pd.DataFrame, correlated: str | Path, table: str | Path, estimators: str | Path
) -> None:
    """Write all correlations, their means, and how far estimators are from the truth."""
    found = correlations(results)
    write_parquet(correlated, found)
    grouped = found.groupby(KEYS, sort=False)["value"]
    summary = grouped.agg(mean="mean", sd="std", one_seed="first", repeats="count").reset_index()
    write_table(table, summary)
    rows = estimator_rows(results)
    write_table(estimators, rows, estimators_display(rows))


def estimators_display(rows: pd.DataFrame) -> Display:
    """Return `estimator_rows` in words, estimators down, intervals across."""
    texts = rows.assign(
        line=rows["estimator"] + rows["cap"].map(lambda cap: f", cap {cap:g}" if cap else ""),
        text=[
            f"{decimals(bias, 2)} ± {decimals(sd, 2)}"
            + (f" ({failed:.0%} failed)" if failed else "")
            for bias, sd, failed in rows[["bias", "sd", "failed"]].to_numpy()
        ],
    )
    lines = list(dict.fromkeys(texts["line"]))
    table = texts.pivot(index="line", columns="interval", values="text").loc[lines]
    return Display(
        table.rename_axis("estimator \\ mean of group 1"),
        title="Independence: logarithm of the estimate over the true value",
        note=(
            "Mean ± spread of one data set, over the ten means of an interval and all seeds. 0 is "
            "right; −0.69 is half the true ratio. The true value is the population's, "
            "(1 + exp(m²)) / 2."
        ),
    )
