"""TPR(a, b) of judgments that share judges and clusters: against other tests, and a plain loop."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from scipy import stats

from fairpairs import comparative_separation_from_judgments
from fairpairs.base.errors import InputError
from fairpairs.mathematics.inference.gap_variances import unpooled_variance
from fairpairs.mathematics.inference.gaps import FEW_EFFECTIVE_WRONG, FEW_UNITS_BEHIND
from fairpairs.mathematics.judgments.related import related_pairs

GAPS = np.array([[0, -1, 1, 0], [-1, 0, 0, 1]])


def versions(rng, n, rate=0.8, copied=0.7):
    """Judge n prompts in two versions of both answers; the verdict on one is mostly the other's."""
    first = rng.random(n) < rate
    second = np.where(rng.random(n) < copied, first, rng.random(n) < rate)
    better = np.concatenate([np.arange(n), 2 * n + np.arange(n)])
    return {
        "left": better,
        "right": better + n,
        "outcome": np.ones(2 * n),
        "predicted": np.where(np.concatenate([first, second]), 1, -1),
        "sensitive_features": np.repeat(["plain", "dialect"], 2 * n),
        "clusters": np.tile(np.arange(n), 2),
    }, (first.astype(float), second.astype(float))


@pytest.mark.parametrize("seed", range(4))
def test_two_versions_of_one_text_are_tested_as_pairs(seed):
    rng = np.random.default_rng(seed)
    judged, (first, second) = versions(rng, 1500)
    result = comparative_separation_from_judgments(**judged)
    paired = stats.ttest_rel(first, second)
    assert_allclose(result.difference.estimate[1], first.mean() - second.mean())
    assert_allclose(result.pvalues[1], paired.pvalue, rtol=0.03, atol=0.003)
    interval = paired.confidence_interval()
    found = result.difference.ci_low[1], result.difference.ci_high[1]
    assert_allclose(found, (interval.low, interval.high), atol=0.002)
    only_first, only_second = (first > second).sum(), (first < second).sum()
    mcnemar = (only_first - only_second) / np.sqrt(only_first + only_second)
    assert abs(result.difference.statistic[1] - mcnemar) < 0.02
    unpaired = comparative_separation_from_judgments(**{**judged, "clusters": None})
    width = [x.difference.ci_high[1] - x.difference.ci_low[1] for x in (result, unpaired)]
    assert width[0] < 0.8 * width[1]


def test_the_paired_variance_is_that_of_the_differences():
    rng = np.random.default_rng(1)
    n = 2000
    judged, (first, second) = versions(rng, n)
    hit = (judged["predicted"] > 0).astype(float)
    group = (judged["sensitive_features"] == "dialect").astype(int)
    pairs = judged["left"], judged["right"], hit, group, 2
    rates = related_pairs(*pairs, shared=(judged["clusters"],))
    difference = second - first
    assert_allclose(unpooled_variance(rates, GAPS)[0][1], difference.var(ddof=1) / n, rtol=0.01)


def judgments(seed, m=400, n=60, k=2, judges=15, clusters=25):
    rng = np.random.default_rng(seed)
    winner, loser = rng.integers(n, size=(2, m))
    loser = np.where(winner == loser, (loser + 1) % n, loser)
    hit = (rng.random(m) < 0.7).astype(float)
    group = rng.integers(k, size=n)
    return (
        winner,
        loser,
        hit,
        group,
        k,
        rng.integers(judges, size=m),
        rng.integers(clusters, size=m),
    )


def test_what_is_added_is_the_covariance_of_a_plain_loop():
    winner, loser, hit, group, k, judge, cluster = judgments(1, m=120, n=30)
    rates = related_pairs(winner, loser, hit, group, k, shared=(judge, cluster))
    cell = group[winner] * k + group[loser]
    influence = np.zeros((len(hit), 4))
    for p, c in enumerate(cell):
        influence[p, c] = (hit[p] - rates.tpr.ravel()[c]) / rates.comparable.ravel()[c]
    items = np.array([[i, j] for i, j in zip(winner, loser, strict=True)])
    both = (items[:, None, :, None] == items[None, :, None, :]).any(axis=(2, 3))
    more = (judge[:, None] == judge) | (cluster[:, None] == cluster)
    added = influence.T @ (more & ~both) @ influence
    for code in (judge, cluster):  # the jackknife, unit by unit
        sums, left = np.zeros((code.max() + 1, 4)), np.ones((code.max() + 1, 4))
        for p, c in enumerate(cell):
            sums[code[p], c] += influence[p, c]
            left[code[p], c] -= 1 / rates.comparable.ravel()[c]
        number = (left < 1).sum(axis=0)
        jackknifed = sums / left * np.sqrt((number - 1) / number)
        added += jackknifed.T @ jackknifed - sums.T @ sums
    assert_allclose(rates.related[0], added, atol=1e-12)


