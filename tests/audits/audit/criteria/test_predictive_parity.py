"""Precision, false omission rate, FNR and FDR."""

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose
from scipy.stats import fisher_exact
from statsmodels.stats.proportion import confint_proportions_2indep, proportions_ztest

import fairpairs as fp
from fairpairs.audits.audit.comparison import comparisons
from fairpairs.audits.audit.criteria import ERROR_RATES, PREDICTIVE_PARITY
from fairpairs.mathematics.arguments.design import SamplingDesign

from ..synthetic import items, rows, two


def test_precision_and_false_omission_rate_are_compared_as_other_rates(data, full):
    part, member = two(data, "b")
    for measure, prediction in (("precision", 1), ("false omission rate", 0)):
        (row,) = rows(full, measure=measure, attribute="race", group="b").to_dict("records")
        inside = part["yhat"] == prediction
        table = pd.crosstab(member[inside], part["y"][inside]).to_numpy()
        counted, of = table[::-1, 1], table[::-1].sum(axis=1)
        assert_allclose(row["estimate"], counted[0] / of[0] - counted[1] / of[1])
        assert_allclose(row["pvalue"], proportions_ztest(counted, of)[1])
        interval = confint_proportions_2indep(
            counted[0], of[0], counted[1], of[1], method="newcomb"
        )
        assert_allclose([row["ci_low"], row["ci_high"]], interval)
        assert row["n"] == inside.sum()


def test_error_rates_are_complements(full):
    pairs = {"FNR": "TPR", "FDR": "precision"}
    for error, rate in pairs.items():
        ours, theirs = (rows(full, measure=name).reset_index() for name in (error, rate))
        assert_allclose(ours["estimate"], -theirs["estimate"])
        assert_allclose(ours["ci_low"], -theirs["ci_high"])
        assert_allclose(ours["ci_high"], -theirs["ci_low"])
        assert_allclose(ours["pvalue"], theirs["pvalue"])


def test_few_predictions_are_tested_by_fisher():
    y = np.tile([0, 1], 300)
    group = np.where(np.arange(600) < 60, "few", "many")
    yhat = np.where(np.arange(600) % 20 < 3, 1, 0)
    yhat[:60] = 0
    yhat[[1, 3, 5]] = 1
    frame = fp.audit(y, yhat, sensitive_features=group).to_frame().set_index("measure")
    inside = yhat == 1
    table = pd.crosstab(group[inside], y[inside]).to_numpy()
    row = frame.loc["precision"]
    assert_allclose(row["pvalue"], fisher_exact(table).pvalue)
    assert row["smallest_cell"] == 3
    yhat[:60] = 0
    frame = fp.audit(y, yhat, sensitive_features=group).to_frame().set_index("measure")
    assert frame.loc[["precision", "FDR"], "note"].eq("empty cell").all()
    assert np.isfinite(frame.loc["false omission rate", "pvalue"])


def test_equal_weights_of_single_items_give_the_same_estimates(data):
    member = (data["race"] == "b").to_numpy().astype(int)
    plain = items(data["y"], data["yhat"], member)
    weighted = replace(plain, design=SamplingDesign(len(data), None, np.full(len(data), 2.0)))
    for line in (PREDICTIVE_PARITY, ERROR_RATES):
        both = (line.rows(next(comparisons(of))) for of in (plain, weighted))
        for ours, theirs in zip(*both, strict=True):
            for name in ("estimate", "ratio", "n", "smallest_cell"):
                assert_allclose(getattr(ours, name), getattr(theirs, name))
            for name in ("ci_low", "ci_high", "ratio_low", "ratio_high"):
                assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=0.02, atol=2e-3)
