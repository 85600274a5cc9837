"""Levels of the tests of rates and means in clusters: the table of calibration.md."""

import numpy as np
import pytest
from scipy.special import betaincinv

from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.inference.sampling.gaps import Gap, average
from fairpairs.mathematics.inference.sampling.linear import mean
from tests import promises

#: Sets that a simulation draws.
SETS = promises.sets(20)
#: Rows of persons whose numbers of rows are unequal.
UNEQUAL = np.array([1, 1, 2, 2, 3, 3, 4, 6, 10, 18])
#: Share of the variance of a decision that the rows of a person have in common (ICC).
ICC = 0.5


def shared_rates(share, rate):
    """The rate of each person, of mean `rate`, with an ICC of 0.5."""
    times = (1 - ICC) / ICC
    return betaincinv(rate * times, (1 - rate) * times, share)


def gap_of(values, classes, first, second, design, *, rates=True):
    one, two = (mean(values, classes == code, classes, design) for code in (first, second))
    return Gap(one, two, rates)


def drawn(rng, sizes, persons, rates, kind):
    """A difference of which the truth is that of `rates`, group 1 less group 0, and its design."""
    n_persons = sum(persons)
    rows = (
        np.full(n_persons, 5) if sizes == "five" else rng.permutation(np.resize(UNEQUAL, n_persons))
    )
    person = np.repeat(np.arange(n_persons), rows)
    n, design = len(person), SamplingDesign(len(person), person)
    group = (person < persons[0]).astype(int)
    if kind == "both groups":
        group = rng.integers(0, 2, n)
    share = rng.random(n_persons)[person]
    if kind == "means":
        values = rng.normal(size=n_persons)[person] + rng.normal(size=n)
        return gap_of(values, group, 1, 0, design, rates=False), design
    likely = np.where(group == 1, shared_rates(share, rates[0]), shared_rates(share, rates[1]))
    values = (rng.random(n) < likely).astype(float)
    if kind == "average odds":
        classes = 2 * group + rng.integers(0, 2, n)
        gaps = (gap_of(values, classes, 2 + label, label, design) for label in (1, 0))
        return average(*gaps), design
    return gap_of(values, group, 1, 0, design), design


def check(seed, sizes, persons, rates, kind="one group"):
    """Check the level, two-sided and of each side; what cannot be tested is not rejected."""

    def say(rng):
        gap, design = drawn(rng, sizes, persons, rates, kind)
        if np.isnan(gap.difference.estimate) or gap.fewest_units(design) < 2:
            return {"two-sided": 1.0, "above": 1.0, "below": 1.0}
        contrast, truth = gap.contrast(design), rates[0] - rates[1]
        above, below = contrast.pvalue_above(truth), contrast.pvalue_below(truth)
        return {"two-sided": 2 * min(above, below), "above": above, "below": below}

    levels = {"two-sided": 0.056, "above": 0.07, "below": 0.07}
    name = f"{kind}, {sizes}, {persons[0]}, {persons[1]}, rates {rates[0]:g}, {rates[1]:g}"
    promises.check(name, say, levels, number=SETS, seed=seed)


RATES = [(0.5, 0.5), (0.9, 0.9), (0.05, 0.05), (0.55, 0.5), (0.95, 0.9), (0.1, 0.05), (0.02, 0.12)]
DESIGNS = [
    ("five", (50, 50), "one group"),
    ("unequal", (50, 50), "one group"),
    ("five", (10, 10), "one group"),
    ("five", (20, 500), "one group"),
    ("five", (50, 50), "both groups"),
    ("unequal", (50, 50), "both groups"),
    ("five", (50, 50), "average odds"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("sizes", "persons", "kind"), promises.some(DESIGNS, 1, 3, 4, 6))
def test_the_level_of_rates_in_clusters(sizes, persons, kind):
    """`SETS=10000 pytest -s -k level_of_rates_in_clusters` prints those of calibration.md."""
    for rates in promises.some(RATES, 0, 4, 6):
        check(0, sizes, persons, rates, kind)


@pytest.mark.slow
@pytest.mark.parametrize("persons", [(50, 50), (10, 10), (20, 500)])
@pytest.mark.parametrize("sizes", ["five", "unequal"])
def test_the_level_of_means_in_clusters(sizes, persons):
    check(1, sizes, persons, (0.0, 0.0), "means")


@pytest.mark.slow
def test_power_is_near_that_of_a_t_test_of_the_means_of_persons():
    """Of 60 sets of 60 persons a group, whose rates differ by 0.25."""
    from scipy.stats import ttest_ind

    rng, ours, theirs = np.random.default_rng(2), 0, 0
    for _ in range(60):
        gap, design = drawn(rng, "five", (60, 60), (0.7, 0.45), "one group")
        ours += gap.contrast(design).pvalue() <= 0.05
        values = [np.zeros(60), np.zeros(60)]
        for place, part in enumerate((gap.first, gap.second)):
            inside = part.classes >= 0
            totals = design.totals(part.influence)[np.unique(design.cluster[inside])]
            values[place] = part.estimate + 60 * totals
        theirs += ttest_ind(*values).pvalue <= 0.05
    assert ours >= theirs - 4
