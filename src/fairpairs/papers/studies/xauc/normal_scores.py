"""ΔxAUC of normal scores with equal means in both groups, by the closed form of section 6."""

from itertools import product

import pandas as pd

from fairpairs.papers.experiments.normal_scores import xauc_of_normal_scores

#: Standard deviations of the scores of a group and label.
SPREADS = (0.5, 1.0, 2.0)


def normal_score_disparities() -> pd.DataFrame:
    """Return ΔxAUC of scores of mean 1 (label 1) and 0 (label 0) in both groups.

    `sd_0_1` is that of group 0 and label 1; `difference` is (σ²_00 − σ²_01) − (σ²_10 − σ²_11)
    (Kallus and Zhou, 2019, section 6).

    >>> rows = normal_score_disparities()
    >>> rows[rows["difference"] == 3].head(1).round(3)
       sd_0_1  sd_0_0  sd_1_1  sd_1_0  difference  disparity
    7     0.5     0.5     2.0     1.0         3.0      0.128
    """
    rows = []
    for sd_0_1, sd_0_0, sd_1_1, sd_1_0 in product(SPREADS, repeat=4):
        xauc = xauc_of_normal_scores(mean=[[0, 1]] * 2, sd=[[sd_0_0, sd_0_1], [sd_1_0, sd_1_1]])
        difference = (sd_0_0**2 - sd_0_1**2) - (sd_1_0**2 - sd_1_1**2)
        disparity = round(float(xauc[0, 1] - xauc[1, 0]), 12)
        rows.append((sd_0_1, sd_0_0, sd_1_1, sd_1_0, difference, disparity))
    columns = ["sd_0_1", "sd_0_0", "sd_1_1", "sd_1_0", "difference", "disparity"]
    return pd.DataFrame(rows, columns=columns)
