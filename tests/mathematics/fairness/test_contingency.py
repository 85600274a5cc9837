import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from scipy.stats.contingency import association
from statsmodels.stats.contingency_tables import StratifiedTable

import fairpairs as fp
from fairpairs.mathematics.fairness import chi_square
from fairpairs.mathematics.inference.permutation import permute_within
from fairpairs.mathematics.inference.results import COLUMNS

SEEDS = range(5)
OF_THE_TABLE = [fp.chi_square_test, fp.conditional_chi_square_test, fp.cochran_mantel_haenszel_test]


def items(seed=0, n=400, k=2, gap=0.1):
    rng = np.random.default_rng(seed)
    group, label = rng.integers(k, size=n), rng.integers(2, size=n)
    return label, (rng.random(n) < 0.3 + 0.3 * label + gap * group / k).astype(int), group


def counted(y_true, y_pred, group):
    """Counts of (group, label, prediction), by a loop."""
    counts = np.zeros((max(group) + 1, 2, 2), dtype=int)
    for y, c, a in zip(y_true, y_pred, group, strict=True):
        counts[a, y, c] += 1
    return counts


def of_counts(counts):
    """The items of a table (group, label, prediction)."""
    cells = np.argwhere(np.ones_like(counts)).repeat(np.ravel(counts), axis=0)
    return {"y_true": cells[:, 1], "y_pred": cells[:, 2], "sensitive_features": cells[:, 0]}


# Chi-square


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_chi_square_is_that_of_scipy(seed, k):
    y, c, group = items(seed, 500, k)
    table = counted(y, c, group).reshape(k, 4)
    result = fp.chi_square_test(y, c, sensitive_features=group)
    expected = stats.chi2_contingency(table, correction=False)
    assert_allclose(result.statistic, expected.statistic, rtol=1e-12)
    assert_allclose(result.pvalue, expected.pvalue, rtol=1e-10)
    assert result.df == expected.dof == 3 * (k - 1)
    assert_allclose(result.effect_size, association(table, method="cramer"), rtol=1e-12)
    assert_allclose(result.smallest_expected, expected.expected_freq.min(), rtol=1e-12)
    assert (result.n, result.smallest_cell) == (500, table.sum(axis=1).min())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("k", [2, 3])
def test_the_conditional_chi_square_is_the_sum_over_the_labels(seed, k):
    y, c, group = items(seed, 500, k)
    result = fp.conditional_chi_square_test(y, c, sensitive_features=group)
    counts = counted(y, c, group)
    each = [stats.chi2_contingency(counts[:, label], correction=False) for label in (0, 1)]
    for label, (own, expected) in enumerate(zip(result.by_label, each, strict=True)):
        assert_allclose((own.statistic, own.pvalue), (expected.statistic, expected.pvalue))
        assert own.df == expected.dof == k - 1
        assert_allclose(own.effect_size, association(counts[:, label], method="cramer"))
        assert own.n == (y == label).sum()
    total = each[0].statistic + each[1].statistic
    assert_allclose(result.statistic, total)
    assert_allclose(result.pvalue, stats.chi2.sf(total, 2 * (k - 1)))
    shares = [(y == label).mean() for label in (0, 1)]
    squares = [own.effect_size**2 for own in result.by_label]
    assert_allclose(result.effect_size**2, np.dot(shares, squares))


@given(st.lists(st.integers(0, 6), min_size=12, max_size=12))
def test_tables_with_empty_rows_or_columns_are_those_of_scipy_without_them(cells):
    table = np.reshape(cells, (3, 4))
    result = chi_square.chi_square_from_counts(table)
    full = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    if min(full.shape) < 2:
        assert result.df == 0
        assert np.isnan([result.statistic, result.pvalue, result.effect_size]).all()
        return
    expected = stats.chi2_contingency(full, correction=False)
    assert_allclose(result.statistic, expected.statistic, atol=1e-12)
    assert_allclose(result.pvalue, expected.pvalue, rtol=1e-9)
    assert result.df == expected.dof
    assert_allclose(result.effect_size, association(full, method="cramer"), atol=1e-12)


