from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose
from statsmodels.stats.power import normal_power_het

from fairpairs.papers.experiments.wald_power import (
    acceptance_probability,
    comparative_separation_power,
    separation_power,
)

# Table III of the paper, "Expected": n = 1,000 and 2,000; np = 2,000 and 4,000.
TABLE_3 = MappingProxyType(
    {
        "f0": ("0.0975", "0.0975", "0.0975", "0.0975"),
        "f1": ("0.4743", "0.7464", "0.5032", "0.7692"),
        "f2": ("0.7800", "0.9682", "0.7274", "0.9484"),
        "f3": ("0.7890", "0.9712", "0.8232", "0.9813"),
    }
)


@pytest.mark.slow
@given(
    st.floats(0.05, 0.95),
    st.floats(0.05, 0.95),
    st.integers(30, 5000),
    st.integers(30, 5000),
    st.sampled_from([0.001, 0.05, 0.2]),
)
def test_acceptance_is_one_less_the_power_of_statsmodels(p1, p2, n1, n2, alpha):
    sigma = np.sqrt(p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2)
    power = normal_power_het(p1 - p2, 1, alpha, std_null=sigma, std_alternative=sigma)
    beta = acceptance_probability(p1, n1, p2, n2, alpha=alpha)
    assert_allclose(1 - beta, power, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("classifier", TABLE_3)
def test_power_is_that_of_table_iii_to_the_printed_digit(table_1_items, classifier):
    items, printed = table_1_items[classifier], TABLE_3[classifier]
    found = [separation_power(items, n, critical_value=1.96) for n in (1000, 2000)]
    found += [comparative_separation_power(items, n, critical_value=1.96) for n in (2000, 4000)]
    assert tuple(f"{power:.4f}" for power in found) == printed


def test_power_is_computed_for_many_classifiers_at_once(table_1_items):
    items = np.stack(list(table_1_items.values()))
    for power in (separation_power, comparative_separation_power):
        assert_allclose(power(items, 1000), [power(i, 1000) for i in items], rtol=1e-12)
