"""Against confseq 0.0.11 (S. R. Howard and I. Waudby-Smith), whose numbers are kept here.

confseq needs a compiler, and `numpy.float_ = numpy.float64` before it is imported; so no test
imports it. Its mixture has the variance 1/ρ, where ρ = v_opt / (l + log(1 + l)) for l = 2 log(1/α),
with 2α for one side; v_opt is chosen here so that ρ = 1 / gap².
"""

import numpy as np
import pytest

from fairpairs.mathematics.sequential.evidence import half_width, limits, log_wealth_of_normal
from fairpairs.mathematics.sequential.rate_bets import RateBets, log_evidence_of_difference


@pytest.mark.parametrize(
    ("standard_error", "alpha", "gap", "width"),
    [
        (0.03, 0.05, 0.1, 0.09123793993078147),
        (0.01, 0.05, 0.1, 0.03273018624234933),
        (0.002, 0.01, 0.05, 0.007918265024174222),
        (0.2, 0.1, 0.5, 0.5528095194416038),
    ],
)
def test_half_widths_are_those_of_confseq(standard_error, alpha, gap, width):
    """`normal_mixture_bound(v, alpha, v_opt, 0.05, False) / v` with v = standard_error**-2."""
    assert half_width(standard_error**2, alpha, gap) == pytest.approx(width, rel=1e-12)


@pytest.mark.parametrize(
    ("estimate", "standard_error", "difference", "gap", "sides", "both"),
    [
        (0.1, 0.02, 0, 0.1, (11.083329208627669, -3.4826347796388095), 10.390182500220028),
        (0.1, 0.02, 0.05, 0.1, (2.0617671140214697, -2.8767749740195616), 1.3757594232969514),
        (-0.03, 0.01, -0.1, 0.05, (22.621791219238176, -3.801340573716171), 21.928644038681576),
        (0.01, 0.05, 0.1, 0.1, (-1.739870885245613, 1.1292301391571327), 0.4912810437829498),
        (-0.2, 0.03, 0, 0.2, (-4.041844019788886, 20.51812655839509), 19.824979377856707),
    ],
)
def test_evidence_is_that_of_confseq(estimate, standard_error, difference, gap, sides, both):
    """`normal_log_mixture(s, v, v_opt, 0.05, True)` for both signs of s; `False` for both sides."""
    wealth = log_wealth_of_normal(estimate, standard_error**2, np.array([difference]), gap)[:, 0]
    assert wealth == pytest.approx(sides, abs=1e-10)
    assert np.logaddexp(*wealth) - np.log(2) == pytest.approx(both, abs=1e-10)


#: share, rates → rows at which `betting_mart(x, 0.5, alpha=0.05, convex_comb=True)` is 20 or more,
#: where x = (y_1 − y_0 + 1) / 2 of the k-th items of group and reference (ten seeds); and twice the
#: width of `betting_cs(x, alpha=0.05, breaks=1000)` after 5,000 rows (five seeds).
CONFSEQ = {
    (0.5, (0.6, 0.5)): ((4805, 953, 2593, 310, 887, 2121, 157, 1250, 1745, 1379),
        (0.114, 0.118, 0.124, 0.114, 0.12)),
    (0.5, (0.2, 0.1)): ((2035, 818, 951, 821, 234, 808, 287, 1206, 681, 670),
        (0.074, 0.078, 0.078, 0.082, 0.076)),
    (0.1, (0.6, 0.5)): ((12288, 2243, 1476, 5136, 741, 4359, 5321, 3291, 1094, 9122),
        (0.194, 0.216, 0.222, 0.21, 0.204)),
}  # fmt: skip


def first_found(in_group, hit):
    """Return the rows until bets find a difference, up to the next hundred."""
    bets, zero = RateBets.new(np.zeros(1)), np.zeros(1)
    for end in range(100, len(hit) + 1, 100):
        ended = bets.append(in_group[end - 100 : end], hit[end - 100 : end])
        if any(log_evidence_of_difference(wealth, zero) >= np.log(20) for wealth in ended):
            return end
    return np.inf


@pytest.mark.slow
@pytest.mark.parametrize(("share", "rates"), CONFSEQ)
def test_bets_on_rates_find_gaps_sooner_than_confseq_does_on_pairs(share, rates):
    theirs, their_widths = CONFSEQ[share, rates]
    differences = np.linspace(-1, 1, 401).round(3)[1:-1]
    delays, widths = [], []
    for seed in range(len(theirs)):
        rng = np.random.default_rng(seed)
        in_group = rng.random(20_000) < share
        hit = rng.random(20_000) < np.where(in_group, *rates)
        delays.append(first_found(in_group, hit))
        if seed < len(their_widths):
            bets = RateBets.new(differences)
            bets.append(in_group[:5000], hit[:5000])
            low, high = limits(bets.log_wealth, differences, 0.05)
            widths.append(high - low)
    assert np.mean(delays) < np.mean(theirs)
    assert np.mean(widths) < np.mean(their_widths)
