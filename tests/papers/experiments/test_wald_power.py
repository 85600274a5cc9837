from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose
from scipy.stats import norm
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


def test_equal_proportions_are_accepted_with_one_less_the_level():
    assert_allclose(acceptance_probability(0.3, 50, 0.3, 900, alpha=0.2), 0.8, rtol=1e-12)


def test_acceptance_is_computed_for_arrays_at_once():
    beta = acceptance_probability([0.4, 0.5], 100, [[0.4], [0.6]], 200)
    assert beta.shape == (2, 2)
    assert_allclose(beta[1, 0], acceptance_probability(0.4, 100, 0.6, 200), rtol=1e-12)


@pytest.mark.parametrize("classifier", TABLE_3)
def test_power_is_that_of_table_iii_to_the_printed_digit(table_1_items, classifier):
    items, printed = table_1_items[classifier], TABLE_3[classifier]
    found = [separation_power(items, n, critical_value=1.96) for n in (1000, 2000)]
    found += [comparative_separation_power(items, n, critical_value=1.96) for n in (2000, 4000)]
    assert tuple(f"{power:.4f}" for power in found) == printed


@pytest.mark.parametrize("classifier", TABLE_3)
def test_the_exact_quantile_changes_table_iii_by_one_in_the_last_digit_at_most(
    table_1_items, classifier
):
    items, printed = table_1_items[classifier], TABLE_3[classifier]
    found = [separation_power(items, n) for n in (1000, 2000)]
    found += [comparative_separation_power(items, n) for n in (2000, 4000)]
    assert_allclose(found, [float(power) for power in printed], atol=1e-4)


def test_a_critical_value_stands_in_for_the_quantile_of_the_level():
    # the level whose two-sided quantile is 1.5
    given = acceptance_probability(0.4, 300, 0.5, 200, critical_value=1.5)
    level = 2 * norm.sf(1.5)
    assert_allclose(given, acceptance_probability(0.4, 300, 0.5, 200, alpha=level), rtol=1e-12)


def test_power_is_computed_for_many_classifiers_at_once(table_1_items):
    items = np.stack(list(table_1_items.values()))
    for power in (separation_power, comparative_separation_power):
        assert_allclose(power(items, 1000), [power(i, 1000) for i in items], rtol=1e-12)


def z_test_rejects(k1, n1, k2, n2):
    p1, p2 = k1 / n1, k2 / n2
    return np.abs(p1 - p2) / np.sqrt(p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2) > 1.959964


def test_acceptance_is_how_often_the_z_test_accepts():
    # 20,000 tests with 4,000 and 6,000 trials; standard error at most 0.0035
    rng = np.random.default_rng(0)
    for p1, p2 in ((0.5, 0.5), (0.5, 0.52), (0.8, 0.77), (0.1, 0.09)):
        k1, k2 = rng.binomial(4000, p1, 20_000), rng.binomial(6000, p2, 20_000)
        beta = acceptance_probability(p1, 4000, p2, 6000)
        error = np.sqrt(beta * (1 - beta) / 20_000)
        assert_allclose(1 - z_test_rejects(k1, 4000, k2, 6000).mean(), beta, atol=4.5 * error)


@pytest.mark.parametrize("classifier", ["f0", "f1", "f2", "f3"])
def test_separation_power_is_how_often_a_sample_of_items_violates(table_1_items, classifier):
    # 10,000 samples of 2,000 items; standard error at most 0.005
    items, n, r = table_1_items[classifier], 2000, 10_000
    counts = np.random.default_rng(1).multinomial(n, items.ravel(), size=r).reshape(r, 2, 2, 2)
    rejected = np.zeros(r, dtype=bool)
    for y in (0, 1):
        cells = counts[:, :, y]
        rejected |= z_test_rejects(
            cells[:, 1, 1], cells[:, 1].sum(axis=1), cells[:, 0, 1], cells[:, 0].sum(axis=1)
        )
    power = float(separation_power(items, n))
    assert_allclose(rejected.mean(), power, atol=4.5 * np.sqrt(power * (1 - power) / r))


@pytest.mark.slow
@pytest.mark.parametrize("classifier", ["f0", "f1", "f2", "f3"])
def test_comparative_power_is_how_often_pairs_of_fresh_items_violate(table_1_items, classifier):
    # 2,000 samples of 4,000 pairs, every pair made of two items; standard error at most 0.011
    items, n, r = table_1_items[classifier], 4000, 2000
    both = np.outer(items, items).ravel()
    drawn = np.random.default_rng(2).multinomial(n, both, size=r).reshape(r, *(2,) * 6)
    # the winner has the label 1, the loser 0; axes: group and prediction of either
    won = drawn[:, :, 1, :, :, 0, :] + drawn[:, :, 0, :, :, 1, :].transpose(0, 3, 4, 1, 2)
    k, m = won[:, :, 1, :, 0], won.sum(axis=(2, 4))
    rejected = z_test_rejects(k[:, 1, 0], m[:, 1, 0], k[:, 0, 1], m[:, 0, 1])
    rejected |= z_test_rejects(k[:, 1, 1], m[:, 1, 1], k[:, 0, 0], m[:, 0, 0])
    power = float(comparative_separation_power(items, n))
    assert_allclose(np.mean(rejected), power, atol=4.5 * np.sqrt(power * (1 - power) / r))


def test_power_grows_with_the_sample_and_with_the_level(table_1_items):
    for power in (separation_power, comparative_separation_power):
        by_size = [float(power(table_1_items["f1"], n)) for n in (500, 1000, 4000, 50_000)]
        by_level = [float(power(table_1_items["f1"], 1000, alpha=a)) for a in (0.01, 0.05, 0.1)]
        assert by_size == sorted(by_size)
        assert by_level == sorted(by_level)
        assert by_size[-1] > 0.999
