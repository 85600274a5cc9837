"""How estimators agree with one another (Tables 3 to 7, 10 to 14), and with what is true."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from fairpairs.papers.studies.density_ratio import synthetic

COEFFICIENTS: tuple[Literal["spearman", "kendall"], ...] = ("spearman", "kendall")
#: Estimators in the order of the tables.
ORDER = (
    *synthetic.STUDIED,
    *synthetic.AS_PUBLISHED,
    *(synthetic.in_form(name, form) for name, form in synthetic.matching_forms()),
    *synthetic.TRUTHS,
)
#: A cell of the tables, and its keys with the two estimators.
CELL = ["repeat", "measure", "cap", "interval"]
KEYS = [*CELL[1:], "coefficient", "first", "second"]
#: Tests of separation whose measure is not the ratio.
OTHER = ("information", "comparative_separation")


def synthetic_tables(results: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return all correlations, their means, and how far estimators are from the truth."""
    found = correlations(results)
    grouped = found.groupby(KEYS, sort=False)["value"]
    summary = grouped.agg(mean="mean", sd="std", one_seed="first", repeats="count")
    return {
        "correlated": found,
        "table": summary.reset_index(),
        "estimators": estimator_rows(results),
    }


def _with_intervals(results: pd.DataFrame) -> pd.DataFrame:
    """Add the interval that a mean of group 1 falls into, in the paper's words."""
    intervals = [f"{int(mean)} - {int(mean)}.9" for mean in results["mean"]]
    return results.assign(interval=intervals, cap=results["cap"].fillna(0.0))


def correlations(results: pd.DataFrame) -> pd.DataFrame:
    """Correlate every two estimators, or truths, over the means of each interval, once per repeat.

    A value is NaN if an estimate is missing or does not vary.
    """
    rows = _with_intervals(results)
    truths = rows[rows["estimator"].isin(synthetic.TRUTHS)]  # which do not depend on a cap
    others = [cap for cap in rows["cap"].unique() if cap > 0]
    rows = pd.concat([rows, *(truths.assign(cap=cap) for cap in others)], ignore_index=True)
    parts = []
    for cell, part in rows.groupby(CELL, sort=False):
        wide = part.pivot(index="mean", columns="estimator", values="value")
        # some estimators are measured in a part of the repeats only
        wide = wide[[name for name in ORDER if name in wide]]
        first, second = np.triu_indices(wide.shape[1], 1)
        for coefficient in COEFFICIENTS:
            found = {
                **dict(zip(CELL, cell, strict=True)),
                "coefficient": coefficient,
                "first": wide.columns[first],
                "second": wide.columns[second],
                "value": wide.corr(coefficient, min_periods=len(wide)).to_numpy()[first, second],
            }
            parts.append(pd.DataFrame(found))
    return pd.concat(parts, ignore_index=True)


def estimator_rows(results: pd.DataFrame) -> pd.DataFrame:
    """Compare estimated with true independence, for each cap, interval and estimator."""
    rows = _with_intervals(results[results["measure"] == "independence"])
    truth = rows[rows["estimator"] == "population"].set_index(["repeat", "mean"])["value"]
    estimated = rows[~rows["estimator"].isin(synthetic.TRUTHS)]
    estimated = estimated.join(truth.rename("truth"), on=["repeat", "mean"])
    return errors(estimated, ["cap", "interval", "estimator"])


def known_separation_rows(results: pd.DataFrame, alpha: float) -> pd.DataFrame:
    """Compare measures of separation with the truth, and count rejections, by design and estimator.

    `rejected` is the share of tests with a p-value of at most alpha (NaN without a test).
    """
    tested = results["pvalue"].notna()
    rejected = (results["pvalue"] <= alpha).astype(float).where(tested)
    rows = errors(
        results.assign(rejected=rejected),
        ["gap", "noise", "truth", "estimator"],
        rejected=("rejected", "mean"),
        tested=("rejected", "count"),
    )
    variance = rows["rejected"] * (1 - rows["rejected"]) / rows["tested"].where(rows["tested"] > 0)
    return rows.drop(columns="tested").assign(rejected_standard_error=np.sqrt(variance))


def errors(frame: pd.DataFrame, keys: Sequence[str], **more: Any) -> pd.DataFrame:
    """Summarise estimates of a known `truth` by their keys.

    `bias` and `sd` are of the logarithm of the estimate over the truth (NaN for what is no ratio),
    `failed` is the share without a finite estimate above 0.
    """
    ratio = ~frame["estimator"].isin(OTHER)
    with np.errstate(divide="ignore", invalid="ignore"):
        error: Any = np.log(frame["value"] / frame["truth"])
    failed = ~np.isfinite(error.where(ratio, frame["value"]))
    known: Any = frame.assign(error=error.where(ratio & ~failed), failed=failed)
    columns: dict[str, Any] = {
        **{"bias": ("error", "mean"), "sd": ("error", "std"), "standard_error": ("error", "sem")},
        **{"failed": ("failed", "mean"), **more, "n": ("failed", "size")},
    }
    rows: pd.DataFrame = known.groupby(list(keys), sort=False).agg(**columns).reset_index()
    return rows
