"""Calibration lines of scores: what they are, when they run, and what they note."""

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy.special import expit, logit
from scipy.stats import ttest_ind

import fairpairs as fp

from ..synthetic import rows


def probabilities(n=1200, slope=1.0, seed=0):
    """Labels, decisions and scores that are calibrated for "west", and have a slope for "east"."""
    rng = np.random.default_rng(seed)
    east = rng.random(n) < 0.4
    log_odds = rng.normal(-0.5, 1.2, n)
    y = (rng.random(n) < expit(np.where(east, slope, 1.0) * log_odds)).astype(int)
    score = expit(log_odds)
    return y, (score > 0.5).astype(int), score, np.where(east, "east", "west")


def test_the_lines_are_welchs_test_and_logistic_regressions():
    y, yhat, score, area = probabilities(slope=0.4)
    frame = fp.audit(y, yhat, y_score=score, sensitive_features=area).to_frame()
    frame = frame.set_index("measure")
    east = area == "east"
    row, error = frame.loc["label less score"], y - score
    theirs = ttest_ind(error[east], error[~east], equal_var=False)
    assert_allclose(row["estimate"], error[east].mean() - error[~east].mean())
    assert_allclose(row["pvalue"], theirs.pvalue)
    assert_allclose([row["ci_low"], row["ci_high"]], theirs.confidence_interval())
    fits = [
        sm.Logit(y[part], sm.add_constant(logit(score[part]))).fit(disp=0, cov_type=kind)
        for part in (east, ~east)
        for kind in ("nonrobust", "HC0")
    ]
    row = frame.loc["calibration slope"]
    assert_allclose(row["estimate"], fits[0].params[1] - fits[2].params[1], rtol=1e-6)
    model, robust = (np.array([f.bse[1] ** 2 for f in fits[i::2]]) for i in (0, 1))
    n = np.array([east.sum(), (~east).sum()])
    error = np.sqrt(np.maximum(model, robust * n / (n - 2)).sum())
    assert_allclose(row["ci_high"] - row["ci_low"], 2 * 1.959964 * error, rtol=1e-6)
    assert row["verdict"] == "violated"
    assert row["smallest_cell"] == min(
        (part & (y == label)).sum() for part in (east, ~east) for label in (0, 1)
    )


def test_a_score_on_another_scale_is_not_run_with_the_reason():
    y, yhat, score, area = probabilities()
    result = fp.audit(y, yhat, y_score=4 * score, sensitive_features=area)
    for name in ("calibration", "calibration_slope"):
        assert "are no probabilities, which lie from 0 to 1" in result.about["not_applicable"][name]
    assert "Not run: Calibration slope; scores from" in result.to_text()
    without = fp.audit(y, yhat, sensitive_features=area).about["not_applicable"]
    assert without["calibration"] == without["calibration_slope"] == "no score is given"


def test_a_prediction_that_is_the_score_has_its_mean_error_once():
    y, _, score, area = probabilities()
    result = fp.audit(y, score, sensitive_features=area)
    assert list(result.about["not_applicable"])[-1] == "calibration"
    assert "another sign" in result.about["not_applicable"]["calibration"]
    assert {"mean error", "calibration slope"} <= set(result.tests["measure"])
    other = fp.audit(y, np.sqrt(score), y_score=score, sensitive_features=area)
    assert_allclose(
        rows(other, criterion="calibration")["estimate"],
        -rows(result, criterion="differential_parity")["estimate"],
    )


@pytest.mark.filterwarnings("error")
def test_what_has_no_slope_is_a_row_with_the_reason():
    y, yhat, score, area = probabilities(n=300)
    some = (area == "west") | (y == 1)
    frame = fp.audit(
        y[some], yhat[some], y_score=score[some], sensitive_features=area[some]
    ).to_frame()
    (row,) = frame[frame["measure"] == "calibration slope"].to_dict("records")
    assert row["verdict"] == "cannot be estimated"
    assert row["note"] == "A group has labels of one kind only: no calibration slope"
    rounded = np.round(score)
    frame = fp.audit(y, yhat, y_score=rounded, sensitive_features=area).to_frame()
    (row,) = frame[frame["measure"] == "calibration slope"].to_dict("records")
    assert "All scores are 0 or 1" in row["note"]


def test_scores_of_0_and_1_are_noted():
    y, yhat, score, area = probabilities()
    rounded = np.round(score, 1)
    (row,) = rows(
        fp.audit(y, yhat, y_score=rounded, sensitive_features=area), measure="calibration slope"
    ).to_dict("records")
    outside = np.isin(rounded, [0, 1]).sum()
    assert row["note"] == f"{outside:,} score(s) of 0 or 1 taken for the nearest other one"
