"""Ties as a third outcome: all three shares of Definition 3.1, against loops."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fairpairs import comparative_separation_from_judgments, comparative_separation_test
from tests.mathematics.synthetic import labelled_by_group

outcomes = partial(comparative_separation_test, ties="outcome")


def decided(seed, n=200, k=2, labels="binary"):
    """Labels, binary predictions that depend on them alone, and groups."""
    y, s, group = labelled_by_group(seed, n, k, labels)
    return y, (s > 0.5).astype(float), group


def three_shares(y, s, group, k, pairs):
    """The shares of C = 1, 0 and -1 given Y = 1 in each cell, by a loop over pairs."""
    counts = np.zeros((3, k, k))
    for i, j in pairs:
        for high, low in ((i, j), (j, i)):
            if y[high] > y[low]:
                c = np.sign(s[high] - s[low])
                counts[1 - int(c), group[high], group[low]] += 1
    return counts / counts.sum(axis=0)


@pytest.mark.parametrize("labels", ["binary", "few", "real"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("of", [decided, labelled_by_group])
def test_the_three_shares_are_those_of_a_double_loop(labels, k, of):
    y, s, group = of(1, 60, k, labels=labels)
    result = outcomes(y, s, sensitive_features=group, balance_labels=False)
    shares = three_shares(y, s, group, k, product(range(60), repeat=2))
    for share, found in zip(shares, (result.tpr, result.tied, result.discordant.tpr), strict=True):
        assert_allclose(found, share, rtol=1e-9, atol=1e-12)
    first, second = {2: [(1, 0), (1, 1)], 3: [(1, 0), (1, 1), (2, 0), (2, 2), (2, 1), (2, 2)]}[k], {
        2: [(0, 1), (0, 0)], 3: [(0, 1), (0, 0), (0, 2), (0, 0), (1, 2), (1, 1)]
    }[k]  # fmt: skip
    gaps = [shares[c][a] - shares[c][b] for c in (0, 2) for a, b in zip(first, second, strict=True)]
    assert_allclose(result.difference.estimate, gaps, rtol=1e-9, atol=1e-12)
    table = result.rates()
    for column, share in zip(("tpr", "tied", "discordant"), shares, strict=True):
        assert_allclose(table[column], share.ravel(), rtol=1e-9, atol=1e-12)
    assert (table["discordant_low"] <= table["discordant"] + 1e-12).all()
    assert (table["discordant"] <= table["discordant_high"] + 1e-12).all()


def test_drawn_pairs_are_the_same_for_both_halves():
    y, s, group = decided(2, 100)
    pairs = np.random.default_rng(0).integers(100, size=(400, 2))
    drawn = outcomes(y, s, sensitive_features=group, pairs=pairs)
    shares = three_shares(y, s, group, 2, pairs)
    for share, found in zip(shares, (drawn.tpr, drawn.tied, drawn.discordant.tpr), strict=True):
        assert_allclose(found, share, rtol=1e-12, atol=1e-15)
    one, two = (
        outcomes(y, s, sensitive_features=group, pairs=400, variance=kind, random_state=3)
        for kind in ("auto", "binomial")
    )
    assert_array_equal(one.discordant.usable, two.discordant.usable)
    assert_array_equal(one.usable, one.discordant.usable)
    assert two.joint is None
    counts = two.discordant.right, two.usable
    p, n = counts[0] / counts[1], counts[1]
    error = np.sqrt(p * (1 - p) / n)
    across = (p[1, 0] - p[0, 1]) / np.hypot(error[1, 0], error[0, 1])
    assert_allclose(two.statistic[2], across, rtol=1e-12)


@pytest.mark.parametrize("k", [2, 3])
def test_both_covariances_are_delongs_of_the_matrix_of_pairs(k):
    y, s, group = decided(3, 90, k)
    result = outcomes(y, s, sensitive_features=group)
    for sign, found in ((1, result), (-1, result.discordant)):
        expected = np.zeros((k, k, k, k))
        right = sign * (s[:, None] - s) > 0
        members = [[np.flatnonzero((y == v) & (group == g)) for g in range(k)] for v in (0, 1)]
        for a, b, c in product(range(k), repeat=3):
            # cells (a, b) and (a, c) share winners, (b, a) and (c, a) share losers
            won = [right[np.ix_(members[1][a], members[0][g])].mean(axis=1) for g in (b, c)]
            lost = [right[np.ix_(members[1][g], members[0][a])].mean(axis=0) for g in (b, c)]
            expected[a, b, a, c] += np.cov(*won)[0, 1] / len(won[0])
            expected[b, a, c, a] += np.cov(*lost)[0, 1] / len(lost[0])
        assert_allclose(found.tpr_covariance, expected.reshape(k * k, -1), rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("labels", ["binary", "real"])
@pytest.mark.parametrize("k", [2, 3])
def test_pairs_are_discordant_where_reversed_labels_make_them_concordant(labels, k):
    y, s, group = decided(4, 120, k, labels)
    # the strata of balanced labels are not symmetric
    options = {"sensitive_features": group, "balance_labels": False}
    result = outcomes(y, s, **options)
    reverse = comparative_separation_test(-y, s, **options)
    assert_allclose(result.discordant.tpr, reverse.tpr.T, rtol=1e-9)
    half = len(result.hypotheses) // 2
    assert_allclose(
        result.difference.pvalue[half::2], reverse.difference.pvalue[::2], rtol=1e-9
    )  # across
    assert_allclose(
        result.difference.pvalue[half + 1 :: 2], reverse.difference.pvalue[1::2], rtol=1e-9
    )
    assert result.hypotheses[half].startswith("discordant(1,0) = discordant(0,1)")


def test_holm_counts_the_hypotheses_of_both_halves_and_the_joint_test_doubles():
    y, s, group = decided(5)
    s[(group == 1) & (np.arange(200) % 5 == 0)] = 1  # a small p-value
    result = outcomes(y, s, sensitive_features=group)
    assert result.pvalue < 0.2
    alone = comparative_separation_test(y, s, sensitive_features=group)
    assert_array_equal(result.difference.pvalue[:2], alone.difference.pvalue)
    assert_allclose(result.pvalue, min(4 * result.difference.pvalue.min(), 1), rtol=1e-12)
    smaller = min(alone.joint, result.discordant.joint, key=lambda test: test.pvalue)
    assert_allclose(result.joint.pvalue, min(2 * smaller.pvalue, 1), rtol=1e-12)
    assert result.joint.statistic == smaller.statistic
    assert len(result.to_frame()) == len(result.interpretations) == 4
    assert len(result.within(0.5).pvalues) == 4


@pytest.mark.parametrize("labels", ["binary", "real"])
@pytest.mark.parametrize("pairs", ["all", 300])
def test_without_ties_the_result_is_that_of_concordant_pairs(labels, pairs):
    y, _, group = labelled_by_group(6, 100, 2, labels)
    s = y + np.random.default_rng(0).normal(size=100)
    options = {"sensitive_features": group, "pairs": pairs, "random_state": 1}
    result, alone = outcomes(y, s, **options), comparative_separation_test(y, s, **options)
    assert_array_equal(result.pvalues, [*alone.pvalues, np.nan, np.nan])
    assert result.joint.pvalue == alone.joint.pvalue
    assert_allclose(result.tied, 0, atol=1e-12)
    assert_allclose(result.difference.estimate[2:], -alone.difference.estimate, atol=1e-12)
    assert "no tied pair: the same as" in result.to_frame()["note"].iloc[2]
    assert result.violated is alone.violated


def test_a_model_whose_tnr_is_zero_in_both_groups_violates_it_by_discordant_pairs_alone():
    # TPR 0.8 and 0.4; all concordant shares are 0, so equation (4) holds and (5) does not
    y, group = np.tile([0, 0, 1, 1], 100), np.repeat([0, 1], 200)
    s = np.ones(400)
    for g, share in ((0, 0.8), (1, 0.4)):
        positive = np.flatnonzero((y == 1) & (group == g))
        s[positive[round(share * len(positive)) :]] = 0
    concordant = comparative_separation_test(y, s, sensitive_features=group)
    assert concordant.pvalue == 1
    result = outcomes(y, s, sensitive_features=group)
    assert_allclose(result.tpr, 0, atol=0)
    assert_allclose(result.discordant.tpr, [[0.2, 0.2], [0.6, 0.6]])
    assert result.violated
    assert np.isnan(result.joint.pvalue)  # the effect of the loser's group does not vary


def test_weights_and_clusters_are_those_of_each_half():
    y, s, group = decided(8, 240, 3)
    sampled = {
        "clusters": np.arange(240) // 3,
        "sample_weight": np.random.default_rng(0).gamma(1, size=240),
    }
    result = outcomes(y, s, sensitive_features=group, **sampled)
    for sign, rows in ((1, slice(0, 6)), (-1, slice(6, 12))):
        alone = comparative_separation_test(y, sign * s, sensitive_features=group, **sampled)
        assert_array_equal(result.difference.pvalue[rows], alone.difference.pvalue)
    assert result.joint is None
    assert_array_equal(result.rates()["discordant_low"], alone.rates()["ci_low"])


def test_verdicts_of_a_judge_may_be_ties():
    rng = np.random.default_rng(9)
    n, m = 40, 500
    left, right = rng.permuted(np.tile(np.arange(n), (m, 1)), axis=1)[:, :2].T
    group, outcome, predicted = (
        rng.integers(2, size=n),
        rng.choice([-1, 1], m),
        rng.choice(3, m) - 1,
    )
    judged = partial(
        comparative_separation_from_judgments, left, right, outcome,
        sensitive_features=group, ties="outcome",
    )  # fmt: skip
    result = judged(predicted=predicted)
    winner, loser = np.where(outcome > 0, [left, right], [right, left])
    cell = group[winner], group[loser]
    counts = np.zeros((3, 2, 2))
    np.add.at(counts, (1 - outcome * predicted, *cell), 1)
    for count, share in zip(counts, (result.tpr, result.tied, result.discordant.tpr), strict=True):
        assert_allclose(share, count / counts.sum(axis=0), rtol=1e-12, atol=1e-15)
    exchanged = comparative_separation_from_judgments(
        right, left, -outcome, predicted=-predicted, sensitive_features=group, ties="outcome"
    )
    assert_allclose(result.pvalues, exchanged.pvalues, rtol=1e-9)
    assert "no tied pair" in judged(predicted=rng.choice([-1, 1], m)).difference.reason[2]
    parts = judged(predicted=predicted, strata=np.arange(m) % 2)
    assert parts.heterogeneity.shape == parts.pvalues.shape == (4,)
    scores = rng.integers(3, size=n)
    of_scores, of_verdicts = judged(scores), judged(predicted=np.sign(scores[left] - scores[right]))
    assert_allclose(of_scores.pvalues, of_verdicts.pvalues, rtol=1e-12)