# Cochran, Mantel and Haenszel


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_cmh_is_that_of_statsmodels(seed, alpha):
    y, c, group = items(seed)
    result = fp.cochran_mantel_haenszel_test(y, c, sensitive_features=group, alpha=alpha)
    counts = counted(y, c, group)
    table = StratifiedTable([counts[::-1, label, ::-1] for label in (0, 1)])
    expected = table.test_null_odds(correction=False)
    assert_allclose(result.statistic, expected.statistic, rtol=1e-10)
    assert_allclose(result.pvalue, expected.pvalue, rtol=1e-10)
    # the printed formula of the odds ratio, and the interval of the library
    odds = sum(counts[1, y, 1] * counts[0, y, 0] / counts[:, y].sum() for y in (0, 1)) / sum(
        counts[1, y, 0] * counts[0, y, 1] / counts[:, y].sum() for y in (0, 1)
    )
    assert_allclose(result.estimate, odds, rtol=1e-12)
    assert_allclose(
        (result.ci_low, result.ci_high), table.oddsratio_pooled_confint(alpha=alpha), rtol=1e-12
    )
    assert result.df == 1
    assert_allclose(result.effect_size, np.sqrt(result.statistic / 400))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_of_one_stratum_cmh_is_pearsons_chi_square_but_for_one_item(k):
    y, c, group = items(1, 200, k)
    counts = counted(y, c, group)[:, 1]
    pearson, n = chi_square.chi_square_from_counts(counts), counts.sum()
    result = chi_square.mantel_haenszel_from_counts(counts[None])
    assert_allclose(result.statistic, pearson.statistic * (n - 1) / n, rtol=1e-10)
    assert result.df == pearson.df == k - 1


def test_the_generalised_cmh_has_the_moments_of_permutations():
    # its statistic is the distance of the groups' positives in the moments of all shuffles
    y, c, group = items(2, 120, 3, gap=0.7)
    shuffled = permute_within(group, y, 40_000, np.random.default_rng(0))
    positives = np.stack([(shuffled == a) @ c for a in (0, 1)], axis=1).astype(float)
    departure = np.array([c[group == a].sum() for a in (0, 1)]) - positives.mean(axis=0)
    distance = departure @ np.linalg.inv(np.cov(positives.T)) @ departure
    result = fp.cochran_mantel_haenszel_test(y, c, sensitive_features=group)
    assert 5 < result.statistic < 50
    assert_allclose(result.statistic, distance, rtol=0.05)
    assert result.df == 2
    assert np.isnan([result.estimate, result.ci_low, result.ci_high]).all()


def test_a_zero_in_every_stratum_leaves_no_interval():
    counts = np.array([[[40, 0], [40, 0]], [[20, 20], [20, 20]]])
    result = fp.cochran_mantel_haenszel_test(**of_counts(counts))
    assert result.estimate == np.inf
    assert np.isnan([result.ci_low, result.ci_high]).all()
    assert result.violated is True
    result = fp.cochran_mantel_haenszel_test(**of_counts(counts[::-1]))
    assert result.estimate == 0
    assert np.isnan([result.ci_low, result.ci_high]).all()


# What is said of an effect, and of few items


def test_the_size_of_w_in_words():
    def word(a, b):  # of one label: √(χ²/n) of the shares a/100 and b/100
        counts = np.array([[[0, 0], [100 - a, a]], [[0, 0], [100 - b, b]]])
        return fp.chi_square_test(**of_counts(counts)).magnitude

    assert word(75, 25) == "large"  # w is 0.5, the bound
    assert [word(50 + gap, 50 - gap) for gap in (4, 6, 14, 16, 24)] == [
        "negligible", "small", "small", "medium", "medium",
    ]  # fmt: skip


def test_an_expected_count_of_five_is_too_few_and_one_above_is_not():
    for positives, note in ((5, chi_square.SHUFFLED), (6, "")):
        counts = np.array([[[95, 5], [50, 50]], [[100 - positives, positives], [50, 50]]])
        result = fp.conditional_chi_square_test(**of_counts(counts)).by_label[0]
        assert result.smallest_expected == (5 + positives) / 2
        assert result.note == note


# Few items expected: shuffles of the groups. 9,999 of them: a standard error of 0.005 at most


