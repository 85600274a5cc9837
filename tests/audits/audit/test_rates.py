"""The rates of each group against Fairlearn, scikit-learn and statsmodels."""

from math import comb

import fairlearn.metrics as fairlearn
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import accuracy_score, precision_score, roc_auc_score
from statsmodels.stats.proportion import proportion_confint

import fairpairs as fp

from .synthetic import rows


@pytest.mark.slow
def test_the_rates_are_those_of_fairlearn(data, full):
    metrics = {
        "selection rate": fairlearn.selection_rate,
        "TPR": fairlearn.true_positive_rate,
        "FPR": fairlearn.false_positive_rate,
        "FNR": fairlearn.false_negative_rate,
        "precision": precision_score,
        "FDR": lambda y, yhat: 1 - precision_score(y, yhat),
        "FOR": lambda y, yhat: 1 - precision_score(y, yhat, pos_label=0),
        "accuracy": accuracy_score,
    }
    features = {"race": data["race"], "sex": data["sex"], "race & sex": data[["race", "sex"]]}
    for name, groups in features.items():
        frame = fairlearn.MetricFrame(
            metrics=metrics, y_true=data["y"], y_pred=data["yhat"], sensitive_features=groups
        )
        rates = full.rates[full.rates["attribute"] == name]
        ours = rates.pivot(index="group", columns="measure", values="estimate")
        assert_allclose(ours[list(metrics)], frame.by_group[list(metrics)].astype(float))
        gaps = rows(full, attribute=name, measure="TPR")
        assert len(gaps) == comb(len(ours), 2)
        first, second = (ours["TPR"][gaps[side]].to_numpy() for side in ("group", "reference"))
        assert_allclose(gaps["estimate"], first - second, atol=1e-12)
    auc = full.rates.query("attribute == 'race' and measure == 'AUC'").set_index("group")
    for group, own in data.groupby("race"):
        assert_allclose(auc.loc[group, "estimate"], roc_auc_score(own["y"], own["score"]))


def test_the_rates_have_wilsons_intervals(full):
    rates = full.rates[full.rates["count"].notna()]
    assert {"base rate", "TPR", "precision"} <= set(rates["measure"])
    low, high = proportion_confint(rates["count"], rates["n"], method="wilson")
    assert_allclose(rates["estimate"], rates["count"] / rates["n"])
    assert_allclose(rates[["ci_low", "ci_high"]].T, [low, high])


def test_a_score_from_0_to_1_has_a_mean(data, full):
    found = full.rates.query("attribute == 'race' and measure == 'mean score'").set_index("group")
    assert_allclose(found["estimate"], data.groupby("race")["score"].mean())
    beyond = fp.audit(
        data["y"], data["yhat"], y_score=2 * data["score"], sensitive_features=data["race"]
    )
    alone = fp.audit(data["y"], data["score"], sensitive_features=data["race"])
    for result in (beyond, alone):
        assert "mean score" not in set(result.rates["measure"])
