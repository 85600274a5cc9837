"""Level and power in clusters beside textbook tests: `SETS=1000 pytest -s -k in_clusters_beside`.

The others are the t-test with cluster-robust standard errors (statsmodels) for a rate, and for AUC
and xAUC Student's t of the jackknife over clusters.
"""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.special import expit

from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.estimates.pairs.binary import score_order
from fairpairs.mathematics.inference.sampling.gaps import Gap
from fairpairs.mathematics.inference.sampling.linear import WORKING_ICC, mean, spread
from fairpairs.mathematics.inference.sampling.placements import RankedItems
from fairpairs.mathematics.promises.competitors import (
    RANKED,
    clustered_2,
    jackknifed,
    two_sided,
)
from tests import promises

SETS = promises.sets(30)
LEVEL = 0.05
#: Clusters of the two groups, rows of each, ICC, shift of an unfair model (in standard deviations).
DESIGNS = (
    ((5, 5), 40, 0.1, 0.9),
    ((10, 10), 20, 0.1, 0.6),
    ((20, 20), 20, 0.1, 0.4),
    ((60, 60), 10, 0.05, 0.3),
    ((60, 60), 10, 0.3, 0.5),
    ((200, 200), 5, 0.3, 0.3),
    ((40, 8), 20, 0.1, 0.6),
    ((200, 15), 10, 0.1, 0.5),
)
#: What is lost to the textbook test, at most; more with 5 to 10 clusters, whose variance it takes
#: as known, so that it rejects up to 0.09 of fair models.
LOSS, FEW_CLUSTERS = 0.03, {(5, 5): 0.06, (10, 10): 0.04, (40, 8): 0.04}


def rows_in_clusters(rng, clusters, rows, icc, shift):
    """Labels, scores, groups and clusters, each cluster of one group."""
    cluster = np.repeat(np.arange(sum(clusters)), rows)
    group = (cluster >= clusters[0]).astype(int)
    label = rng.integers(0, 2, len(cluster))
    shared = np.sqrt(icc / (1 - icc)) * rng.normal(size=sum(clusters))[cluster]
    score = np.where(label == 1, 1.0, -1.0) + shared + shift * group + rng.normal(size=len(cluster))
    return label, score, group, cluster


def rate_pvalues(label, score, group, cluster):
    """Of the FPR: ours, and that of the linear model with robust errors."""
    positive, classes = (score > 0).astype(float), 2 * group + label
    design = SamplingDesign(len(label), cluster)
    first, second = (mean(positive, classes == code, classes, design) for code in (2, 0))
    kept = label == 0
    fit = sm.OLS(positive[kept], sm.add_constant(group[kept].astype(float))).fit(
        cov_type="cluster", cov_kwds={"groups": cluster[kept]}, use_t=True
    )
    return Gap(first, second).contrast(design).pvalue(), float(fit.pvalues[1])


def ranking_pvalues(label, score, group, cluster):
    """Of AUC, xAUC, xAUC_1 and xAUC_0: ours, and Student's t of the jackknife over clusters."""
    design = SamplingDesign(len(label), cluster)
    items = RankedItems(label, group, 2, score_order(score), design)
    ours = [items.gap(*rates).contrast(design).pvalue() for rates in RANKED]
    return np.transpose([ours, jackknifed(label, score, group, cluster)])


def xauc_pvalues(*items):
    """Of xAUC: ours, and Student's t of the jackknife over clusters."""
    return ranking_pvalues(*items)[1]