@pytest.mark.parametrize("cells", [[[90, 6], [7, 3]], [[300, 2], [9, 1]], [[40, 3], [11, 4]]])
def test_of_two_groups_the_shuffles_are_fishers_test(cells):
    counts = np.array([[[80, 20], cells[0]], [[80, 20], cells[1]]])
    own = fp.conditional_chi_square_test(**of_counts(counts)).by_label[1]
    # by the chance of a table or by its chi-square: the same order of the tables here
    assert own.note.endswith(chi_square.SHUFFLED)
    assert_allclose(own.pvalue, stats.fisher_exact(cells).pvalue, atol=0.02)
    assert own.statistic == chi_square.chi_square_from_counts(np.array(cells)).statistic


# What cannot be tested


def test_a_label_that_cannot_be_tested_is_left_out_and_named():
    counts = np.array([[[50, 40], [70, 0]], [[40, 60], [80, 0]]])
    result = fp.conditional_chi_square_test(**of_counts(counts))
    assert result.statistic == result.by_label[0].statistic > 0
    assert (result.df, result.by_label[1].df) == (1, 0)
    assert result.by_label[1].pvalue == 1
    assert result.by_label[1].note == "no variance: all predictions are the same"
    assert result.note == "label 1: all predictions are the same"
    assert_allclose(result.effect_size, result.by_label[0].effect_size)
    cmh = fp.cochran_mantel_haenszel_test(**of_counts(counts))
    assert_allclose(cmh.effect_size, np.sqrt(cmh.statistic / 190))
    assert cmh.n == result.n == 340
    counts = np.array([[[50, 40], [0, 0]], [[40, 60], [40, 50]]])
    assert fp.conditional_chi_square_test(**of_counts(counts)).note == "label 1: one group only"
    counts = np.array([[[50, 40], [0, 0]], [[40, 60], [40, 50]], [[40, 60], [40, 50]]])
    result = fp.conditional_chi_square_test(**of_counts(counts))
    assert result.note == "label 1: a group without rows is left out"
    assert result.df == 3
    cmh = fp.cochran_mantel_haenszel_test(**of_counts(counts))
    assert cmh.note == "a group without rows is left out"
    assert (cmh.df, cmh.smallest_cell) == (2, 0)


@pytest.mark.parametrize("test", OF_THE_TABLE)
def test_items_of_one_cell_have_p_1(test):
    result = test([1] * 80, [0] * 80, sensitive_features=["a", "b"] * 40)
    assert np.isnan(result.statistic)
    assert (result.pvalue, result.violated, result.df) == (1, False, 0)
    assert (result.effect_size, result.magnitude) == (0, "negligible")
    assert result.note.startswith("no variance")
    assert ": the groups are equal and do not vary, so nothing" in result.interpretation


def test_a_perfect_model_has_p_1_and_its_own_note():
    labels, group = [0, 1] * 80, ["a", "a", "b", "b"] * 40
    same = "all predictions are the same"
    conditional, cmh = (test(labels, labels, sensitive_features=group) for test in OF_THE_TABLE[1:])
    assert conditional.note == f"no variance; label 0: {same}; label 1: {same}"
    assert cmh.note == "no variance: all predictions of a label are the same"
    assert [test.violated for test in (conditional, cmh, *conditional.by_label)] == [False] * 4


@pytest.mark.parametrize("test", OF_THE_TABLE[1:])
def test_groups_without_a_label_in_common_cannot_be_tested(test):
    labels = [0] * 40 + [1] * 40
    result = test(labels, [0, 1] * 40, sensitive_features=["a"] * 40 + ["b"] * 40)
    assert np.isnan([result.statistic, result.pvalue, result.effect_size]).all()
    assert (result.violated, result.df, result.magnitude) == (None, 0, "unknown")
    assert result.interpretation.endswith(f"could not be tested: {result.note}.")


