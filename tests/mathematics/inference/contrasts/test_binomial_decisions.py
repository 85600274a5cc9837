"""Which of many tables are rejected, beside the exact p of each, and by enumeration."""

import numpy as np
import pytest
from scipy.stats import binom, fisher_exact, hypergeom

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.inference.contrasts.binomial import (
    BinomialContrast,
    binomial_differences,
)
from fairpairs.mathematics.inference.contrasts.binomial_decisions import (
    are_different,
    confidence_set,
)
from fairpairs.mathematics.inference.contrasts.score_statistic import score_statistic

#: Sizes of both samples.
SIZES = ((5, 5), (8, 8), (10, 10), (7, 23), (20, 20), (30, 35), (40, 40))
UNEQUAL = ((5, 40), (12, 31), (15, 60))


def random_tables(seed: int, number: int, most: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, most, (2, number))
    p = rng.beta(0.6, 0.6, number) * min(1, 3000 / most)
    q = np.clip(p + rng.normal(0, 2, number) * np.sqrt(3 * p * (1 - p) / most), 0, 1)
    return rng.binomial(n, q), n, rng.binomial(m, p), m


@pytest.mark.parametrize("most", [12, 60, 400, 3000, 100_000])
def test_decisions_are_those_of_each_p(most: int) -> None:
    k, n, other, m = random_tables(most, 150, most)
    level = np.random.default_rng(0).choice([0.05, 0.025, 0.2, 0.001, 1e-5, 1e-8], 150)
    tables = zip(k.tolist(), n.tolist(), other.tolist(), m.tolist(), strict=True)
    varying = (k + other > 0) & (k + other < n + m)
    pvalues = np.array([BinomialContrast((a, c), (b, d)).pvalue() for a, b, c, d in tables])
    assert np.array_equal(are_different(k, n, other, m, level), varying & (pvalues < level))


def test_tables_without_a_test_are_not_rejected() -> None:
    tables = np.array([[0, 0, 3, 10], [3, 10, 0, 0], [0, 40, 0, 50], [40, 40, 50, 50]]).T
    assert not are_different(*tables, 0.3).any()
    assert are_different(*tables[:, :0], 0.3).shape == (0,)


def test_equally_extreme_rare_counts_of_many_trials_are_counted() -> None:
    """The statistics of ties must not differ by rounding: 5 of 4,920 against 2 of 22,756."""
    successes, trials = (5, 2), (4920, 22_756)
    counts, share = np.arange(80), 7 / sum(trials)
    k, other = counts[:, None], counts
    with np.errstate(invalid="ignore"):
        statistic = score_statistic(k, other, *trials, 0.0)[0]
    extreme = statistic >= statistic[successes] - 1e-9
    largest = max(
        float((binom.pmf(k, trials[0], p) * binom.pmf(other, trials[1], p))[extreme].sum())
        for p in np.linspace(0.3 * share, confidence_set(2, trials[1], 1e-6)[1], 400)
    )
    pvalue = BinomialContrast(successes, trials).pvalue_above(0.0)
    assert pvalue == pytest.approx(largest, rel=0.01)


def rejections(n: int, m: int, alpha: float = 0.05) -> np.ndarray:
    return are_different(np.arange(n + 1)[:, None], n, np.arange(m + 1), m, alpha)


def power(rejected: np.ndarray, rates: Floats, others: Floats) -> Floats:
    """The chance of a rejection at each two rates."""
    n, m = np.array(rejected.shape) - 1
    first = binom.pmf(np.arange(n + 1), n, rates[:, None])
    return np.asarray(first @ rejected @ binom.pmf(np.arange(m + 1), m, others[:, None]).T)


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_the_level_holds_at_every_rate(alpha: float) -> None:
    rates = np.linspace(0.001, 0.999, 500)
    for sizes in (*SIZES, *UNEQUAL):
        for n, m in (sizes, sizes[::-1]):
            size = np.diagonal(power(rejections(n, m, alpha), rates, rates)).max()
            print(n, m, alpha, round(size, 4))
            assert size <= alpha + 1e-4


def fisher(n: int, m: int) -> Floats:
    """The two-sided p of Fisher's test for all counts, shape (n + 1, m + 1): of as rare counts."""
    counts = np.add.outer(np.arange(n + 1), np.arange(m + 1))
    pvalues = np.ones((n + 1, m + 1))
    for total in range(n + m + 1):
        k, other = np.nonzero(counts == total)
        chance = hypergeom.pmf(k, n + m, total, n)
        as_rare = chance <= chance[:, None] * (1 + 1e-7)
        pvalues[k, other] = np.where(as_rare, chance, 0).sum(axis=1)
    return pvalues


def test_the_p_of_fishers_test_is_scipys() -> None:
    for k, other in ((0, 3), (2, 20), (5, 5), (7, 23)):
        expected = fisher_exact([[k, 7 - k], [other, 23 - other]]).pvalue
        assert fisher(7, 23)[k, other] == pytest.approx(expected)


def test_the_power_beside_fishers_test() -> None:
    """The numbers of docs/explanation/methods.md: exact, where either finds 0.3 or more."""
    rates = np.linspace(0.05, 0.95, 19)
    for n, m in (*SIZES, *UNEQUAL):
        ours = power(rejections(n, m), rates, rates)
        theirs = power(fisher(n, m) < 0.05, rates, rates)
        gained = (ours - theirs)[np.maximum(ours, theirs) > 0.3]
        print(n, m, *(round(x, 3) for x in (gained.mean(), gained.min(), gained.max())))
        assert gained.mean() >= 0


@pytest.mark.slow
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("most", [12, 60, 400])
def test_p_and_interval_always_agree(alternative: str, most: int) -> None:
    rng = np.random.default_rng(most)
    tables = random_tables(most + 2, 40, most)
    for table in zip(*tables, strict=True):
        one = [np.array([x]) for x in table]
        options = {"alternative": alternative}
        pvalue = binomial_differences(*one, alpha=0.05, **options)[0].pvalue[0]
        # a level so near to p that the end is near to 0
        alpha = pvalue * rng.choice([0.99, 0.9995, 1.0005, 1.01])
        if not 0 < alpha < 0.5:
            continue
        tests, _ = binomial_differences(*one, alpha=alpha, **options)
        assert (pvalue < alpha) == bool(tests.ci_low[0] > 0 or tests.ci_high[0] < 0)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m"), [(12, 12), (8, 25)])
def test_intervals_cover(n: int, m: int) -> None:
    k, other = (x.ravel() for x in np.meshgrid(np.arange(n + 1), np.arange(m + 1), indexing="ij"))
    tests, _ = binomial_differences(k, np.full_like(k, n), other, np.full_like(k, m), alpha=0.05)
    for p in (0.02, 0.2, 0.5, 0.9):
        for q in (0.05, 0.3, 0.5, 0.97):
            covers = (tests.ci_low <= p - q) & (p - q <= tests.ci_high)
            assert power(covers.reshape(n + 1, m + 1), np.array([p]), np.array([q])) >= 0.949
