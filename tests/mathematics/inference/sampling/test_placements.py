import numpy as np
import pytest

from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.estimates.pairs.binary import all_pairs_binary, score_order
from fairpairs.mathematics.estimates.ranking_rates import ranking_rates
from fairpairs.mathematics.inference.ranking_differences import difference_variances, rate_variances
from fairpairs.mathematics.inference.sampling.comparative import RankedItems
from fairpairs.mathematics.inference.sampling.linear import Linear, spread

K = 3


def items(n=300, seed=0, decimals=1):
    rng = np.random.default_rng(seed)
    labels, group = rng.integers(0, 2, n), rng.integers(0, K, n)
    score = np.round(rng.normal(size=n) + labels + 0.3 * group, decimals)
    return labels, group, score


def ranked(labels, group, score, cluster=None, weight=None, kind="sampling"):
    design = SamplingDesign(len(labels), cluster, weight, kind)
    return RankedItems(labels, group, K, score_order(score), design)


def four_gaps(a, b):
    return ((a, a), (b, b)), ((a, b), (b, a)), ((a, K), (b, K)), ((K, a), (K, b))


def test_independent_items_have_delongs_variances():
    labels, group, score = items()
    rates = ranking_rates(labels, score, group, K)
    of_items = ranked(labels, group, score)
    for a, b in np.ndindex(K + 1, K + 1):
        rate = of_items.rate(a, b)
        assert rate.estimate == pytest.approx(rates.tpr[a, b], rel=1e-14)
        variance = spread([rate], of_items.design).covariance[0, 0]
        assert variance == pytest.approx(rate_variances(rates)[a, b], rel=1e-12)
    gaps = [gap for a in range(K) for b in range(a + 1, K) for gap in four_gaps(a, b)]
    for gap, variance in zip(gaps, difference_variances(rates), strict=True):
        difference = of_items.rate(*gap[0]) - of_items.rate(*gap[1])
        found = spread([difference], of_items.design).covariance[0, 0]
        assert found == pytest.approx(variance, rel=1e-12)


def test_ties_are_wrong_where_they_are_on_all_pairs():
    labels, group, score = items(decimals=0)
    rates = all_pairs_binary(labels == 1, score_order(score), group, K, "wrong")
    of_items = ranked(labels, group, score)
    linear = [of_items.rate(a, b, ties="wrong") for a, b in np.ndindex(K, K)]
    estimates = np.array([rate.estimate for rate in linear])
    np.testing.assert_allclose(estimates, rates.tpr.ravel(), rtol=1e-14)
    covariance = spread(linear, of_items.design).covariance
    np.testing.assert_allclose(covariance, rates.covariance, rtol=1e-12, atol=1e-18)


def test_a_class_that_does_not_vary_has_no_influence_in_any_order_of_the_items():
    """Eleven of 14 positives outscore all negatives, which are placed alike but for rounding."""
    rng = np.random.default_rng(0)
    labels = np.repeat([1, 0], [14, 40])
    group, score = np.zeros(54, int), np.repeat([1.0, 0.0], [11, 43])
    weight = np.exp(rng.normal(0, 0.7, 54))
    for _ in range(20):
        order = rng.permutation(54)
        shuffled = (values[order] for values in (labels, group, score))
        rate = ranked(*shuffled, weight=weight[order]).rate(0, 0, ties="wrong")
        assert not rate.influence[labels[order] == 0].any()


def pairs_by_loops(labels, score, weight, first, second):
    """Return Σ w_i w_j h(i, j) / (Σ w_i Σ w_j), and all placements."""
    ahead = np.flatnonzero((labels == 1) & first)
    behind = np.flatnonzero((labels == 0) & second)
    h = np.array([[np.heaviside(score[i] - score[j], 0.5) for j in behind] for i in ahead])
    w, v = weight[ahead], weight[behind]
    return w @ h @ v / (w.sum() * v.sum()), h @ v / v.sum(), w @ h / w.sum(), ahead, behind


@pytest.mark.parametrize("cells", [(0, 0), (0, 1), (2, K), (K, 1), (K, K)])
def test_weighted_rates_are_double_sums_over_pairs(cells):
    labels, group, score = items(120)
    weight = np.random.default_rng(1).gamma(1, size=120)
    weight[:5] = 0
    members = [np.full(120, True) if cell == K else group == cell for cell in cells]
    rate = ranked(labels, group, score, weight=weight).rate(*cells)
    theta, beaten, beating, ahead, behind = pairs_by_loops(labels, score, weight, *members)
    assert rate.estimate == pytest.approx(theta, rel=1e-13)
    influence = np.zeros(120)
    influence[ahead] = weight[ahead] * (beaten - theta) / weight[ahead].sum()
    influence[behind] = weight[behind] * (beating - theta) / weight[behind].sum()
    np.testing.assert_allclose(rate.influence, influence, atol=1e-15)
    resting = np.flatnonzero(rate.classes >= 0)
    assert set(resting) == {*ahead, *behind} - set(range(5))


def cr2(labels, score, cluster):
    """Return AUC and its CR2 variance, of placements as values of two classes, by loops."""
    everyone = np.full(len(labels), True)
    theta, v10, v01, ahead, behind = pairs_by_loops(
        labels, score, np.ones(len(labels)), everyone, everyone
    )
    variance = 0.0
    for name in np.unique(cluster):
        added = 0.0
        for placements, items in ((v10, ahead), (v01, behind)):
            own = cluster[items] == name
            total = np.sum(placements[own] - theta) / len(items)
            added += total / np.sqrt(1 - own.mean())
        variance += added**2
    return theta, variance


def test_clusters_have_the_cr2_variance_of_placements():
    rng = np.random.default_rng(3)
    labels, group, score = items(200)
    cluster = rng.integers(0, 50, 200)
    labels[cluster < 5], labels[(cluster >= 5) & (cluster < 12)] = 0, 1
    rate = ranked(labels, group, score, cluster).rate(K, K)
    theta, variance = cr2(labels, score, cluster)
    assert rate.estimate == pytest.approx(theta, rel=1e-13)
    found = spread([rate], SamplingDesign(200, cluster)).covariance[0, 0]
    assert found == pytest.approx(variance, rel=1e-12)


def test_a_group_of_few_clusters_has_the_same_variance_alone_and_beside_another():
    labels, _, score = items(200)
    cluster = np.arange(200) % 10
    group = (cluster >= 5).astype(int)
    of_items = ranked(labels, group, score, cluster)
    both = spread([of_items.rate(0, 0), of_items.rate(1, 1)], of_items.design).covariance
    own = [cr2(labels[group == g], score[group == g], cluster[group == g]) for g in (0, 1)]
    assert both == pytest.approx(np.diag([variance for _, variance in own]), rel=1e-12)


def test_a_perfect_rate_is_one_and_an_empty_cell_has_none():
    labels, group = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 0, 1, 2])
    weight = np.array([0.1, 0.7, 0.3, 0.9, 0])
    of_items = ranked(labels, group, np.arange(5.0), weight=weight)
    assert of_items.rate(K, K).estimate == 1
    assert not of_items.rate(K, K).influence.any()
    for empty in (of_items.rate(0, 2), of_items.rate(2, 0)):  # none, and one that weighs 0
        assert isinstance(empty, Linear)
        assert np.isnan(empty.estimate)
        assert (empty.classes == -1).all()