@pytest.mark.parametrize("test", OF_THE_TABLE)
def test_few_items_of_a_group_or_a_cell_are_warned_of(test):
    def note(counts):
        return test(**of_counts(np.array(counts))).note.removeprefix("label 0: ")

    many = [[40, 40], [40, 40]]
    assert not note([many, many])
    assert note([[[10, 10], [4, 4]], many]).startswith("a cell below 30")
    assert "an expected count of 5 or fewer" in note([[[90, 2], [40, 40]], [[90, 2], [40, 40]]])


@pytest.mark.parametrize("test", OF_THE_TABLE)
def test_a_result_has_the_columns_of_every_test_and_a_sentence(test):
    y, c, group = items(0, gap=0.6)
    result = test(y, c, sensitive_features=group, alpha=0.01)
    frame = result.to_frame()
    assert tuple(frame.columns) == COLUMNS
    assert frame["pvalue"].iloc[-1] == result.pvalue
    assert list(frame["hypothesis"].iloc[:-1]) == [own.hypothesis for own in result.by_label]
    assert result.violated is True
    assert result.interpretation.startswith("There is evidence at the level 0.01 that ")
    assert f"χ²({result.df}) = {result.statistic:.3g}, " in result.interpretation
    assert f"{result.effect_size:.2f}, p < 0.001)." in result.interpretation
    with pytest.raises(AttributeError):
        result.alpha = 0.5


def test_shuffled_tables_are_tested_as_any_others():
    # the last prediction and a group are empty, as in a table of which a part does not occur
    table = np.array([[4, 9, 2, 0], [11, 2, 3, 0], [0, 0, 0, 0]])
    (found,), summed = chi_square._chi_squares([table])
    drawn = stats.random_table(table.sum(axis=1), table.sum(axis=0)).rvs(
        chi_square.SHUFFLES, random_state=np.random.default_rng(0)
    )
    statistics = chi_square.chi_square_from_counts(drawn).statistic
    observed = chi_square.chi_square_from_counts(table).statistic
    beyond = (statistics >= observed * (1 - 1e-9)).sum()
    assert found.pvalue == summed == (beyond + 1) / (chi_square.SHUFFLES + 1)


# Several classes


def of_classes(n=900, seed=0):
    """The tables of groups by predictions of each label."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 3, n)
    predicted = np.where(rng.random(n) < 0.6, label, rng.integers(0, 3, n))
    group = rng.choice(["f", "m", "x"], n)
    return [
        stats.contingency.crosstab(group[label == code], predicted[label == code]).count
        for code in range(3)
    ]


def test_several_classes_are_summed_over_their_labels():
    tables = of_classes()
    total, found = chi_square.chi_square_of_strata(tables)
    tests = [stats.chi2_contingency(table, correction=False) for table in tables]
    assert_allclose(total.statistic, sum(test.statistic for test in tests))
    assert total.df == sum(test.dof for test in tests) == 12
    assert_allclose(total.pvalue, stats.chi2.sf(total.statistic, 12))
    assert_allclose([test.pvalue for test in found], [test.pvalue for test in tests])


def test_few_items_of_several_classes_are_shuffled():
    total, tests = chi_square.chi_square_of_strata(of_classes(40))
    assert total.shuffles == chi_square.SHUFFLES
    assert_allclose(total.statistic, np.nansum([test.statistic for test in tests]))
    assert chi_square.chi_square_of_strata(of_classes())[0].shuffles == 0


def test_v_is_0_by_chance_and_1_where_the_group_is_told():
    rng = np.random.default_rng(0)
    table = np.array([[30, 10, 5], [20, 8, 9]])
    drawn = stats.random_table(table.sum(axis=1), table.sum(axis=0)).rvs(4000, random_state=rng)
    excess = chi_square.chi_square_from_counts(drawn).statistic - 2 * table.sum() / (
        table.sum() - 1
    )
    assert abs(excess.mean()) < 4 * excess.std() / np.sqrt(4000)
    v, w = chi_square.corrected_cramers_v([np.diag([40, 30, 20]), np.diag([10, 50, 30])])
    assert v == 1
    assert w == pytest.approx(np.sqrt(2), abs=0.02)
    assert np.isnan(chi_square.corrected_cramers_v([np.array([[3, 4], [0, 0]])])).all()
    assert chi_square.corrected_cramers_v([np.array([[1, 0], [0, 1]])]) == (0, 0)
