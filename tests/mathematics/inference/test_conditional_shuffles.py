"""Shuffles: within labels, and of the groups of means."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, ndtri
from scipy.stats import permutation_test, rankdata, ttest_ind
from sklearn.linear_model import LogisticRegression

from fairpairs import differential_parity_test
from fairpairs.mathematics.estimates.balance import label_strata
from fairpairs.mathematics.fairness.separation import separation_permutation_test
from fairpairs.mathematics.inference.conditional_shuffles import (
    EXCHANGES,
    MAX_SLOPE,
    conditional_shuffles,
)
from fairpairs.mathematics.inference.shuffled_means import (
    Shuffled,
    few_vary,
    shuffled_pair,
    shuffled_welch,
    subsets,
    welch_doubt,
)


@pytest.mark.slow
def test_conditional_shuffles_have_the_chances_of_the_groups_given_the_label():
    """All 20 assignments of 3 of 6 items, against their chances; 200 draws, 4.5 errors."""
    labels, group = np.array([0.1, 0.5, 0.2, 1.4, 1.1, 2.0]), np.array([0, 0, 1, 1, 0, 1])
    scores = ndtri((np.array([1, 3, 2, 5, 4, 6]) - 0.5) / 6)[:, None]
    slope = LogisticRegression(tol=1e-10).fit(scores, group).coef_[0, 0]
    chosen = np.array(list(combinations(range(6), 3)))
    chance = np.exp(slope * scores[chosen, 0].sum(axis=1))
    chance /= chance.sum()
    rng, one = np.random.default_rng(0), np.zeros(6, dtype=np.int64)
    place = {tuple(row): i for i, row in enumerate(chosen)}
    drawn = [conditional_shuffles(group, one, labels, rng)(1)[0] for _ in range(200)]
    counts = np.bincount([place[tuple(np.flatnonzero(row))] for row in drawn], minlength=20)
    assert all(row.sum() == 3 for row in drawn)
    error = np.sqrt(200 * chance * (1 - chance))
    assert (np.abs(counts - 200 * chance) < 4.5 * error).all()


def test_groups_stay_within_their_strata_and_keep_their_sizes():
    rng = np.random.default_rng(1)
    labels, group = rng.normal(size=90), rng.integers(0, 3, 90)
    strata = label_strata(labels)
    for shuffled in conditional_shuffles(group, strata, labels, rng)(5):
        for stratum in np.unique(strata):
            inside = strata == stratum
            assert_array_equal(np.sort(shuffled[inside]), np.sort(group[inside]))


def test_groups_whose_labels_hardly_overlap_are_noted():
    rng = np.random.default_rng(7)
    group = np.tile([0, 1, 2], 40)
    for apart, noted in ((0.0, False), (1.0, False), (3.0, True)):
        y = rng.normal(size=120) + apart * (group == 2)
        note = separation_permutation_test(
            y, y + rng.normal(size=120), sensitive_features=group, n_permutations=99, random_state=0
        ).note
        assert ("hardly overlap" in note) is noted
    levels = np.repeat([0, 1, 2], 40)
    levels[:2], levels[40:42], group = [1, 2], [2, 0], np.sort(group)
    result = separation_permutation_test(
        levels, levels + rng.normal(size=120), sensitive_features=group, statistic="rates",
        n_permutations=99, random_state=0,
    )  # fmt: skip
    assert "hardly overlap" not in result.note  # discrete labels: the test is exact


def plain_exchanges(group, strata, labels, rng):
    """Exchange pairs one by one, by the chance that the log odds of the four cases give."""
    n = len(group)
    scores = ndtri((rankdata(labels) - 0.5) / n)[:, None]
    model = LogisticRegression(solver="newton-cholesky", tol=MAX_SLOPE).fit(scores, group)
    logs = scores @ model.coef_.T
    logs = np.hstack([np.zeros((n, 1)), logs]) if logs.shape[1] == 1 else logs
    steps = []
    for step in range(EXCHANGES):
        order = np.lexsort((rng.random(n), strata))[step % 2 :]
        pairs = zip(order[::2], order[1::2], strict=False)
        steps.append([(i, j) for i, j in pairs if strata[i] == strata[j]])

    def exchange(rows, steps):
        rows = rows.copy()
        for pairs in steps:
            chance = rng.random((len(rows), len(pairs)))
            for row, chances in zip(rows, chance, strict=True):
                for (i, j), drawn in zip(pairs, chances, strict=True):
                    odds = logs[i, row[j]] + logs[j, row[i]] - (logs[i, row[i]] + logs[j, row[j]])
                    if drawn < expit(odds):
                        row[i], row[j] = row[j], row[i]
        return rows

    centre = exchange(group[None], steps[::-1])
    return lambda size: exchange(np.repeat(centre, size, axis=0), steps)


@pytest.mark.parametrize("k", [2, 3, 12])
def test_shuffles_are_those_of_exchanges_one_by_one(k):
    rng = np.random.default_rng(k)
    group, labels = np.arange(96) % k, rng.normal(size=96)
    given = (group, label_strata(labels), labels)
    shuffle = conditional_shuffles(*given, np.random.default_rng(4))
    expected = plain_exchanges(*given, np.random.default_rng(4))
    for size in (3, 2):
        assert_array_equal(shuffle(size), expected(size))
    assert shuffle(2).dtype == group.dtype


def t_of(first, second, axis=-1):
    return ttest_ind(second, first, equal_var=False, axis=axis).statistic


@pytest.mark.parametrize("sizes", [(5, 4), (3, 6)])
def test_all_shuffles_are_those_of_scipy(sizes):
    rng = np.random.default_rng(1)
    values, member = rng.lognormal(size=9), np.repeat([0, 1], sizes)
    result = shuffled_welch(values, member, rng)
    expected = permutation_test(
        (values[member == 0], values[member == 1]), t_of, n_resamples=np.inf, vectorized=True
    )
    assert result.exact
    assert_allclose(result.t, expected.statistic)
    assert_allclose(result.pvalue, min(1, expected.pvalue))
    assert_allclose(result.shuffled, np.sort(expected.null_distribution))


@pytest.mark.parametrize("kind", ["counts", "few", "many"])
def test_drawn_shuffles_are_nearly_those_of_scipy(kind):
    rng = np.random.default_rng(2)
    n_1 = 200 if kind == "many" else 20
    values = rng.lognormal(size=n_1 + 300)
    if kind == "counts":
        values = np.round(values)
    member = np.repeat([1, 0], [n_1, 300])
    result = shuffled_welch(values, member, rng)
    expected = permutation_test(
        (values[member == 0], values[member == 1]), t_of, n_resamples=4999, vectorized=True,
        rng=np.random.default_rng(3),
    )  # fmt: skip
    assert not result.exact
    assert_allclose(result.t, expected.statistic)
    # Monte Carlo error below 0.01 for the p-value and 0.05 for the quantiles
    assert result.pvalue == pytest.approx(expected.pvalue, abs=0.035)
    quantiles = np.quantile(expected.null_distribution, [0.025, 0.975])
    assert_allclose(result.quantiles(0.05), quantiles, atol=0.25)


def test_a_t_beyond_a_quantile_has_a_p_value_below_the_level():
    rng = np.random.default_rng(4)
    for size in (3, 4, 5, 12):
        for _ in range(40):
            values, member = rng.exponential(size=size + 6), np.repeat([1, 0], [size, 6])
            result = shuffled_welch(values, member, rng)
            low, high = result.quantiles(0.1)
            assert (result.pvalue < 0.1) == (not low <= result.t <= high)


def test_large_values_that_differ_little_are_shuffled_alike():
    rng = np.random.default_rng(5)
    values, member = rng.integers(0, 5, 40).astype(float), np.repeat([0, 1], [33, 7])
    near, far = (
        shuffled_welch(values + offset, member, np.random.default_rng(1)) for offset in (0, 1e8)
    )
    assert far.pvalue == pytest.approx(near.pvalue, abs=1e-9)


def test_subsets_are_drawn_evenly():
    drawn = np.sort(subsets(5, 2, 20_000, np.random.default_rng(6)), axis=1)
    share = [(drawn == pair).all(axis=1).mean() for pair in combinations(range(5), 2)]
    assert_allclose(share, 0.1, atol=0.01)  # Monte Carlo error 0.002


def test_what_is_doubtful_is_said():
    rng = np.random.default_rng(7)
    member = np.repeat([0, 1], [1000, 40])
    assert welch_doubt(rng.normal(size=1040), member) == ""
    assert welch_doubt(rng.lognormal(size=1040), member) == "skewed differences"
    assert welch_doubt(-rng.lognormal(size=1040), member) == "skewed differences"
    rare = (np.arange(1040) % 10 == 0) * rng.normal(size=1040)
    assert welch_doubt(rare, member) == "all values of a group but 5 or fewer are equal"
    assert few_vary(np.array([1.0, 2, 3, 4, 5, 6]))
    assert not few_vary(np.array([1.0, 2, 3, 4, 5, 6, 7]))
    assert shuffled_pair(rng.normal(size=1040), member, 0.05) is None


def test_the_note_says_how_and_whether_there_is_an_interval():
    rng = np.random.default_rng(8)
    member = np.repeat([0, 1], [1000, 40])
    skewed = shuffled_pair(rng.lognormal(size=1040), member, 0.05)
    assert skewed.note == "skewed differences: p by 9,999 shuffles of the groups"
    assert skewed.ci_low < skewed.ci_high
    rare = shuffled_pair((np.arange(1040) % 10 == 0) * rng.normal(size=1040), member, 0.05)
    assert rare.note.endswith("equal: p by 9,999 shuffles of the groups, no interval")
    assert np.isnan(rare.ci_low)
    few = shuffled_pair(np.arange(6.0), np.repeat([0, 1], 3), 0.05)
    assert "p by all 20 shuffles" in few.note


@pytest.mark.parametrize(
    ("sizes", "counts"), [((200, 200), False), ((15, 60), False), ((15, 60), True)]
)
def test_neither_the_order_of_items_nor_the_names_of_groups_matter(sizes, counts):
    rng = np.random.default_rng(9)
    values = rng.lognormal(sigma=1.5, size=sum(sizes))
    values = np.round(values) if counts else values
    group = np.repeat([0, 1], sizes)
    order = rng.permutation(len(values))
    as_given, in_order, swapped = (
        differential_parity_test(v, np.zeros(len(v)), sensitive_features=g).to_frame().iloc[0]
        for v, g in (
            (values, group),
            (values[order], group[order]),
            (values[order], 1 - group[order]),
        )
    )
    assert "skewed differences" in as_given["note"]
    ends = ["ci_low", "ci_high"]
    for other in (in_order, swapped):
        assert other["pvalue"] == pytest.approx(as_given["pvalue"], rel=1e-9)
        assert other["pvalue_one_sided"] == pytest.approx(as_given["pvalue_one_sided"], rel=1e-9)
        assert other["note"] == as_given["note"]
    assert_allclose(in_order[ends].astype(float), as_given[ends].astype(float), rtol=1e-9)
    assert_allclose(-swapped[ends[::-1]].astype(float), as_given[ends].astype(float), rtol=1e-9)


@pytest.mark.parametrize(("exact", "expected"), [(False, 4 / 10), (True, 3 / 9)])
def test_drawn_shuffles_count_the_observed_groups(exact, expected):
    """The observed groups are one more shuffle, unless all shuffles have them already."""
    shuffled = Shuffled(
        t=2.0,
        shuffled=np.arange(-4.0, 5.0),
        drawn=9,
        exact=exact,
        pvalue_welch=0.1,
        dof=5.0,
        pvalue_difference=0.1,
    )
    assert_allclose(shuffled.pvalue_one_sided, expected)
    assert_allclose(shuffled.pvalue, 2 * expected)
