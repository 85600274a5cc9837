"""Bets on the difference of two rates."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from fairpairs.mathematics.sequential import rate_bets
from fairpairs.mathematics.sequential.evidence import PAST, limits, log_evidence_beyond, pvalue

DIFFERENCES = np.array([-0.4, -0.1, 0.0, 0.1, 0.4])


def stream(seed, n=3000, share=0.3, rates=(0.4, 0.4)):
    """Return groups and outcomes."""
    rng = np.random.default_rng(seed)
    in_group = rng.random(n) < share
    return in_group, rng.random(n) < np.where(in_group, *rates)


@pytest.mark.parametrize("step", [1, 7, 500])
def test_wealth_does_not_depend_on_how_items_are_divided(step):
    in_group, hit = stream(1, rates=(0.5, 0.4))
    whole, parts = rate_bets.RateBets.new(DIFFERENCES), rate_bets.RateBets.new(DIFFERENCES)
    ended = whole.append(in_group, hit)
    found = []
    for i in range(0, len(hit), step):
        found += parts.append(in_group[i : i + step], hit[i : i + step])
    np.testing.assert_array_equal(np.array(ended), np.array(found))
    np.testing.assert_array_equal(whole.log_wealth, parts.log_wealth)
    for name in ("items", "hits", "waiting_items", "waiting_hits"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))
    assert whole.items.sum() + whole.waiting_items.sum() == len(hit)
    assert whole.hits.sum() + whole.waiting_hits.sum() == hit.sum()


def test_a_block_ends_when_both_groups_have_two_percent_more():
    in_group = np.tile([True, False], 2000)
    bets = rate_bets.RateBets.new(DIFFERENCES)
    sizes = []
    for i in range(0, 4000, 2):
        if bets.append(in_group[i : i + 2], np.zeros(2, dtype=bool)):
            sizes.append(int(bets.items[0]))
    steps = np.diff([0, *sizes])
    assert steps.tolist() == [max(1, math.ceil(0.02 * before)) for before in [0, *sizes[:-1]]]


@pytest.mark.parametrize(
    ("items", "hits", "block"),
    [((0, 0), (0, 0), (1, 1)), ((9, 4), (6, 1), (3, 2)), ((40, 900), (39, 20), (1, 5)),
     ((5, 5), (5, 0), (2, 4))],
)  # fmt: skip
def test_no_bet_is_better_than_fair_under_its_hypothesis(items, hits, block):
    """The expected factor is summed over all outcomes of a block, for rates on a grid."""
    outcomes = np.array(list(itertools.product(*(range(n + 1) for n in block))))
    size = np.broadcast_to(np.array(block), outcomes.shape)
    before = (np.broadcast_to(np.array(each), outcomes.shape) for each in (items, hits))
    factor = np.exp(rate_bets.log_factors(*before, size, outcomes, DIFFERENCES, 0.1))
    ways = [[math.comb(n, k) for n, k in zip(block, outcome, strict=True)] for outcome in outcomes]
    for rates in itertools.product(np.linspace(0, 1, 21).round(12), repeat=2):
        rate = np.array(rates)
        chance = (np.array(ways) * rate**outcomes * (1 - rate) ** (size - outcomes)).prod(axis=1)
        expected = np.einsum("o,osd->sd", chance, factor)
        difference = round(rates[0] - rates[1], 12)
        assert (expected[0, difference <= DIFFERENCES] <= 1 + 1e-9).all()
        assert (expected[1, difference >= DIFFERENCES] <= 1 + 1e-9).all()
        if difference == 0:
            assert expected[:, 2].max() <= 1 + 1e-9


def likeliest(n, rates, difference):
    """The likeliest rate of the reference, by a search."""

    def surprise(y):
        terms = zip(n, rates, (y + difference, y), strict=True)
        return -sum(m * (r * math.log(p) + (1 - r) * math.log(1 - p)) for m, r, p in terms)

    bounds = max(0, -difference), min(1, 1 - difference)
    return minimize_scalar(surprise, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x


@pytest.mark.parametrize("seed", range(5))
def test_the_likeliest_rates_of_a_difference_are_those_of_a_search(seed):
    rng = np.random.default_rng(seed)
    differences = np.array([-0.95, -0.6, -0.1, 0, 0.02, 0.3, 0.9])
    n = rng.integers(1, 2000, (40, 2)) + 1.0
    rates = rng.uniform(0.5 / n, 1 - 0.5 / n)
    found = rate_bets.likeliest_reference(n[..., None], rates[..., None], differences)
    for m, r, of_case in zip(n, rates, found, strict=True):
        for d, reference in zip(differences, of_case, strict=True):
            room = (min(1, 1 - d) - max(0, -d)) / 2
            edge = min(0.5 / m.sum(), room)
            wanted = np.clip(likeliest(m, r, d), max(0, -d) + edge, min(1, 1 - d) - edge)
            assert reference == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("rates", [(0.5, 0.5), (0.7, 0.8), (0.98, 0.9), (0.02, 0.3)])
@pytest.mark.parametrize("share", [0.02, 0.1, 0.5])
def test_limits_lie_close_together_whatever_the_share(share, rates):
    """Without the likeliest rates, bets against far differences of small groups lose."""
    differences = np.linspace(-1, 1, 201).round(3)[1:-1]
    bets = rate_bets.RateBets.new(differences)
    in_group, hit = stream(3, n=10_000, share=share, rates=rates)
    bets.append(in_group, hit)
    low, high = limits(bets.log_wealth, differences, 0.05)
    variance = [rate * (1 - rate) / n for rate, n in zip(rates, bets.items, strict=True)]
    assert low <= rates[0] - rates[1] <= high
    assert high - low < 2.5 * 2 * 1.96 * math.sqrt(sum(variance)) + 0.02
    kept = bets.log_wealth.sum(axis=0) < math.log(20)
    assert np.array_equal(kept, (differences > low) & (differences < high))


def test_a_block_multiplies_the_wealth_by_the_factors_of_its_items():
    """Against a loop over items that follows the formula of the notes."""
    items, hits = np.array([50, 80]), np.array([30, 32])
    block, won = np.array([3, 2]), np.array([2, 0])
    found = rate_bets.log_factors(items, hits, block, won, np.array([0.1]), 0.2)[0, 0]
    reference = likeliest((51, 81), (30.5 / 51, 32.5 / 81), 0.1)
    group = reference + 0.1
    spread, other = group * (1 - group), reference * (1 - reference)
    known = 1 / (spread / 50 + other / 80)
    apart = (30.5 / 51 - 32.5 / 81 - 0.1) * known / (known + 1 / 0.2**2)
    stake = apart / (spread / 3 + other / 2)
    factors = [1 + stake / 3 * (y - group) for y in (1, 1, 0)]
    factors += [1 - stake / 2 * (y - reference) for y in (0, 0)]
    assert stake > 0
    assert found == pytest.approx(math.log(math.prod(factors)), abs=1e-8)


def test_evidence_and_limits():
    in_group, hit = stream(2, n=6000, share=0.5, rates=(0.6, 0.4))
    bets = rate_bets.RateBets.new(np.linspace(-1, 1, 81).round(3)[1:-1])
    bets.append(in_group, hit)
    low, high = limits(bets.log_wealth, bets.differences, 0.05)
    assert 0.1 < low < 0.2 < high < 0.3
    evidence = rate_bets.log_evidence_of_difference(bets.log_wealth, bets.differences)
    assert evidence > math.log(20)
    assert evidence == bets.log_wealth[:, 39].sum()
    beyond = [log_evidence_beyond(bets.log_wealth, bets.differences, m) for m in (0.1, 0.3)]
    assert beyond[0] > math.log(20) > beyond[1]
    assert pvalue(np.array([-2.0, 0.0, math.log(20)])).tolist() == pytest.approx([1, 1, 0.05])


@pytest.mark.parametrize("seed", range(12))
def test_limits_leave_out_0_exactly_if_a_difference_is_shown(seed):
    differences = np.linspace(-1, 1, 201).round(3)[1:-1]
    bets = rate_bets.RateBets.new(differences)
    bets.append(*stream(seed, n=300, share=0.4, rates=(0.6, 0.4)))
    low, high = limits(bets.log_wealth, differences, 0.05)
    evidence = rate_bets.log_evidence_of_difference(bets.log_wealth, differences)
    assert (low > 0 or high < 0) == (evidence >= math.log(20))


def test_limits_exclude_a_difference_only_with_all_farther_out():
    wealth = np.log([[90, 90, 1, 90, 1], [1, 1, 1, 1, 90]])
    assert limits(wealth, np.array([-0.5, 0, 0.2, 0.4, 0.5]), 0.05) == (PAST, 0.5)
