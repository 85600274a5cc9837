"""How often differences of a ranking are found, and how often intervals cover, in simulations."""

import numpy as np
import pytest
from scipy.stats import norm

from fairpairs import xauc_of_normal_scores
from fairpairs.mathematics.inference.gap_variances import binary_trials
from fairpairs.mathematics.inference.mover import rate_limits
from fairpairs.mathematics.inference.ranking_differences import (
    difference_variances,
    differences_from_rates,
)
from fairpairs.mathematics.inference.results import adjusted
from tests import promises
from tests.mathematics.synthetic import ranking_rates_of_sets

#: Data sets of a simulation, and three and a third Monte Carlo errors of a share of 0.05.
REPEATS = 300
FAR = 3.33 * np.sqrt(0.05 * 0.95 / REPEATS)


def far(share):
    """Three and a third Monte Carlo errors of a share that is known to 0.01."""
    return 0.005 + 3.33 * np.sqrt(max(share * (1 - share), 0.02) / REPEATS)


def simulated(draw, sizes, *, repeats=REPEATS, seed=0):
    """Tests, own variances and intervals of rates; `sizes` are (positive, negative) by group."""
    rng = np.random.default_rng(seed)
    group = np.concatenate([np.repeat(g, m + n) for g, (m, n) in enumerate(sizes)])
    y = np.concatenate([np.repeat([1, 0], own) for own in sizes])
    both = [np.broadcast_to(values, (repeats, len(values))) for values in (y, group)]
    parts = []
    for rows in np.array_split(np.arange(repeats), -(-repeats * len(y) // 100_000)):
        labels, groups = (values[rows] for values in both)
        rates = ranking_rates_of_sets(labels, draw(rng, labels, groups), groups, len(sizes))
        found = differences_from_rates(rates)
        with np.errstate(invalid="ignore", divide="ignore"):  # two perfect rates
            statistic = found.estimate / np.sqrt(difference_variances(rates))
        parts.append(
            (found.pvalue, 2 * norm.sf(np.abs(statistic)), found.ci_low, found.ci_high,
             *rate_limits(rates.tpr, binary_trials(rates), alpha=0.05))
        )  # fmt: skip
    return [np.concatenate(values) for values in zip(*parts, strict=True)]


def any_rejected(pvalue):
    """The share of data sets in which Holm's correction leaves a rejection at 0.05."""
    corrected = adjusted(pvalue, "holm")
    return (np.nan_to_num(corrected, nan=1) < 0.05).any(axis=1).mean()


def normal(distance, *, spread=1.0, shift=0.0):
    """Draw normal scores; each may differ by group, the spread that of positive items."""
    distance, spread, shift = (np.atleast_1d(x) for x in (distance, spread, shift))

    def draw(rng, y, group):
        apart, sd, by = (x[group] if len(x) > 1 else x[0] for x in (distance, spread, shift))
        return (
            np.where(y == 1, apart + sd * rng.normal(size=y.shape), rng.normal(size=y.shape)) + by
        )

    return draw


def flags(rng, y, group):
    """Scores that are 0 but for 5 % of the positive and 2 % of the negative items."""
    return (rng.random(y.shape) < np.where(y == 1, 0.05, 0.02)).astype(float)


#: Distance of the labels' mean scores → AUC, and the level of tests with DeLong's own variance and
#: of ours, for 10, 30 and 100 items of each label beside 1,000: the table of ranking.md.
LEVELS = {
    1: (0.760, (0.14, 0.07, 0.05), (0.03, 0.03, 0.04)),
    2: (0.921, (0.30, 0.12, 0.06), (0.03, 0.02, 0.03)),
    3: (0.983, (0.57, 0.28, 0.11), (0.03, 0.02, 0.03)),
    4: (0.998, (0.88, 0.55, 0.21), (0.05, 0.03, 0.03)),
}


@pytest.mark.slow
@pytest.mark.parametrize("place", range(3), ids=["10", "30", "100"])
@pytest.mark.parametrize("distance", promises.some(LEVELS, 0, 3))
def test_a_good_score_and_a_small_group_keep_the_level(distance, place):
    """The numbers of ranking.md."""
    auc, own, level = LEVELS[distance]
    items = (10, 30, 100)[place]
    pvalue, naive, low, high, *ends = simulated(normal(distance), [(1000, 1000), (items, items)])
    assert abs(norm.cdf(distance / np.sqrt(2)) - auc) < 0.001
    assert abs(any_rejected(naive) - own[place]) < far(own[place])
    assert abs(any_rejected(pvalue) - level[place]) < far(level[place])
    assert any_rejected(pvalue) < 0.05 + FAR
    # four differences and nine rates
    assert ((low <= 0) & (high >= 0)).mean(axis=0).min() > 0.95 - FAR
    truth = norm.cdf(distance / np.sqrt(2))
    assert ((ends[0] <= truth) & (truth <= ends[1])).mean(axis=0).min() > 0.95 - FAR


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "equal", "level"),
    [
        (flags, 4, 0.01),
        (normal([1, np.sqrt(5)], spread=[1, 3]), 4, 0.04),
        (normal([2, 2], shift=[0, 2]), 1, 0.03),
    ],
    ids=["flags", "spread", "shift"],
)
def test_the_level_holds_where_scores_are_tied_or_spread_otherwise(draw, equal, level):
    """Of 50 items of each label beside 1,000; so many hypotheses are true."""
    pvalue = simulated(draw, [(1000, 1000), (50, 50)])[0]
    assert any_rejected(pvalue[:, :equal]) < level + far(level)
    assert any_rejected(pvalue[:, :equal]) < 0.05 + FAR


