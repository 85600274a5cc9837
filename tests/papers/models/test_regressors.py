"""Regressors: a subsample is fitted if the cost is cubic."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fairpairs.papers.models import regressors
from fairpairs.papers.models.regressors import MAX_ITEMS, REGRESSORS, SUBSAMPLED, fit_predict


@pytest.mark.slow
def test_a_subsample_is_fitted_where_cost_is_cubic(monkeypatch):
    assert MAX_ITEMS == 2000
    assert set(SUBSAMPLED) <= set(REGRESSORS)
    monkeypatch.setattr(regressors, "MAX_ITEMS", 30)
    x = np.random.default_rng(0).normal(size=(80, 2))
    tested = np.arange(80) < 20
    predicted, fitted = fit_predict("kernel_ridge", x, x[:, 0], tested, 1)
    assert fitted == 30
    assert len(predicted) == 20
    assert_array_equal(fit_predict("kernel_ridge", x, x[:, 0], tested, 1)[0], predicted)
    assert fit_predict("linear", x, x[:, 0], tested, 1)[1] == 60