@pytest.mark.slow
@pytest.mark.parametrize("rows", promises.some([(40, 5), (20, 10), (20, 20)], 1))
def test_level_and_power_of_rankings_in_clusters_beside_the_jackknife(rows):
    """A score that is shifted for one group, or ranks it worse; each line of four, not adjusted.

    `SETS=1000 pytest -s -k beside_the_jackknife` prints both.
    """
    each, number = rows
    sets = max(SETS, 60)
    for row, (shift, worse) in enumerate(((0.0, 0.0), (0.7, 0.0), (0.0, 0.6))):
        rng, found = np.random.default_rng([row, number]), []
        for _ in range(sets):
            label, score, group, cluster = rows_in_clusters(rng, (number, number), each, 0.1, shift)
            score = score - worse * group * (2 * label - 1)
            found.append(ranking_pvalues(label, score, group, cluster))
        ours, theirs = (np.array(found) < LEVEL).mean(axis=0).T
        print(
            f"\n| {number} of {each}, {shift}, {worse} | {ours.round(3)} | {theirs.round(3)} |",
            end="",
        )
        if row == 0:
            assert (ours <= 0.056 + 3.1 * np.sqrt(0.056 * 0.944 / sets)).all()
        # the same data: they differ in few
        assert (ours >= theirs - LOSS - 2 * np.sqrt(0.05 / sets)).all()


@pytest.mark.slow
@pytest.mark.parametrize("design", promises.some(DESIGNS, 0, 4, 6))
@pytest.mark.parametrize("pvalues", [rate_pvalues, xauc_pvalues])
def test_level_and_power_in_clusters_beside_textbook_tests(pvalues, design):
    *sizes, shift = design
    sets = SETS if pvalues is rate_pvalues else SETS // 2
    rejected = np.empty((2, 2))
    for row, unfair in enumerate((0.0, shift)):
        rng = np.random.default_rng([row, *sizes[0], sizes[1]])
        found = [pvalues(*rows_in_clusters(rng, *sizes, unfair)) for _ in range(sets)]
        rejected[row] = (np.array(found) < LEVEL).mean(axis=0)
    (level, their_level), (power, their_power) = rejected
    print(
        f"\n| {pvalues.__name__[:-8]} | {sizes} | {level:.3f}, {power:.3f} "
        f"| {their_level:.3f}, {their_power:.3f} |",
        end="",
    )
    assert level <= 0.056 + 3.1 * np.sqrt(0.056 * 0.944 / sets)
    error = np.sqrt(max(their_power * (1 - their_power), 0.02) / sets)
    assert power >= their_power - FEW_CLUSTERS.get(sizes[0], LOSS) - 2 * error


def weighted_pvalues(rng, spread, shift, n=1500):
    """Of the FPR of rows with lognormal weights: ours, and weighted least squares with HC1."""
    group, label = (rng.random(n) < 0.3).astype(int), rng.integers(0, 2, n)
    score = np.where(label == 1, 1.0, -1.0) + shift * group + rng.normal(size=n)
    positive, weight = (score > 0).astype(float), rng.lognormal(sigma=spread, size=n)
    classes, design = 2 * group + label, SamplingDesign(n, None, weight)
    first, second = (mean(positive, classes == code, classes, design) for code in (2, 0))
    kept = label == 0
    fit = sm.WLS(
        positive[kept], sm.add_constant(group[kept].astype(float)), weights=weight[kept]
    ).fit(cov_type="HC1")
    return Gap(first, second).contrast(design).pvalue(), float(fit.pvalues[1])


@pytest.mark.slow
@pytest.mark.parametrize(("spread", "loss"), [(0.5, 0.03), (1.0, 0.05)])
def test_level_and_power_of_weights_beside_least_squares(spread, loss):
    """`SETS=1000 pytest -s -k weights_beside` prints both."""
    shares = []
    for row, shift in enumerate((0.0, 0.35)):
        rng = np.random.default_rng([row, 7])
        found = np.array([weighted_pvalues(rng, spread, shift) for _ in range(SETS)])
        shares.append((found < LEVEL).mean(axis=0))
    (level, their_level), (power, their_power) = shares
    print(
        f"\n| {spread} | {level:.3f}, {power:.3f} | {their_level:.3f}, {their_power:.3f} |", end=""
    )
    assert level <= 0.06 + 3.1 * np.sqrt(0.06 * 0.94 / SETS)
    assert power >= their_power - loss - 2 * np.sqrt(0.25 / SETS)


