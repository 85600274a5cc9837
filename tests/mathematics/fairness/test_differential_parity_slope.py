import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy.stats import rankdata, t as student

from fairpairs import (
    differential_parity_slope_test,
    differential_parity_test,
)
from fairpairs.base.errors import InputError
from tests.mathematics.synthetic import decided


@pytest.mark.parametrize("attribute", ["values", "ranks"])
def test_a_continuous_attribute_has_the_slope_of_statsmodels(attribute):
    one, two, _ = decided(3)
    age = np.random.default_rng(3).uniform(20, 70, 80)
    coded = age if attribute == "values" else (rankdata(age) - 0.5) / 80
    result = differential_parity_slope_test(
        one, two, sensitive_features=age, alpha=0.1, attribute=attribute
    )
    fit = sm.OLS(one - two, sm.add_constant(coded)).fit(cov_type="HC3", use_t=True)
    row = result.to_frame().iloc[0]
    assert_allclose(row["estimate"], fit.params[1])
    assert_allclose(row["statistic"], fit.tvalues[1])
    # Bell and McCaffrey's degrees of freedom, by the matrices themselves
    design = sm.add_constant(coded)
    to_slope = np.linalg.pinv(design)
    residual = np.eye(80) - design @ to_slope
    spread = residual @ np.diag((to_slope[1] / np.diag(residual)) ** 2) @ residual
    dof = np.trace(spread) ** 2 / np.trace(spread @ spread)
    assert_allclose(row["dof"], dof)
    assert_allclose(row["pvalue"], 2 * student.sf(abs(fit.tvalues[1]), dof))
    margin = student.ppf(0.95, dof) * fit.bse[1]
    assert_allclose([row["ci_low"], row["ci_high"]], fit.params[1] + margin * np.array([-1, 1]))
    assert_allclose(row["effect_size"], np.corrcoef(one - two, coded)[0, 1])
    assert row["n"] == 80


def test_one_item_of_another_value_has_no_p_value_in_any_order():
    rng = np.random.default_rng(5)
    difference, attribute = rng.normal(size=200), np.arange(200) == 0
    for order in (np.arange(200), rng.permutation(200)):
        result = differential_parity_slope_test(
            difference[order], np.zeros(200), sensitive_features=attribute[order].astype(float)
        )
        row = result.to_frame().iloc[0]
        assert row[["pvalue", "ci_low", "ci_high", "statistic"]].isna().all()
        assert row["note"].startswith("one item decides the slope")
        assert result.violated is None


def test_a_slope_on_two_groups_is_the_difference_of_their_means():
    one, two, group = decided(4)
    slope = differential_parity_slope_test(one, two, sensitive_features=group, attribute="values")
    means = differential_parity_test(one, two, sensitive_features=group)
    assert_allclose(slope.difference.estimate, means.difference.estimate)


def test_an_attribute_of_another_kind_is_refused():
    with pytest.raises(InputError, match="attribute"):
        differential_parity_slope_test(
            [1, 0, 1, 0, 1], [0, 0, 1, 1, 0], sensitive_features=range(5), attribute="rank"
        )
