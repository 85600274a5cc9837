"""Tests of two means with few or skewed values, against scipy, statsmodels and known answers."""

import os

import numpy as np
import pytest
from scipy.stats import chisquare, hypergeom, permutation_test, skew, ttest_ind

import fairpairs as fp
from fairpairs.auditing import means
from fairpairs.auditing.means import (
    FEW_LABELS,
    NEARLY_CONSTANT,
    SKEWED,
    SMALL,
    shuffled_means_test,
    skewed_mean,
    subsets,
    why_shuffled,
)

#: Sets that a simulation draws.
SETS = int(os.environ.get("SETS", "200"))


def two_groups(sizes, rng, draw=None):
    draw = draw or rng.normal
    return draw(size=sum(sizes)), np.repeat([1, 0], sizes)


def welch(values, member):
    return ttest_ind(values[member == 1], values[member == 0], equal_var=False)


@pytest.mark.parametrize("size", [12, 40, 150])
def test_shuffles_of_t_are_those_of_scipy(size):
    """A standard error of the difference of both p-values of at most 0.012."""
    rng = np.random.default_rng(size)
    values, member = two_groups((size, 400), rng, rng.exponential)
    values[member == 1] = 1.3 * values[member == 1] + 0.2

    def t(one, two, axis):
        return np.abs(ttest_ind(one, two, equal_var=False, axis=axis).statistic)

    theirs = permutation_test(
        (values[member == 1], values[member == 0]), t, vectorized=True, n_resamples=1999,
        alternative="greater", rng=1,
    ).pvalue  # fmt: skip
    expected = max(theirs, welch(values, member).pvalue)
    ours = shuffled_means_test(values, member, rng)
    assert abs(ours.pvalue - expected) < 4 * np.sqrt(2 * 0.25 / 2000) * (expected == theirs) + 1e-9


@pytest.mark.parametrize("alpha", [0.05, 0.2])
@pytest.mark.parametrize("size", [10, 60, 120])
def test_the_interval_leaves_out_0_where_p_is_below_alpha(size, alpha):
    rng = np.random.default_rng(0)
    found = []
    for shift in np.linspace(-1.2, 1.2, 25):
        values, member = two_groups((size, 300), rng, rng.exponential)
        values[member == 1] += shift
        test = shuffled_means_test(values, member, rng, alpha=alpha)
        estimate = values[member == 1].mean() - values[member == 0].mean()
        assert (abs(estimate) > test.margin) == (test.pvalue < alpha)
        low, high = welch(values, member).confidence_interval(1 - alpha)
        assert test.margin >= (high - low) / 2 * (1 - 1e-12)  # never shorter than Welch's
        found.append(test.pvalue < alpha)
    assert 0 < sum(found) < 25


def test_scale_and_place_of_the_values_do_not_matter():
    rng = np.random.default_rng(3)
    values, member = two_groups((15, 200), rng)
    one = shuffled_means_test(values, member, np.random.default_rng(0))
    other = shuffled_means_test(1e6 - 1e4 * values, member, np.random.default_rng(0))
    assert one.pvalue == pytest.approx(other.pvalue)
    assert one.margin * 1e4 == pytest.approx(other.margin)


def test_a_seed_gives_the_same_shuffles_however_many_are_handled_at_once(monkeypatch):
    values, member = two_groups((150, 400), np.random.default_rng(0))
    one = shuffled_means_test(values, member, np.random.default_rng(5))
    monkeypatch.setattr(means, "CHUNK", 700)
    assert shuffled_means_test(values, member, np.random.default_rng(5)) == one


def test_it_says_why_there_are_shuffles():
    rng = np.random.default_rng(0)
    assert why_shuffled(*two_groups((29, 500), rng)) == SMALL
    assert why_shuffled(*two_groups((200, 500), rng)) == ""
    values, member = two_groups((200, 500), rng, rng.lognormal)
    assert why_shuffled(values, member) == SKEWED
    assert max(skew(values[:200]), skew(values[200:])) > 0.1 * np.sqrt(200)
    assert skewed_mean(values[:200])
    assert not skewed_mean(rng.normal(size=200))
    assert not skewed_mean(np.ones(50))
    large = two_groups((200_000, 200_000), rng, rng.exponential)
    assert why_shuffled(*large) == ""
    assert why_shuffled(np.r_[np.zeros(195), np.ones(5), rng.normal(size=500)], member) == (
        NEARLY_CONSTANT
    )
    labels = np.r_[np.ones(5), np.zeros(195), np.arange(500) % 2]
    values = two_groups((200, 500), rng)[0]
    assert why_shuffled(values, member, labels) == FEW_LABELS


def test_values_that_do_not_vary_or_are_too_many():
    rng = np.random.default_rng(0)
    member = np.repeat([1, 0], [10, 390])
    assert shuffled_means_test(np.ones(400), member, rng).pvalue == 1
    assert shuffled_means_test(member * 1.0, member, rng).pvalue == 1e-4  # no smaller one
    one = shuffled_means_test(np.arange(50.0), (np.arange(50) == 49).astype(int), rng)
    assert one.pvalue == pytest.approx(2 / 50, abs=0.008)  # the farthest item, on either side
    assert np.isnan(one.margin)
    values, member = two_groups((means.MOST + 1,) * 2, rng, rng.lognormal)
    assert shuffled_means_test(values, member, rng) is None


