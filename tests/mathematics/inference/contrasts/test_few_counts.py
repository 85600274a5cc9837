"""Sums of few counts: their jumps, products of rates, and exact sizes by enumeration."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.stats import binom

from fairpairs.mathematics.inference.contrasts import score

HALVES = np.array([0.5, 0.5, -0.5, -0.5])


def product_contrast(successes, trials):
    rates, trials = successes / trials, trials * np.ones(successes.shape)
    nearer = score.continuity(
        rates, trials, score.shrunk(rates, trials)[..., score.PARTNERS] / trials
    )
    return score.ProductContrast(rates, trials, nearer=nearer)


def difference(contrast, rates):
    if contrast is product_contrast:
        return rates[0] * rates[1] - rates[2] * rates[3]
    return rates @ HALVES


def test_a_difference_needs_a_trial_of_each_rate_and_equal_sure_rates_show_none():
    rates, trials = (
        np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 1.0]]),
        np.array([[1, 9], [5, 7], [0, 9]]),
    )
    one, sure, nothing = score.differences_of_two(rates, trials)
    assert (sure.pvalue_above(0), sure.pvalue_below(0), nothing) == (0.5, 0.5, None)
    assert one.estimate == -1


@pytest.mark.parametrize("other", [60, 300, 1000, 3000])
def test_what_other_counts_leave_of_jumps_is_at_least_the_error_of_a_lattice(other):
    """The distribution of 10 coarse trials and many fine ones has the error of a sawtooth."""
    trials, rates = np.array([10.0, other]), np.array([0.5, 0.3])
    chance = score.shrunk(rates, trials)[1]
    k = np.arange(1, 300)[:, None]
    counts = np.arange(other + 1)
    wave = np.exp(2j * np.pi * k * counts * 10 / other)
    left = np.abs(wave @ binom.pmf(counts, other, chance))[:, None]
    where = np.linspace(0, 0.5, 400)
    # harmonics above half the number of fine trials belong to their own jumps
    left = np.where(k < other / 20, left, 0)
    sawtooth = (left * np.sin(2 * np.pi * k * where) / (np.pi * k)).sum(axis=0).max()
    found = score.continuity(rates, trials, np.array([1.0, 10 / other]))
    assert sawtooth <= found <= 0.5


def test_a_full_lattice_counts_half_a_step_and_many_trials_none():
    rates, trials = np.array([0.1, 0.1, 0.4, 0.4]), np.full(4, 25.0)
    assert score.continuity(rates, trials, HALVES**2) == pytest.approx(0.25 / 2)
    assert score.continuity(rates, trials, np.array([0.1, 0.3, 0.2, 0.1])) == pytest.approx(0.15)
    beside_large, beside_alike = np.array([[50.0, 6e4, 7e4, 8e4], [50, 73, 87, 91]])
    assert score.continuity(rates, beside_large, 1 / beside_large) > 0.008
    assert score.continuity(rates, beside_alike, 1 / beside_alike) < 1e-4


def test_rates_of_a_product_differ_by_the_null_value_and_are_likely():
    rng = np.random.default_rng(0)
    for _ in range(6):
        n = rng.integers(5, 60, 4).astype(float)
        k = rng.binomial(n.astype(int), rng.random(4))
        contrast = product_contrast(k, n)
        null = contrast.limits(0.01)[rng.integers(2)]

        def minus_likelihood(p, k=k, n=n):
            p = np.clip(p, 1e-9, 1 - 1e-9)
            return -(k * np.log(p) + (n - k) * np.log1p(-p)).sum()

        equal = {"type": "eq", "fun": lambda p, d=null: difference(product_contrast, p) - d}
        fits = [
            minimize(
                minus_likelihood, start, bounds=[(1e-6, 1 - 1e-6)] * 4, constraints=equal,
                tol=1e-12,
            )
            for start in rng.uniform(0.1, 0.9, (4, 4))
        ]  # fmt: skip
        best = min(fit.fun for fit in fits if fit.success)
        found = likeliest(contrast, null)
        assert difference(product_contrast, found) == pytest.approx(null, abs=1e-9)
        # the likeliest would differ with the slopes, which change
        assert minus_likelihood(found) < best + 2
        low, high = contrast.limits(0.1)
        assert contrast.pvalue_above(low) == pytest.approx(0.05, abs=1e-9)
        assert contrast.pvalue_below(high) == pytest.approx(0.05, abs=1e-9)


def likeliest(contrast, null):
    """The rates at a null value, by bisection."""
    sign = 1.0 if contrast.estimate > null else -1.0
    low, high = -40.0, 40.0
    for _ in range(200):
        middle = (low + high) / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            rates = contrast._restricted(np.asarray(sign * np.exp(middle)))
        low, high = (low, middle) if sign * (null - contrast._sum(rates)) > 0 else (middle, high)
    return rates


def test_moments_of_a_product_by_enumeration():
    trials, rates = np.array([4.0, 7, 5, 6]), np.array([0.3, 0.6, 0.8, 0.2])
    counts = np.stack(np.meshgrid(*(np.arange(n + 1) for n in trials), indexing="ij"), axis=-1)
    chance = binom.pmf(counts, trials, rates).prod(axis=-1)
    shares = counts / trials
    found = shares[..., 0] * shares[..., 1] - shares[..., 2] * shares[..., 3]
    apart = found - (chance * found).sum()
    second, third = score.ProductContrast(rates, trials).moments(rates)
    assert second.sum() == pytest.approx((chance * apart**2).sum(), rel=1e-12)
    # terms of higher order are left out of the third
    assert third.sum() == pytest.approx((chance * apart**3).sum(), rel=0.15)


def test_intervals_of_products_agree_with_p_in_extreme_tables():
    rng, n = np.random.default_rng(1), np.exp(np.random.default_rng(1).uniform(2, 7, (2000, 4)))
    n = np.floor(n)
    rates = rng.choice([0.002, 0.01, 0.03, 0.1, 0.5, 0.9, 0.99, 0.998], n.shape)
    counts = rng.binomial(n.astype(int), rates)
    known = (counts.reshape(-1, 2, 2).max(axis=-1) > 0).all(axis=-1)
    contrast = product_contrast(counts[known], n[known])
    low, high = contrast.limits(0.1)
    for null in np.linspace(-0.5, 0.5, 21):
        assert_array_equal(contrast.tail(null, 1) < 0.05, null < low)
        assert_array_equal(contrast.tail(null, -1) < 0.05, null > high)


def test_products_of_many_tables_are_tested_as_each():
    rng, n = np.random.default_rng(3), np.array([50, 40, 12, 9])
    counts = rng.binomial(n, 0.3 + 0.5 * rng.random((15, 4)))
    many = product_contrast(counts, n)
    for i, table in enumerate(counts):
        one = product_contrast(table, n)
        assert_allclose(np.array(many.limits(0.05))[:, i], one.limits(0.05), atol=1e-10)
        assert_allclose(many.pvalue(0.1)[i], one.pvalue(0.1), rtol=1e-7)
