import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression
from statsmodels.api import Logit, add_constant

from fairpairs import InputError
from fairpairs.mathematics.density_ratio.logistic import NAMED, LogisticRatio
from tests.normals import AT, both, normals


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize(
    ("name", "keywords"),
    [
        ("logistic", {"C": np.inf, "tol": 1e-10, "max_iter": 5000}),
        ("ridge", {"tol": 1e-10, "max_iter": 5000}),
        (
            "lasso",
            {"l1_ratio": 1, "solver": "saga", "tol": 1e-10, "max_iter": 50_000, "random_state": 0},
        ),
    ],
)
def test_classifiers_give_the_odds_times_the_balance(name, keywords, d):
    """The intercept of the lasso is penalised hardly, hence the tolerance."""
    one, zero = normals(d=d)
    at = np.random.default_rng(1).normal(size=(7, d))
    p = LogisticRegression(**keywords).fit(*both(one, zero)).predict_proba(at)[:, 1]
    ratio = NAMED[name].fit(one, zero)
    assert_allclose(ratio(at), p / (1 - p) * 60 / 40, rtol=0.01 if name == "lasso" else 1e-4)
    capped = np.minimum(p, 0.45)
    expected = capped / (1 - capped) * 60 / 40
    assert_allclose(ratio(at, 0.45), expected, rtol=0.01 if name == "lasso" else 1e-4)
    assert (p > 0.45).any()


@pytest.mark.parametrize("gap", [0.5, 2.0, 3.5])
def test_the_logistic_ratio_is_that_of_statsmodels_however_far_the_groups_lie_apart(gap):
    """scikit-learn's tolerance of 1e-4 would leave errors of up to 3 % at a gap of 3 or more."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        one, zero = rng.normal(gap, 1, (400, 1)), rng.normal(0, 1, (400, 1))
        x, a = both(one, zero)
        fit = Logit(a, add_constant(x)).fit(method="newton", tol=1e-14, maxiter=100, disp=0)
        expected = np.exp(add_constant(zero) @ fit.params)
        assert_allclose(NAMED["logistic"].fit(one, zero)(zero), expected, rtol=1e-8)


@pytest.mark.parametrize(
    ("one", "zero"),
    [
        ([1.0, 2, 3], [-1.0, -2, -3]),
        ([0.0, 1, 1], [0.0, -1, -1]),  # they share the boundary
        ([-1.0, -1, -1], [0.0, 0, 5]),
    ],
)
def test_separable_groups_need_a_cap_or_a_penalty(one, zero):
    one, zero = np.array(one)[:, None], np.array(zero)[:, None]
    ratio = LogisticRatio().fit(one, zero)
    with pytest.raises(InputError, match="separated perfectly, so an unpenalised ratio has no end"):
        ratio(AT)
    assert ratio(AT, 0.999).max() == pytest.approx(999)
    assert np.isfinite(NAMED["ridge"].fit(one, zero)(AT)).all()


def test_an_overflow_is_told():
    one, zero = np.array([[1.0], [2.0]]), np.array([[-1.0], [1.5]])
    ratio = LogisticRatio().fit(one, zero)
    with pytest.raises(InputError, match="overflows, because the groups hardly overlap: give a"):
        ratio(np.array([[1e6]]))
    assert ratio(np.array([[1e6]]), 0.9)[0] == pytest.approx(9)


def test_collinear_columns_say_as_much_as_one():
    one, zero = normals()
    expected = LogisticRatio().fit(one, zero)(AT)
    twice = LogisticRatio().fit(np.hstack([one, 2 * one]), np.hstack([zero, 2 * zero]))
    assert_allclose(twice(np.hstack([AT, 2 * AT])), expected, rtol=1e-5)
    constant = LogisticRatio().fit(np.ones((5, 1)), np.ones((8, 1)))
    assert_allclose(constant(AT), 1)


def test_groups_that_a_boundary_separates_but_for_those_on_it_have_no_ratio():
    rng = np.random.default_rng(0)
    on = np.column_stack([np.zeros(40), rng.normal(size=40)])  # of both groups
    right, left = np.abs(rng.normal(size=(2, 30, 1))) + 0.2
    one = np.vstack([on[:20], np.hstack([right, rng.normal(size=(30, 1))])])
    zero = np.vstack([on[20:], np.hstack([-left, rng.normal(size=(30, 1))])])
    fitted = LogisticRatio().fit(one, zero)
    with pytest.raises(InputError, match="separated perfectly"):
        fitted(one)
    assert np.isfinite(fitted(one, 0.99)).all()
    # an item of each group beyond the boundary, and there is a finite fit
    both = LogisticRatio().fit(np.vstack([one, [[-3, 0]]]), np.vstack([zero, [[3, 0]]]))
    assert np.isfinite(both(one)).all()
