"""Calibration slopes against R's survey: committed numbers, and R itself.

`Rscript calibration_reference.R items.csv calibration_reference.csv`, in this folder, made them of
`scored_items()`.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose
from scipy.special import logit

import fairpairs as fp
from fairpairs.mathematics.estimates.calibration import calibration_slope
from fairpairs.mathematics.inference.sampling.linear import Linear, spread

from .survey_items import by_r, survey_items
from .test_survey_reference import designs

HERE = Path(__file__).parent
REFERENCE = pd.read_csv(HERE / "calibration_reference.csv")


def scored_items():
    """The items of survey_reference.R, with a score."""
    items = survey_items()
    rng = np.random.default_rng(1)
    noisy = items["label"] + rng.normal(size=len(items))
    return items.assign(score=(1 / (1 + np.exp(0.5 - noisy))).round(6))


def slope(items, design, code):
    """The slope of a group with the influence of each item."""
    group = (items["group"] == "b").to_numpy().astype(int)
    labels, own = items["label"].to_numpy().astype(float), group == code
    fit = calibration_slope(
        labels[own], logit(items["score"].to_numpy()[own]), design.weights[own]
    )  # fmt: skip
    influence = np.zeros(len(items))
    influence[own] = fit.influence
    kept = own & (design.weights > 0)
    return Linear(fit.slope, influence, np.where(kept, 2 * group + labels.astype(int), -1))


def test_slopes_and_errors_are_those_of_survey():
    items = scored_items()
    assert len(REFERENCE) == 3
    for row in REFERENCE.to_dict("records"):
        design = designs()[row["design"]]
        difference = slope(items, design, 1) - slope(items, design, 0)
        assert_allclose(difference.estimate, row["estimate"], rtol=1e-10)
        error = np.sqrt(spread([difference], design).covariance[0, 0])
        assert_allclose(error, row["error"], rtol=1e-6)
    tests = fp.audit(
        items["label"], items["prediction"], y_score=items["score"], reference={"group": "a"},
        sensitive_features={"group": items["group"]}, sample_weight=items["weight"],
        clusters=items["person"],
    ).to_frame().set_index("measure")  # fmt: skip
    assert_allclose(tests.loc["calibration slope", "estimate"], row["estimate"], rtol=1e-10)


def test_r_gives_the_committed_slopes(tmp_path):
    again = by_r("calibration_reference.R", scored_items(), tmp_path)
    assert_allclose(again[["estimate", "error"]], REFERENCE[["estimate", "error"]], rtol=1e-9)
