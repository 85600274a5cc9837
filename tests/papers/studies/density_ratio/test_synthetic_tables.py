"""Correlations of estimators on synthetic data, and their errors."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import kendalltau, spearmanr

from fairpairs.papers.studies.density_ratio.synthetic_tables import (
    correlations,
    estimator_rows,
    known_separation_rows,
    synthetic_tables,
)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "function"), [("spearman", spearmanr), ("kendall", kendalltau)])
def test_the_correlations_are_those_of_scipy(results, name, function, by_hand):
    found = correlations(results)
    keys = ["measure", "cap", "interval", "coefficient", "first", "second"]
    values = found.set_index(keys)["value"].sort_index()
    for low, cap, measure, names in [
        (0, 0.0, "independence", ("logistic", "kernel_polynomial")),
        (3, 0.99, "separation", ("ridge", "kernel_gaussian")),
        (3, 0.99, "independence", ("lasso", "population")),
    ]:
        own = values[(measure, cap, f"{low} - {low}.9", name, *names)]
        assert_allclose(own, by_hand(results, low, cap, measure, names, function))
    assert len(found) == 6 * 2 * 2 * 2 * (36 + 21)


def test_a_missing_or_constant_estimate_has_no_correlation(results):
    changed = results.copy()
    ridge = (changed["estimator"] == "ridge") & (changed["repeat"] == 0)
    changed.loc[ridge & (changed["mean"] == 3.0), "value"] = np.nan
    lasso = (changed["estimator"] == "lasso") & (changed["repeat"] == 0)
    changed.loc[lasso, "value"] = 1.0
    found = correlations(changed)
    own = found[found["repeat"] == 0]
    with_lasso = (own["first"] == "lasso") | (own["second"] == "lasso")
    with_ridge = (own["first"] == "ridge") | (own["second"] == "ridge")
    last = own["interval"] == "3 - 3.9"
    assert own.loc[with_lasso | (with_ridge & last), "value"].isna().all()
    assert own.loc[~with_lasso & ~(with_ridge & last), "value"].notna().all()


def test_the_errors_of_the_estimators_by_hand(results):
    changed = results.copy()
    ridge = (changed["estimator"] == "ridge") & (changed["mean"] == 3.0) & (changed["cap"] == 0)
    changed.loc[ridge & (changed["repeat"] < 3), "value"] = [np.nan, np.nan, np.inf] * 2
    rows = estimator_rows(changed).set_index(["cap", "interval", "estimator"])
    assert len(rows) == 2 * 2 * 7
    own = changed[(changed["estimator"] == "ridge") & (changed["measure"] == "independence")]
    own = own[(own["cap"] == 0) & (own["mean"] >= 3)]
    errors = np.log(own["value"] / ((1 + np.exp(own["mean"] ** 2)) / 2)).to_numpy()
    errors = errors[np.isfinite(errors)]
    row = rows.loc[(0.0, "3 - 3.9", "ridge")]
    assert row["bias"] == pytest.approx(errors.mean())
    assert row["sd"] == pytest.approx(errors.std(ddof=1))
    assert row["standard_error"] == pytest.approx(errors.std(ddof=1) / np.sqrt(len(errors)))
    assert row["failed"] == pytest.approx(3 / 24)
    assert row["n"] == 24
    assert rows.loc[(0.99, "0 - 0.9", "lasso"), "failed"] == 0


@pytest.mark.slow
def test_the_correlations_are_averaged_over_the_seeds(results):
    tables = synthetic_tables(results)
    summary, found = tables["table"], tables["correlated"]
    assert (summary["repeats"] == 6).all()
    assert summary["mean"].mean() == pytest.approx(found["value"].mean())


@pytest.fixture
def of_known_separation():
    def rows(estimator, values, pvalues):
        return [
            (i, 1.0, 1.0, 2.0, estimator, value, pvalue, "")
            for i, (value, pvalue) in enumerate(zip(values, pvalues, strict=True))
        ]

    nothing = [np.nan] * 4
    columns = ["repeat", "gap", "noise", "truth", "estimator", "value", "pvalue", "note"]
    return pd.DataFrame(
        [
            *rows("ridge", [2.0, 2.0 * np.e, np.nan, -1.0], nothing),
            *rows("logistic", [4.0, 4.0, 4.0, 4.0], [0.01, 0.05, 0.2, np.nan]),
            *rows("information", [0.0, -0.1, 0.2, 0.3], [0.01, 0.02, 0.03, 0.04]),
        ],
        columns=columns,
    )


def test_bias_failures_and_rejections(of_known_separation):
    rows = known_separation_rows(of_known_separation, alpha=0.05).set_index("estimator")
    assert rows.loc["ridge", "bias"] == pytest.approx(0.5)
    assert rows.loc["ridge", "failed"] == 0.5
    assert np.isnan(rows.loc["ridge", "rejected"])
    assert rows.loc["logistic", "bias"] == pytest.approx(np.log(2))
    assert rows.loc["logistic", "rejected"] == pytest.approx(2 / 3)
    error = np.sqrt(2 / 9 / 3)
    assert rows.loc["logistic", "rejected_standard_error"] == pytest.approx(error)
    # what is no ratio has no bias, and may well be below 0
    assert np.isnan(rows.loc["information", "bias"])
    assert rows.loc["information", "failed"] == 0
    assert rows.loc["information", "rejected"] == 1