def lognormal(rng, size):
    """Of mean 0 and standard deviation 1."""
    return (rng.lognormal(size=size) - np.exp(0.5)) / np.sqrt((np.e - 1) * np.e)


DRAWN = {
    "normal": lambda rng, size: rng.normal(size=size),
    "lognormal": lognormal,
    "t3": lambda rng, size: rng.standard_t(3, size=size) / np.sqrt(3),
}


@pytest.mark.parametrize("ratio", [1 / 3, 1, 3])
@pytest.mark.parametrize("kind", list(DRAWN))
@pytest.mark.parametrize(("few", "many"), [(15, 1000), (35, 1000), (60, 1000), (15, 60)])
def test_the_level_of_means_whatever_the_spread(monkeypatch, few, many, kind, ratio):
    """200 sets of 499 shuffles; `SETS=1000 pytest -s -k level_of_means` prints docs/audit.md's.

    Levels of 0.08 at most (0.13 of 15 against 60) leave a chance of 0.0005 for 30 (45) or more.
    """
    monkeypatch.setattr(means, "SHUFFLES", 499)
    rng, member = np.random.default_rng(0), np.repeat([1, 0], [few, many])
    found, theirs, covered = [], [], []
    for _ in range(SETS):
        values = np.r_[ratio * DRAWN[kind](rng, few), DRAWN[kind](rng, many)]
        test = shuffled_means_test(values, member, rng)
        found.append(test.pvalue < 0.05)
        theirs.append(welch(values, member).pvalue < 0.05)
        covered.append(abs(values[:few].mean() - values[few:].mean()) <= test.margin)
    print(
        f"\n{few} against {many}, {kind}, {ratio:.2f} times the spread: {np.mean(found):.3f}, "
        f"Welch {np.mean(theirs):.3f}, the interval covers {np.mean(covered):.3f}"
    )
    share = 0.145 if many > 60 else 0.22
    assert np.mean(found) < share
    assert np.mean(covered) > 1 - share


def test_less_noise_among_the_few_is_seen():
    """Shuffles of the difference itself would find it in no set; the level is kept in 0.04."""
    rng, member = np.random.default_rng(0), np.repeat([1, 0], [15, 1000])
    found = [
        shuffled_means_test(np.r_[rng.normal(0.3, 1 / 3, 15), rng.normal(size=1000)], member, rng)
        for _ in range(60)
    ]
    assert np.mean([test.pvalue < 0.05 for test in found]) > 0.7


@pytest.mark.parametrize(("few", "share"), [(6, 0.3), (15, 0.3), (25, 0.15), (25, 0.02)])
def test_the_level_of_few_binary_errors_that_are_more_common_than_others(monkeypatch, few, share):
    """Errors on either side, in 0.02 of the many: 300 sets; levels of 0.065 at most, 36 or more by
    a chance of 0.0005. Shuffles of the difference alone reject in 0.3 to 0.6."""
    monkeypatch.setattr(means, "SHUFFLES", 499)
    rng, member = np.random.default_rng(0), np.repeat([1, 0], [few, 1000])
    found = 0
    for _ in range(300):
        values = [
            rng.choice([-1.0, 0, 1], size, p=[p, 1 - 2 * p, p])
            for size, p in ((few, share), (1000, 0.02))
        ]
        found += shuffled_means_test(np.concatenate(values), member, rng).pvalue < 0.05
    assert found < 36


@pytest.mark.parametrize(("few", "errors"), [(5, 0), (10, 2), (29, 0), (60, 1), (60, 0)])
def test_means_of_few_or_nearly_constant_items_are_shuffled(few, errors):
    """Welch's t calls 5 items that are all right different from 2,000; shuffles do not."""
    y = np.arange(2000 + few) % 2
    group = np.repeat(["many", "few"], [2000, few])
    yhat = y.copy()
    yhat[1:200:2] = 0  # 100 of the many are missed
    yhat[np.flatnonzero((group == "few") & (y == 1))[:errors]] = 0
    row = fp.audit(y, yhat, sensitive_features=group).to_frame().set_index("measure")
    row = row.loc["prediction less label"]
    # a difference of -1 or 0: the shuffled sums are hypergeometric
    k = np.arange(few + 1)
    chance = hypergeom(2000 + few, 100 + errors, few).pmf(k)
    far = np.abs(k - few * (100 + errors) / (2000 + few))
    expected = chance[far >= far[errors] - 1e-9].sum()
    assert abs(row["pvalue"] - expected) < 4 * np.sqrt(expected * (1 - expected) / 9999) + 2e-4
    assert row["verdict"] == "not shown"
    assert np.isnan(row["ci_low"])
    assert "p by 9,999 shuffles of the groups, no interval" in row["note"]
    member = (group == "few").astype(int)
    if errors == 0:
        error = yhat - y
        assert ttest_ind(error[member == 1], error[member == 0], equal_var=False).pvalue < 0.001


def test_every_set_of_positions_is_drawn_as_often():
    drawn = np.sort(subsets(6, 3, 20_000, np.random.default_rng(0)), axis=1)
    counts = np.unique(drawn, axis=0, return_counts=True)[1]
    assert len(counts) == 20
    assert chisquare(counts).pvalue > 0.001
    drawn = subsets(300, means.MANY + 1, 50, np.random.default_rng(0))
    assert drawn.shape == (50, means.MANY + 1)
    assert all(len(set(row)) == means.MANY + 1 for row in drawn.tolist())
