import numpy as np
import pytest

from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.estimates.balance import label_strata
from fairpairs.mathematics.estimates.pairs.all_pairs import balanced_pairs
from fairpairs.mathematics.inference.sampling.comparative import balanced_gaps
from fairpairs.mathematics.inference.sampling.linear import spread


def items(n=200, seed=0, levels=None):
    rng = np.random.default_rng(seed)
    group = rng.integers(-1, 2, n)
    labels = rng.normal(size=n) + 0.5 * group
    if levels:
        labels = np.round(levels * labels) / levels
    return labels, np.round(labels + rng.normal(size=n), 1), group


@pytest.mark.parametrize("levels", [None, 2])
@pytest.mark.parametrize("ties", ["wrong", "half"])
def test_independent_items_have_the_rates_and_covariance_of_all_pairs(levels, ties):
    labels, score, group = items(levels=levels)
    inside = group >= 0
    rates = balanced_pairs(labels[inside], score[inside], group[inside], 2, ties=ties)
    across, within = balanced_gaps(labels, score, group, SamplingDesign(200), ties=ties)
    linear = [within.second, across.second, across.first, within.first]
    estimates = [rate.estimate for rate in linear]
    np.testing.assert_allclose(estimates, rates.tpr.ravel(), rtol=1e-12)
    weighing = across.difference.classes >= 0
    sizes = [(weighing & (group == g)).sum() for g in (0, 1)]
    found = spread(linear, SamplingDesign(200)).covariance
    # items without a counterpart do not count in the factors m / (m - 1) here
    if all(size == (group == g).sum() for g, size in enumerate(sizes)):
        np.testing.assert_allclose(found, rates.covariance, rtol=1e-10)
    else:
        np.testing.assert_allclose(found, rates.covariance, rtol=0.01)


def test_weights_are_sums_over_weighted_pairs():
    labels, score, group = items(80)
    sampled = np.random.default_rng(1).gamma(1, size=80)
    inside = group >= 0
    strata = np.full(80, -1)
    own = sampled[inside]
    wider = int(np.ceil(10 * inside.sum() * (own**2).sum() / own.sum() ** 2))
    assert wider > 10
    strata[inside] = label_strata(labels[inside], wider)
    omega = sampled.copy()
    for g, stratum in {*zip(group[inside], strata[inside], strict=True)}:
        own, other = (sampled[(strata == stratum) & (group == one)].sum() for one in (g, 1 - g))
        omega[(strata == stratum) & (group == g)] *= other / (own + other)
    across, within = balanced_gaps(labels, score, group, SamplingDesign(80, weight=sampled))
    for rate, (a, b) in (
        (across.first, (1, 0)), (across.second, (0, 1)),
        (within.first, (1, 1)), (within.second, (0, 0)),
    ):  # fmt: skip
        right = usable = 0.0
        for i in np.flatnonzero(group == a):
            for j in np.flatnonzero(group == b):
                if strata[i] > strata[j]:
                    usable += omega[i] * omega[j]
                    right += omega[i] * omega[j] * (score[i] > score[j])
        assert rate.estimate == pytest.approx(right / usable, rel=1e-10)


def test_clusters_that_are_alike_are_worth_one_item_each():
    labels, score, group = items(120, levels=2)
    rows = np.repeat(np.arange(120), 5)
    one = balanced_gaps(labels, score, group, SamplingDesign(120))
    five = balanced_gaps(labels[rows], score[rows], group[rows], SamplingDesign(600, rows))
    for single, several in zip(one, five, strict=True):
        assert several.difference.estimate == pytest.approx(single.difference.estimate, abs=1e-12)
        alone = spread([single.difference], SamplingDesign(120)).covariance[0, 0]
        found = spread([several.difference], SamplingDesign(600, rows)).covariance[0, 0]
        assert found == pytest.approx(alone, rel=1e-10)


def test_one_label_has_no_pairs():
    group = np.array([0, 0, 1, 1])
    for gap in balanced_gaps(np.ones(4), np.arange(4.0), group, SamplingDesign(4)):
        assert np.isnan(gap.difference.estimate)
