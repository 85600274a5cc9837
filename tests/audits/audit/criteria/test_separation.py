"""Separation in small cells, against scipy and statsmodels."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import fisher_exact
from statsmodels.stats.proportion import (
    confint_proportions_2indep,
    proportions_ztest,
)

import fairpairs as fp


def test_one_person_shows_no_violation():
    """Wald's variance of a rate of 0 or 1 is zero: z would be beyond any bound."""
    y = np.array([1] * 2000 + [0] * 2000 + [1, 0])
    yhat = np.array([1, 1, 1, 0] * 500 + [0, 0, 0, 1] * 500 + [0, 1])
    group = np.array(["many"] * 4000 + ["one"] * 2)
    result = fp.audit(y, yhat, y_score=yhat, sensitive_features=group)
    frame = result.to_frame().set_index("measure")
    member = (group == "one").astype(int)
    assert fp.separation_test(y, yhat, sensitive_features=member, method="wald").violated
    assert not fp.separation_test(y, yhat, sensitive_features=member).violated
    rates = [
        "TPR",
        "FPR",
        "average odds",
        "comparative, across",
        "comparative, within",
        "selection rate",
    ]
    assert "violated" not in set(frame.loc[rates, "verdict"])
    for measure, label in (("TPR", 1), ("FPR", 0)):
        table = pd.crosstab(member[y == label], yhat[y == label]).to_numpy()
        assert_allclose(frame.loc[measure, "pvalue"], fisher_exact(table).pvalue)
        assert "Fisher's exact test" in frame.loc[measure, "note"]
        assert frame.loc[measure, "ci_high"] - frame.loc[measure, "ci_low"] > 0.7
    assert frame.loc["average odds", "pvalue"] > 0.5
    assert np.isnan(frame.loc["comparative, across", "ci_low"])


def test_small_cells_have_newcombes_intervals():
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], 150)
    group = np.where(np.arange(300) % 10 < 1, "few", "many")
    yhat = np.where(group == "few", 1, rng.integers(0, 2, 300))  # all of the few are selected
    frame = fp.audit(y, yhat, sensitive_features=group).to_frame().set_index("measure")
    low, high = confint_proportions_2indep(
        15, 15, yhat[(y == 1) & (group == "many")].sum(), 135, method="newcomb"
    )
    assert_allclose(frame.loc["TPR", ["ci_low", "ci_high"]].astype(float), [low, high])
    assert (frame.loc[["TPR", "FPR", "average odds"], "verdict"] == "violated").all()
    aod = frame.loc["average odds"]
    assert low < aod["ci_low"] < aod["estimate"] < aod["ci_high"]  # two cells tell more than one
    # 30 items, none of which is not selected, but more than 10 are expected to be: the pooled z
    selected = [30, yhat[group == "many"].sum()]
    theirs = proportions_ztest(selected, [30, 270])[1]
    assert_allclose(frame.loc["selection rate", "pvalue"], theirs)


def test_few_events_are_tested_by_fisher_and_marked():
    """0 of 50 against 60 of 3,000: Wald's z has no variance in the small group."""
    y = np.tile([0, 1], 3050)
    group = np.where(np.arange(6100) < 100, "few", "many")
    yhat = np.where(y == 1, np.arange(6100) % 6 < 3, 0)
    yhat[100:220:2] = 1  # 60 false positives, all of the many
    result = fp.audit(y, yhat, sensitive_features=group)
    frame = result.to_frame().set_index("measure")
    theirs = fisher_exact([[0, 50], [60, 2940]]).pvalue
    assert frame.loc["FPR", "pvalue"] == pytest.approx(theirs)
    assert frame.loc["FPR", "verdict"] == "not shown"
    assert frame.loc["FPR", "ci_high"] > 0
    assert (
        "5 or fewer positive or negative predictions in a cell" in frame.loc["average odds", "note"]
    )
    assert frame.loc["TPR", "note"] == ""
    lines = {line.split("  ")[0]: line for line in result.to_text().splitlines()}
    assert lines["FPR"].endswith("]")
    assert not lines["TPR"].endswith("]")
