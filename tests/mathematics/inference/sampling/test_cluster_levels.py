"""Levels of the tests of rates and means in clusters: the table of calibration.md."""

import numpy as np
import pytest
from scipy.special import betaincinv

from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.estimates.pairs.binary import score_order
from fairpairs.mathematics.inference.sampling.gaps import Gap, average
from fairpairs.mathematics.inference.sampling.linear import mean
from fairpairs.mathematics.inference.sampling.placements import RankedItems
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


def rising(rng, clusters, share):
    """Labels, scores, groups and clusters, a share of which rises by three standard deviations."""
    cluster = np.repeat(np.arange(clusters), rng.integers(4, 30, clusters))
    group = (cluster < round(0.4 * clusters)).astype(int)
    label = rng.integers(0, 2, len(cluster))
    score = 2.0 * label + 3 * (rng.random(clusters) < share)[cluster]
    score += rng.normal(0, 0.8, len(cluster))
    return label, score, group, cluster


def errors(label, decision, group, design):
    """The difference of mean errors: of the shares of false positives and of false negatives."""
    gaps = [
        gap_of(part.astype(float), group, 1, 0, design)
        for part in (decision > label, decision < label)
    ]
    parts = [
        (s * sign, rate)
        for s, gap in zip((1, -1), gaps, strict=True)
        for sign, rate in ((1, gap.first), (-1, gap.second))
    ]
    return Gap(gaps[0].first - gaps[1].first, gaps[0].second - gaps[1].second, parts=tuple(parts))


@pytest.mark.slow
@pytest.mark.parametrize(("clusters", "share"), [(40, 0.08), (100, 0.05), (200, 0.025)])
def test_the_level_of_clusters_that_rise_together(clusters, share):
    """`SETS=2000 pytest -s -k rise_together` prints the table of calibration.md."""

    def say(rng):
        label, score, group, cluster = rising(rng, clusters, share)
        design = SamplingDesign(len(label), cluster)
        decision = (score > 1.8).astype(float)
        tpr, fpr = (gap_of(decision, 2 * group + label, 2 + y, y, design) for y in (1, 0))
        items = RankedItems(label, group, 2, score_order(score), design)
        gaps = {
            "TPR": tpr,
            "FPR": fpr,
            "average odds": average(tpr, fpr),
            "mean error": errors(label, decision, group, design),
            "AUC": items.gap((1, 1), (0, 0)),
            "xAUC": items.gap((1, 0), (0, 1)),
            "xAUC_1": items.gap((1, 2), (0, 2)),
            "xAUC_0": items.gap((2, 1), (2, 0)),
        }
        return {name: gap.contrast(design).pvalue() for name, gap in gaps.items()}

    promises.check(f"{clusters} clusters, {share:g} of which rise", say, number=SETS)


def test_what_raises_a_variance_in_clusters_is_believed():
    """Three clusters of one group have nearly all of its events: the error is the robust one."""
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(40), 20)
    group = (cluster < 20).astype(int)
    values = (rng.random(800) < np.where(np.isin(cluster, (0, 1, 2)), 0.95, 0.01)).astype(float)
    design = SamplingDesign(800, cluster)
    contrast = gap_of(values, group, 1, 0, design).contrast(design)
    totals = np.bincount(cluster, values - values.mean(where=group == 1), 40)[:20]
    rate = values[group == 1].mean()
    robust = 20 / 19 * np.sum(totals**2) / 400**2
    assert contrast.trials[0] <= rate * (1 - rate) / robust * (1 + 1e-12)
    assert contrast.pvalue() > 0.05


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