def test_equal_judges_all_count():
    winner, loser, hit, group = np.arange(80) * 2, np.arange(80) * 2 + 1, np.ones(80), np.zeros(160)
    hit[::3] = 0
    judge = np.arange(80) % 20
    rates = related_pairs(winner, loser, hit, group.astype(int), 2, shared=(judge,))
    assert_allclose(rates.units[0, 0], 20)


def test_each_two_of_three_groups_are_tested_by_their_own_judgments():
    winner, loser, hit, group, k, judge, cluster = judgments(2, k=3, m=900)
    rates = related_pairs(winner, loser, hit, group, k, shared=(judge, cluster))
    for two, (a, b) in zip(rates.each_two, [(0, 1), (0, 2), (1, 2)], strict=True):
        rows = np.isin(group[winner], (a, b)) & np.isin(group[loser], (a, b))
        alone = related_pairs(
            winner[rows], loser[rows], hit[rows], (group == b).astype(int), 2,
            shared=(judge[rows], cluster[rows]),
        )  # fmt: skip
        for field in ("related", "related_pooled", "units"):
            assert_allclose(getattr(two, field), getattr(alone, field), atol=1e-15)


def test_names_and_order_of_judges_do_not_matter():
    rng = np.random.default_rng(4)
    left, right, hit, group, _, judge, cluster = judgments(4)
    order, letters = rng.permutation(len(left)), np.array(list("onmlkjihgfedcba"))
    results = [
        comparative_separation_from_judgments(
            left[rows], right[rows], np.ones(len(left)), sensitive_features=group,
            predicted=np.where(hit[rows] > 0, 1, -1), judges=names[judge[rows]],
            clusters=cluster[rows], item_clusters=np.arange(60) // 2,
        )
        for rows, names in ((np.arange(len(left)), np.arange(15)), (order, letters))
    ]  # fmt: skip
    assert_allclose(results[0].pvalues, results[1].pvalues, rtol=1e-9)
    assert_allclose(results[0].tpr_covariance, results[1].tpr_covariance, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("ties_in_outcome", ["drop", "half"])
@pytest.mark.parametrize("k", [2, 3])
def test_judges_widen_intervals_where_they_differ(ties_in_outcome, k):
    rng = np.random.default_rng(5)
    left, right, _, group, _, judge, cluster = judgments(5, m=2000, n=300, k=k)
    skill = rng.random((15, k))[judge, group[left]]
    judged = {
        "left": left, "right": right, "outcome": rng.choice([1, 1, 1, 0], 2000),
        "predicted": np.where(rng.random(2000) < skill, 1, -1), "sensitive_features": group,
        "ties_in_outcome": ties_in_outcome,
    }  # fmt: skip
    plain = comparative_separation_from_judgments(**judged)
    wide = comparative_separation_from_judgments(
        **judged, judges=judge, judges_as="sample", clusters=cluster
    )
    widths = [x.difference.ci_high - x.difference.ci_low for x in (plain, wide)]
    assert (widths[1] > 1.5 * widths[0]).all()
    assert (wide.pvalues > plain.pvalues).all()
    assert wide.joint.pvalue > plain.joint.pvalue
    limits = [x.rates()["ci_high"] - x.rates()["ci_low"] for x in (plain, wide)]
    assert (limits[1] > limits[0]).all()
    assert np.linalg.eigvalsh(wide.tpr_covariance).min() > -1e-12


def test_few_judges_and_few_mistakes_are_noted():
    left, right, _, group, _, judge, _ = judgments(6, m=3000, n=600, judges=6)
    rng = np.random.default_rng(6)
    options = {"sensitive_features": group, "predicted": rng.choice([1, -1], 3000)}
    few = comparative_separation_from_judgments(
        left, right, np.ones(3000), judges=judge, judges_as="sample", **options
    )
    assert few.to_frame()["note"].tolist() == [FEW_UNITS_BEHIND] * 2
    named = [
        comparative_separation_from_judgments(left, right, np.ones(3000), **judges, **options)
        for judges in ({"judges": judge}, {})
    ]
    assert_frame_equal(named[0].to_frame(), named[1].to_frame())  # about these six judges
    for judges in ({"judges": judge}, {}):
        with pytest.raises(
            InputError, match=r"^judges_as must be one of 'fixed', 'sample'; it is 'random'"
        ):
            comparative_separation_from_judgments(
                left, right, np.ones(3000), judges_as="random", **judges, **options
            )
    options["predicted"] = np.where(rng.random(3000) < 0.005, -1, 1)
    errs = comparative_separation_from_judgments(
        left, right, np.ones(3000), judges=np.arange(3000) % 40, **options
    )
    assert errs.to_frame()["note"].tolist() == [FEW_EFFECTIVE_WRONG] * 2
