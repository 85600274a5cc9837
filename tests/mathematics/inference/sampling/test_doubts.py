"""How much the trials of a rate may be off: beta-binomial counts by enumeration, and relations."""

import numpy as np
import pytest
from scipy.stats import betabinom

from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.inference.sampling.gaps import Gap, beta_binomial
from fairpairs.mathematics.inference.sampling.linear import mean


@pytest.mark.parametrize("rows", [1, 2, 3, 20])
@pytest.mark.parametrize("icc", [0.02, 0.3, 0.9])
@pytest.mark.parametrize("rate", [0.5, 0.1, 0.98])
def test_moments_are_those_of_all_counts(rate, icc, rows):
    """Squares regressed on counts, with the chance of each count."""
    size = 1 / icc - 1
    count = np.arange(rows + 1)
    chance = betabinom.pmf(count, rows, rate * size, (1 - rate) * size)
    x = count - chance @ count
    x = x / np.sqrt(chance @ x**2)
    skewness = chance @ x**3
    rest = x**2 - 1 - skewness * x
    assert beta_binomial(np.array(rate), icc, np.array(float(rows))) == pytest.approx(
        (chance @ rest**2 / 2, skewness**2), abs=1e-9
    )


def freedom(values, group, design):
    first, second = (mean(values, group == code, group, design) for code in (1, 0))
    return Gap(first, second).contrast(design).df


def rows_of(seed, shared, clusters=12, rows=10):
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(clusters), rows)
    common, own = rng.random(clusters)[cluster] < 0.5, rng.random(clusters * rows) < 0.5
    values = np.where(rng.random(clusters * rows) < shared, common, own).astype(float)
    return values, (cluster < clusters // 2).astype(int), SamplingDesign(len(cluster), cluster)


def test_degrees_of_freedom_grow_from_those_of_normal_means_as_rows_of_a_cluster_are_alike():
    found = [np.mean([freedom(*rows_of(seed, s)) for seed in range(20)]) for s in (0, 0.7, 0.95)]
    assert 10 < found[0] < 13
    assert found[1] > 1.3 * found[0]
    assert found[2] > 2 * found[1]


def test_weights_that_are_all_alike_leave_no_doubt():
    rng = np.random.default_rng(0)
    values, group = rng.integers(0, 2, (2, 60))
    items = values.astype(float), group
    assert freedom(*items, SamplingDesign(60, None, np.full(60, 3.0))) == np.inf
    few, more = (
        freedom(*items, SamplingDesign(60, None, rng.lognormal(sigma=spread, size=60)))
        for spread in (1.0, 0.1)
    )
    assert few < 30 < more < np.inf


@pytest.mark.parametrize("rows", [1, 3])
def test_the_scale_of_weights_does_not_matter(rows):
    """Of one row of each group, p was 0.157 or 0.392 as the scale rounds."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        weight = rng.lognormal(size=2 * rows)
        group, values = np.repeat([0, 1], rows), np.tile([1.0, 0.0], rows)
        values[:rows] = 1 - (rows > 1) * (np.arange(rows) == 0)
        found = [
            Gap(*(mean(values, group == code, group, design) for code in (1, 0)))
            .contrast(design)
            .pvalue()
            for scale in (1, 7, 1e6, 1e-3, 1 / 3)
            for design in [SamplingDesign(2 * rows, None, scale * weight)]
        ]
        assert found == pytest.approx([found[0]] * 5, rel=1e-6)


def test_a_correlation_that_the_groups_share_in_their_clusters_tells_nothing():
    """Clusters of both groups whose rows are alike but for noise: differences vary as normal."""
    rng = np.random.default_rng(1)
    cluster, group = np.repeat(np.arange(8), 60), np.tile([0, 1], 240)
    values = (rng.random(480) < np.linspace(0.1, 0.9, 8)[cluster]).astype(float)
    both = freedom(values, group, SamplingDesign(480, cluster))
    apart = freedom(values, group, SamplingDesign(480, 2 * cluster + group))
    assert both < 10
    assert apart > 20


def test_what_raises_a_variance_in_clusters_is_believed():
    """Three clusters of one group have nearly all of its events: the error is the robust one."""
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(40), 20)
    group = (cluster < 20).astype(int)
    values = (rng.random(800) < np.where(np.isin(cluster, (0, 1, 2)), 0.95, 0.01)).astype(float)
    design = SamplingDesign(800, cluster)
    contrast = Gap(*(mean(values, group == code, group, design) for code in (1, 0))).contrast(
        design
    )
    totals = np.bincount(cluster, values - values.mean(where=group == 1), 40)[:20]
    rate = values[group == 1].mean()
    robust = 20 / 19 * np.sum(totals**2) / 400**2
    assert contrast.trials[0] <= rate * (1 - rate) / robust * 1.01
    assert contrast.pvalue() > 0.05
