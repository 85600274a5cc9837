import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import check_estimator

import fairpairs as fp

ESTIMATORS = {
    "fairbalance": None,
    "reweighing": LogisticRegression(),
    "fairbalance_variant": RandomForestClassifier(5, random_state=0),
    "fair_reweighing": Ridge(),
}


@pytest.mark.slow
@pytest.mark.parametrize("weights", ESTIMATORS)
def test_it_is_an_estimator_of_scikit_learn(weights):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checks = check_estimator(
            fp.Reweighed(ESTIMATORS[weights], weights=weights), on_skip=None, on_fail=None
        )
    assert len(checks) > 40
    assert [check for check in checks if check["status"] == "failed"] == []


@pytest.mark.parametrize("weights", ["fairbalance", "reweighing"])
def test_it_is_the_estimator_with_the_weights(small_dataset, weights):
    X, y = small_dataset.frame[["amount"]], small_dataset.label
    groups = small_dataset.groups
    model = fp.Reweighed(weights=weights).fit(X, y, sensitive_features=groups)
    given = getattr(fp, f"{weights}_weights")(y, groups)
    by_hand = LogisticRegression().fit(X, y, sample_weight=given)
    assert_allclose(model.sample_weight_, given)
    assert_allclose(model.predict_proba(X), by_hand.predict_proba(X))
    assert model.score(X, y) == by_hand.score(X, y)


def test_what_it_cannot_use_is_said(small_dataset):
    X, y = small_dataset.frame[["amount"]], small_dataset.label
    with pytest.raises(fp.InputError, match="weights is 'magic': name one of fairbalance, "):
        fp.Reweighed(weights="magic").fit(X, y, sensitive_features=small_dataset.groups)
    with pytest.raises(fp.InputError, match="KNeighborsClassifier takes no `sample_weight`"):
        fp.Reweighed(KNeighborsClassifier()).fit(X, y, sensitive_features=small_dataset.groups)
    with pytest.raises(fp.InputError):
        fp.Reweighed().fit(X, y, sensitive_features=np.ones(3))
    with pytest.warns(UserWarning, match="fit got no sensitive_features: all rows are one group"):
        fp.Reweighed().fit(X, y)
