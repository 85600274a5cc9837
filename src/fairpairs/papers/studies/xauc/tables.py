"""The ranking of each data set and treatment, and ΔxAUC of normal scores (section 6)."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from fairpairs.base.plain_values import Content
from fairpairs.papers.display.labels import label
from fairpairs.papers.experiments.normal_scores import xauc_of_normal_scores
from fairpairs.papers.experiments.summaries import Summary

#: What identifies a row.
KEYS = ["dataset", "attribute", "treatment"]
#: The measures of the test `ranking` that people see.
COLUMNS = (
    *("AUC", "AUC(0)", "AUC(1)", "ΔAUC", "xAUC(0,1)", "xAUC(1,0)", "ΔxAUC"),
    *("xAUC_1(0)", "xAUC_1(1)", "ΔxAUC_1", "xAUC_0(0)", "xAUC_0(1)", "ΔxAUC_0"),
    *("Brier(0)", "Brier(1)"),
)
#: Difference → its hypothesis in the test `xauc`.
HYPOTHESES = {
    "ΔAUC": "AUC(0) = AUC(1)",
    "ΔxAUC": "xAUC(0,1) = xAUC(1,0)",
    "ΔxAUC_1": "xAUC_1(0) = xAUC_1(1)",
    "ΔxAUC_0": "xAUC_0(0) = xAUC_0(1)",
}
#: Measures with and without a shift of log odds that makes xAUC(0,1) and xAUC(1,0) equal.
ADJUSTED = ("ΔxAUC", "|ΔxAUC|", "AUC", "Brier")
#: Standard deviations of the scores of a group and label.
SPREADS = (0.5, 1.0, 2.0)
#: How far the mean of label 1 is above that of label 0: from random scores to perfect ones.
SEPARATIONS = (0, 1, 2, 50)


def ranking_table(
    summary: Summary, roles: Sequence[Content]
) -> dict[str, tuple[pd.DataFrame, Content]]:
    """Return the ranking of an experiment, with what its layout needs.

    These are the measures in the order of the columns, and the names of groups.
    """
    rows = ranking_rows(summary)
    order = {measure: place for place, measure in enumerate(("separation", *COLUMNS))}
    parts = [
        rows[rows["measure"].isin(order)].sort_values(
            "measure", key=lambda names: names.map(order), kind="stable"
        )
    ]
    for measure in ADJUSTED:
        before, after = (rows[rows["measure"] == f"{measure} {w} it"] for w in ("before", "after"))
        if len(before):
            name = f"{measure}, adjusted"
            parts.append(before.assign(measure=name, after=after["mean"].to_numpy()))
    parts[0] = parts[0].assign(after=np.nan)
    shown = {
        "rows": pd.concat(parts),
        "tested": HYPOTHESES,
        "groups": [
            f"{label(each['dataset'])}, {attribute}: 0 {names['zero']}, 1 {names['one']}"
            for each in roles
            for attribute, names in each["sensitive"].items()
        ],
    }
    return {"ranking": (rows, shown)}


def ranking_rows(summary: Summary) -> pd.DataFrame:
    """Return the measures of a ranking, a row for each data set, attribute, treatment and measure.

    `standard_error` is Monte Carlo's, `own_error` the mean of DeLong's. The measure "separation" is
    the share of repeats in which the test separation found a violation, if it was run.
    """
    estimates = summary["estimates"]
    measured = estimates[estimates["test"].isin(["ranking", "xauc_adjustment"])]
    rows = measured.rename(columns={"hypothesis": "measure"}).drop(columns=["test", "rejected"])
    tests = estimates[estimates["test"] == "xauc"]
    names = {hypothesis: measure for measure, hypothesis in HYPOTHESES.items()}
    rejected = tests.assign(measure=tests["hypothesis"].map(names))[[*KEYS, "measure", "rejected"]]
    rows = rows.merge(rejected, how="left", on=[*KEYS, "measure"])
    violations = summary["violations"]
    separation = violations[violations["test"] == "separation"].rename(columns={"violated": "mean"})
    parts = [rows, separation.assign(measure="separation").reindex(columns=rows.columns)]
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


def normal_score_disparities() -> pd.DataFrame:
    """Return xAUC(0, 1) and ΔxAUC of normal scores with the same means in both groups.

    The mean score of label 1 is `separation` above that of label 0. `sd_0_1` is the spread of group
    0 and label 1; `difference` is (σ²_00 − σ²_01) − (σ²_10 − σ²_11) (Kallus and Zhou, 2019,
    section 6).

    >>> rows = normal_score_disparities().query("separation == 1")
    >>> rows[rows["difference"] == 3].head(1).round(3)
        separation  sd_0_1  sd_0_0  sd_1_1  sd_1_0  difference   xauc  disparity
    88           1     0.5     0.5     2.0     1.0         3.0  0.814      0.128
    """
    rows = []
    for separation, sd_0_1, sd_0_0, sd_1_1, sd_1_0 in product(SEPARATIONS, *[SPREADS] * 4):
        sd = [[sd_0_0, sd_0_1], [sd_1_0, sd_1_1]]
        xauc = xauc_of_normal_scores(mean=[[0, separation]] * 2, sd=sd)
        difference = (sd_0_0**2 - sd_0_1**2) - (sd_1_0**2 - sd_1_1**2)
        rates = [round(float(rate), 12) for rate in (xauc[0, 1], xauc[0, 1] - xauc[1, 0])]
        rows.append((separation, sd_0_1, sd_0_0, sd_1_1, sd_1_0, difference, *rates))
    spreads = ("sd_0_1", "sd_0_0", "sd_1_1", "sd_1_0")
    return pd.DataFrame(rows, columns=["separation", *spreads, "difference", "xauc", "disparity"])
