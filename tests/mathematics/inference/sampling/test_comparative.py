"""Comparative separation on all pairs of items with clusters and weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fairpairs as fp


def items(labels="binary", seed=0, people=60, rows=5, groups=2):
    """Labels, scores, groups and persons of several rows, in one group each."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(people), rows)
    group = rng.permutation(np.arange(people) % groups)[person]
    y = rng.integers(0, 2, len(person)) if labels == "binary" else rng.normal(size=len(person))
    score = y + rng.normal(size=people)[person] + rng.normal(size=len(person))
    return y, score.round(1), group, person


def compared(y, s, g, **options):
    return fp.comparative_separation_test(y, s, sensitive_features=g, **options)


every_label = pytest.mark.parametrize("labels", ["binary", "real"])


@every_label
def test_items_nearly_of_their_own_cluster_and_weight_have_the_rates_of_all_pairs(labels):
    y, s, g, person = items(labels, people=120, groups=3)
    plain = compared(y, s, g)
    weight = np.where(np.arange(len(y)) == 0, 1 + 1e-9, 1.0)
    for sampling in ({"clusters": np.maximum(np.arange(len(y)), 1)}, {"sample_weight": weight}):
        result = compared(y, s, g, **sampling)
        assert_allclose(result.tpr, plain.tpr, rtol=1e-8)
        assert_allclose(result.usable, plain.usable, rtol=1e-8)
        assert_allclose(result.right, plain.right, rtol=1e-8)
        assert_allclose(result.tpr_covariance, plain.tpr_covariance, atol=3e-5)
        assert_allclose(result.rates()["ci_low"], plain.rates()["ci_low"], atol=0.01)
        assert result.joint is None
    clustered = compared(y, s, g, clusters=person)
    across = ~np.eye(3, dtype=bool)  # within, positives of a person meet their own negatives
    variances = [np.diagonal(x.tpr_covariance).reshape(3, 3) for x in (clustered, plain)]
    assert (variances[0] > variances[1])[across].all()
    assert (clustered.trials < plain.trials)[across].all()


def test_half_ties_give_the_gaps_and_rates_of_xauc():
    y, s, g, person = items(groups=3)
    sampling = {"clusters": person, "sample_weight": np.random.default_rng(2).uniform(1, 3, 300)}
    pairs = compared(y, s, g, ties="half", **sampling)
    ranking = fp.xauc(y, s, sensitive_features=g, **sampling)
    assert_array_equal(pairs.tpr, ranking.xauc)
    across = ranking.difference.estimate.reshape(3, 4)
    assert_allclose(pairs.difference.estimate.reshape(3, 2), across[:, [1, 0]])
    pvalues = ranking.difference.pvalue.reshape(3, 4)
    assert_allclose(pairs.difference.pvalue.reshape(3, 2), pvalues[:, [1, 0]])
    rates = ranking.rates().query("positive != 'all' and negative != 'all'")
    assert_array_equal(pairs.rates()[["ci_low", "ci_high"]], rates[["ci_low", "ci_high"]])


@every_label
def test_two_groups_of_one_label_have_no_test(labels):
    y, s, g, person = items(labels, groups=3)
    y = np.where(g < 2, 1.0, y)
    result = compared(y, s, g, clusters=person).to_frame()
    assert set(result["note"][:2]) == {"empty cell"}
    assert result["pvalue"][:2].isna().all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pairs": 50}, "clusters and sample_weight do not go with drawn or given pairs"),
        ({"pairs": [[0, 1]]}, "do not go with drawn or given pairs"),
        ({"pairs": 50, "variance": "binomial"}, "nor with the binomial variance"),
        ({"variance": "binomial"}, "does not go with pairs='all'"),
        ({"balance_labels": False}, "balance_labels=False does not go with clusters or"),
        ({"clusters": [0] * 300}, "clusters has one value in every row"),
        ({"sample_weight": [-1] * 300}, "sample_weight holds -1 in row 1"),
        ({"sample_weight": [0.5] * 300, "weight_kind": "frequency"}, "a frequency is a whole"),
    ],
)
def test_what_does_not_go_with_clusters_and_weights_is_refused(options, message):
    y, s, g, person = items("real")
    with pytest.raises(fp.InputError, match=message):
        compared(y, s, g, **{"clusters": person, **options})
