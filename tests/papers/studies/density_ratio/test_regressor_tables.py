"""What caps change in the measures of regressors."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairpairs.papers.display.layouts import display
from fairpairs.papers.studies.density_ratio import regressor_tables
from fairpairs.papers.studies.density_ratio.regressor_tables import (
    KERNEL_FORMS,
    cap_rows,
    kernel_rows,
    regressor_correlations,
)

ROOT = Path(__file__).parents[4]


def test_a_cap_lowers_independence_and_its_items_are_counted(measures, reproduced_from):
    p = pd.DataFrame({"regressor": "r1", "item": range(4), "probability": [0.5, 0.95, 0.9995, 1]})
    rows = cap_rows(measures, {"communities": p}).set_index("cap")
    assert rows.loc[0.0, "independence"] == 8
    assert rows.loc[0.9, "independence"] == pytest.approx(0.8)
    assert rows.loc[0.0, ["median", "smallest", "largest"]].tolist() == [6.5, 4, 9]
    assert rows["items"].to_dict() == {0.0: 2, 0.9: 3}
    ours = reproduced_from("density_ratio/section_5", results=rows.reset_index())
    cells = ours.set_index(["row", "column"])["reproduced"]
    assert cells["cap 0.9", "Independence"] == pytest.approx(0.8)
    assert cells["no cap", "Items above 0.999"] == 2
    assert ("cap 0.99", "Independence") not in cells


TABLES = ("table_1", "table_8", "section_5_2")


@pytest.fixture
def published(shipped):
    return [shipped(f"density_ratio/{name}") for name in TABLES]


@pytest.fixture
def correlations(measures):
    """As logistic regression and ridge of the measures, but of kernels in both forms, and capped.

    The kernel without the intercept ranks the regressors the other way round.
    """
    frame = measures["communities"].replace({"ridge": "kernel_gaussian"})
    frame["cap"] = frame["cap"].replace({0.9: 0.99})
    without = frame[frame["estimator"] == "kernel_gaussian"].assign(
        estimator="kernel_gaussian_published", value=lambda own: -own["value"]
    )
    lasso = frame[frame["estimator"] == "logistic"].assign(estimator="lasso")
    return regressor_correlations({"communities": pd.concat([frame, without, lasso])})


def test_every_printed_pair_with_a_kernel_is_there_once(published, correlations):
    rows = kernel_rows(published, correlations)
    # two tables of three measures, seven pairs and three data sets; four cells with a cap
    assert len(rows) == 2 * 3 * 7 * 3 + 3 + 1
    keys = ["coefficient", "cap", "measure", "dataset"]
    pairs = [frozenset(pair) for pair in rows[["first", "second"]].to_numpy()]
    assert not rows[keys].assign(pair=pairs).duplicated().any()
    place = rows.set_index([*keys, "first", "second"])["published"]
    assert place["spearman", 0, "separation", "insurance", "lasso", "kernel_gaussian"] == -0.34
    assert place["kendall", 0, "sufficiency", "law_school", "kernel_gaussian",
                 "kernel_polynomial"] == -0.59  # fmt: skip
    # of the text, but for what Table 1 has
    assert place["spearman", 0, "independence", "communities", "lasso", "kernel_gaussian"] == 0.02
    capped = rows[rows["cap"] == 0.99]["published"]
    assert list(capped) == [-0.21, -0.58, -0.67, 0.64]


def test_each_form_is_that_of_the_run(published, correlations):
    rows = kernel_rows(published, correlations).set_index(
        ["coefficient", "cap", "measure", "dataset", "first", "second"]
    )
    for cap in (0, 0.99):
        ours = rows.loc["spearman", cap, "independence", "communities", "lasso", "kernel_gaussian"]
        assert list(ours[list(KERNEL_FORMS)]) == pytest.approx([33 / 35, -33 / 35])
    of_others = rows.drop("communities", level="dataset")[list(KERNEL_FORMS)]
    assert of_others.isna().all(axis=None)


def test_the_distances_are_from_the_printed_ones_with_logistic_regression(published, correlations):
    rows = kernel_rows(published, correlations)
    rows[list(KERNEL_FORMS)] = np.column_stack([rows["published"] + 0.2, rows["published"] - 0.1])
    rows.loc[rows["first"] != "logistic", "with_intercept"] = 9
    words = display(regressor_tables.__file__, "regressor_kernels", rows)
    pairs = [(c, k) for c in ("Spearman", "Kendall") for k in ("gaussian", "polynomial")]
    told = "; ".join(f"{name}, kernel_{kernel} 0.20 and 0.10" for name, kernel in pairs)
    assert words.note.endswith(f"with the intercept and without: {told}.")
    assert not words.table.index.str.contains("ridge").any()
    printed = words.table.loc["Spearman, independence, logistic with kernel_gaussian"]
    assert printed["communities"] == "0.11: 0.31, 0.01"