@pytest.mark.slow
@pytest.mark.parametrize(("items", "level"), [(50, 0.06), (100, 0.08)])
def test_good_scores_that_are_spread_three_times_as_much_miss_the_level(items, level):
    """The exception of ranking.md."""
    draw = normal([3, 3 * np.sqrt(5)], spread=[1, 3])
    pvalue = simulated(draw, [(1000, 1000), (items, items)])[0]
    assert abs(any_rejected(pvalue) - level) < far(level)


@pytest.mark.slow
def test_a_third_group_that_differs_leaves_the_level_of_two_that_do_not():
    """0.03 to 0.05; the third group is found."""
    pvalue = simulated(normal([3, 3, 0]), [(500, 500), (30, 30), (500, 500)])[0]
    corrected = adjusted(pvalue, "holm")
    assert (corrected[:, :4] < 0.05).any(axis=1).mean() < 0.05 + FAR
    assert (corrected[:, 4:] < 0.05).any(axis=1).mean() > 0.99


@pytest.mark.slow
@pytest.mark.parametrize(
    ("distance", "items", "power"),
    [([3, 1.8], 30, 0.995), ([1.8, 3], 30, 0.90), ([3, 1.8], 20, 0.977)],
)
def test_a_small_group_that_is_ranked_worse_or_better_is_found(distance, items, power):
    """The numbers of ranking.md."""
    pvalue = simulated(normal(distance), [(1000, 1000), (items, items)])[0]
    assert abs(any_rejected(pvalue) - power) < far(power)


@pytest.mark.parametrize("vary", ["items", "shift"])
def test_power_rises_with_the_items_and_with_the_difference(vary):
    """Over 500 samples each; a share of these has a Monte Carlo error of at most 0.022."""
    found = []
    for step in (1, 2, 4):
        n, shift = (12 * step, 0.5) if vary == "items" else (25, 0.2 * step)
        pvalue = simulated(normal([1, 1], shift=[0, shift]), [(n, n), (n, n)], repeats=500)[0]
        found.append((pvalue < 0.05).mean(axis=0))
    below, middle, above = np.array(found)[:, 1:]  # a shift leaves AUC within groups as it is
    assert (below + 0.07 < middle).all()
    assert (middle + 0.07 < above).all()
    assert above[0] > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("distance", [[1.8, 3], [3, 1.8], [4, 2]])
def test_intervals_cover_differences_that_are_not_zero(distance):
    """For each, at most three and a third Monte Carlo errors less than 0.95."""
    sizes = [(1000, 1000), (30, 30)]
    low, high, *ends = simulated(normal(distance), sizes)[2:]
    within = xauc_of_normal_scores([[0, apart] for apart in distance], np.ones((2, 2)))
    share = np.array([m for m, _ in sizes]) / sum(m for m, _ in sizes)
    rates = np.zeros((3, 3))
    rates[:2, :2], rates[:2, 2], rates[2, :2] = within, within @ share, share @ within
    rates[2, 2] = share @ within @ share
    truth = np.array(
        [
            rates[0, 0] - rates[1, 1],
            rates[0, 1] - rates[1, 0],
            rates[0, 2] - rates[1, 2],
            rates[2, 0] - rates[2, 1],
        ]
    )
    assert ((low <= truth) & (truth <= high)).mean(axis=0).min() > 0.95 - FAR
    assert ((ends[0] <= rates) & (rates <= ends[1])).mean(axis=0).min() > 0.95 - FAR
