"""Rates, means and their differences against R's survey: committed numbers, and R itself.

`python survey_items.py items.csv` and then `Rscript survey_reference.R items.csv
survey_reference.csv`, in this folder, made them.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose

from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.inference.sampling.gaps import Gap, average
from fairpairs.mathematics.inference.sampling.linear import mean, spread

from .survey_items import by_r, survey_items

HERE = Path(__file__).parent
ITEMS = survey_items()
REFERENCE = pd.read_csv(HERE / "survey_reference.csv")


def designs():
    n, person = len(ITEMS), ITEMS["person"].to_numpy()
    person = pd.factorize(person)[0]
    weight = ITEMS["weight"].to_numpy()
    return {
        "weights": SamplingDesign(n, None, weight),
        "clusters": SamplingDesign(n, person, np.ones(n)),
        "both": SamplingDesign(n, person, weight),
    }


def linears(design):
    """Each quantity of the reference as we estimate it."""
    group = (ITEMS["group"] == "b").to_numpy().astype(int)
    label, decided = (ITEMS[name].to_numpy().astype(float) for name in ("label", "prediction"))
    everyone, cell = np.zeros(len(ITEMS), dtype=int), label.astype(int)
    of = {
        "selection rate": (decided, everyone, 0),
        "accuracy": ((decided == label).astype(float), everyone, 0),
        "mean error": (decided - label, everyone, 0),
        "TPR": (decided, cell, 1),
        "FPR": (decided, cell, 0),
        "precision": (label, decided.astype(int), 1),
    }
    found, gaps = {}, {}
    for name, (values, cells, wanted) in of.items():
        classes = 2 * group + cells
        one, two = (mean(values, classes == 2 * g + wanted, classes, design) for g in (0, 1))
        gaps[name] = Gap(two, one)
        found |= {f"{name} a": one, f"{name} b": two, f"{name} b - a": gaps[name].difference}
    found["average odds b - a"] = average(gaps["TPR"], gaps["FPR"]).difference
    return found


def test_estimates_and_errors_are_those_of_survey():
    """To 1e-12; that of clusters without weights has another factor (Obuchowski's) than survey."""
    assert len(REFERENCE) == 57
    for name, design in designs().items():
        ours = linears(design)
        theirs = REFERENCE[REFERENCE["design"] == name].set_index("quantity")
        assert set(ours) == set(theirs.index)
        for quantity, linear in ours.items():
            assert_allclose(linear.estimate, theirs.loc[quantity, "estimate"], atol=1e-12)
            error = np.sqrt(spread([linear], design).covariance[0, 0])
            assert_allclose(error, theirs.loc[quantity, "error"], rtol=1e-10, err_msg=quantity)


def test_r_gives_the_committed_numbers(tmp_path):
    again = by_r("survey_reference.R", ITEMS, tmp_path)
    assert again[["design", "quantity"]].equals(REFERENCE[["design", "quantity"]])
    assert_allclose(again[["estimate", "error"]], REFERENCE[["estimate", "error"]], rtol=1e-9)