#: Of what clusters do, shares of the variance: the same to all of their rows, and to each group;
#: how much the share of a group varies (log odds); what is lost to the textbook test, at most.
MIXED = {
    "alike": (0.1, 0.0, 0.0, LOSS),
    "and to each group": (0.05, 0.1, 0.0, LOSS),
    "nearly of one group each": (0.1, 0.0, 2.0, 0.2),
}


def rows_of_both_groups(rng, icc, of_group, varying, shift, *, number=30, rows=60):
    """Labels, scores, groups and clusters of lognormal sizes, each of which has both groups."""
    size = np.maximum(rng.lognormal(np.log(rows) - 0.5, 1, number).round(), 2).astype(int)
    cluster = np.repeat(np.arange(number), size)
    share = expit(-0.4 + varying * rng.normal(size=number))[cluster]
    group, label = (rng.random((2, len(cluster))) < [share, 0.4 + 0 * share]).astype(int)
    own = np.sqrt(of_group) * rng.normal(size=(number, 2))
    shared = (np.sqrt(icc) * rng.normal(size=(number, 1)) + own)[cluster, group]
    noise = np.sqrt(1 - icc - of_group) * rng.normal(size=len(cluster))
    return label, 1.2 * label - 0.6 + shared + noise + shift * group, group, cluster


@pytest.mark.slow
@pytest.mark.parametrize("kind", MIXED)
def test_clusters_of_unlike_sizes_in_both_groups(kind):
    """`SETS=1000 pytest -s -k unlike_sizes_in_both` prints level and power beside CR2."""
    *shares, loss = MIXED[kind]
    rejected = []
    for row, shift in enumerate((0.0, 0.25)):
        rng, found = np.random.default_rng([row, 30]), []
        for _ in range(SETS):
            label, score, group, cluster = rows_of_both_groups(rng, *shares, shift)
            ours, _ = rate_pvalues(label, score, group, cluster)
            kept = label == 0
            student = clustered_2((score > 0)[kept].astype(float), group[kept], cluster[kept])
            found.append((ours, two_sided(*student)))
        rejected.append((np.array(found) < LEVEL).mean(axis=0))
    (level, their_level), (power, their_power) = rejected
    print(f"\n| {kind} | {level:.3f}, {power:.3f} | {their_level:.3f}, {their_power:.3f} |", end="")
    assert level <= 0.05 + 3.1 * np.sqrt(0.05 * 0.95 / SETS)
    assert power >= their_power - loss - 2 * np.sqrt(0.25 / SETS)


def test_what_a_cluster_adds_to_both_groups_cancels_in_degrees_of_freedom():
    """They are (Σ v)² / Σ v² of the variances of each cluster's part, with the working ICC."""
    rng = np.random.default_rng(3)
    cluster = np.repeat(np.arange(12), rng.integers(4, 40, 12))
    n = len(cluster)
    group, values = rng.integers(0, 2, n), rng.random(n)
    design = SamplingDesign(n, cluster)
    first, second = (mean(values, group == code, group, design) for code in (1, 0))
    gap = Gap(first, second, rates=False)
    together = spread([first - second], design)
    sizes = np.bincount(group)
    covariance = (1 - WORKING_ICC) * np.eye(n) + WORKING_ICC * (cluster[:, None] == cluster)
    varying = []
    for code in range(12):
        part = np.where(cluster == code, np.where(group == 1, 1, -1) / sizes[group], 0.0)
        varying.append(part @ covariance @ part)
    total, squares = np.sum(varying), np.square(varying).sum()
    totals = together.expected[0]  # of the classes, up to a factor
    df = together.df(totals, signs=gap.signs(together))
    alone = together.df(totals)
    # of m clusters m − 1 are free, in each class
    assert total**2 / squares - 3 < df < total**2 / squares
    assert df > 1.2 * alone
