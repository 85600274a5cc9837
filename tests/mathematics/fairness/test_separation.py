from itertools import combinations

import numpy as np
import pytest
from fairlearn.metrics import (
    MetricFrame,
    false_positive_rate,
    true_positive_rate,
)
from numpy.testing import assert_allclose, assert_array_equal
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import (
    confint_proportions_2indep,
    test_proportions_2indep as proportions_test,
)

from fairpairs import separation_test
from fairpairs.mathematics.inference.rates import FEW_EVENTS
from fairpairs.papers.experiments.item_counts import HYPOTHESES, cell_counts, separation_from_counts

SEEDS = range(5)


def double_loop(y_true, y_pred, group, block, n_blocks):
    counts = np.zeros((n_blocks, 2, 2, 2), dtype=int)
    for y, c, a, b in zip(y_true, y_pred, group, block, strict=True):
        counts[b, a, y, c] += 1
    return counts


def of_label(y_true, y_pred, group, label):
    """Count the predictions of 1 and the items of a label, group 1 and group 0."""
    return [
        count
        for a in (1, 0)
        for count in (
            sum(y_pred[(y_true == label) & (group == a)] == 1),
            sum((y_true == label) & (group == a)),
        )
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_cell_counts_are_those_of_a_loop(random_items, seed):
    y_true, y_pred, _, group = random_items(seed, 60)
    block = np.random.default_rng(seed).integers(4, size=60)
    assert_array_equal(
        cell_counts(y_true, y_pred, group, block=block, n_blocks=5),
        double_loop(y_true, y_pred, group, block, 5),
    )
    assert_array_equal(
        cell_counts(y_true, y_pred, group),
        double_loop(y_true, y_pred, group, np.zeros(60, dtype=int), 1),
    )


def test_tables_without_items_are_all_zero():
    one = np.array([1])
    counts = cell_counts(one, one, one, block=np.array([1]), n_blocks=3)
    assert counts.shape == (3, 2, 2, 2)
    assert counts.sum() == counts[1, 1, 1, 1] == 1


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_statistics_p_values_and_intervals_are_those_of_statsmodels(random_items, seed, alpha):
    y_true, y_pred, _, group = random_items(seed, 300)
    result = separation_test(
        y_true, y_pred, sensitive_features=group, alpha=alpha, correction="none", method="wald"
    )
    for i, label in enumerate((1, 0)):  # TPR, then FPR; group 1 less group 0
        counts = of_label(y_true, y_pred, group, label)
        expected = proportions_test(*counts, method="wald", compare="diff")
        assert_allclose(result.statistic[i], expected.statistic, rtol=1e-10)
        assert_allclose(result.pvalues[i], expected.pvalue, rtol=1e-10)
        assert_allclose(
            (result.difference.ci_low[i], result.difference.ci_high[i]),
            confint_proportions_2indep(*counts, method="wald", compare="diff", alpha=alpha),
            rtol=1e-10,
        )


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("correction", ["holm", "sidak", "none"])
def test_every_two_groups_are_compared_as_by_statsmodels(seed, correction):
    rng = np.random.default_rng(seed)
    y_true, y_pred = rng.integers(0, 2, (2, 600))
    race = rng.choice(["w", "x", "y", "z"], 600, p=[0.4, 0.3, 0.2, 0.1])
    result = separation_test(
        y_true, y_pred, sensitive_features=race, correction=correction, method="wald"
    )
    hypotheses, pvalues, estimates = [], [], []
    for first, second in combinations("wxyz", 2):
        for name, label in (("TPR", 1), ("FPR", 0)):
            one, two = (y_pred[(race == g) & (y_true == label)] for g in (second, first))
            hypotheses.append(f"{name}(A={second}) = {name}(A={first})")
            estimates.append(one.mean() - two.mean())
            pvalues.append(
                proportions_test(one.sum(), len(one), two.sum(), len(two), method="wald").pvalue
            )
    if correction != "none":
        pvalues = multipletests(pvalues, method=correction)[1]
    assert result.hypotheses == tuple(hypotheses)
    assert_allclose(result.difference.estimate, estimates, rtol=1e-12)
    assert_allclose(result.pvalues, pvalues, rtol=1e-9)
    assert result.groups == ("w", "x", "y", "z")
    by_group = MetricFrame(
        metrics={"tpr": true_positive_rate, "fpr": false_positive_rate},
        y_true=y_true, y_pred=y_pred, sensitive_features=race,
    ).by_group  # fmt: skip
    assert_allclose(result.tpr, by_group["tpr"])
    assert_allclose(result.fpr, by_group["fpr"])


def test_both_differences_by_hand():
    # equation (11); women (group 0): TPR 1/4, FPR 1/2; men (group 1): TPR 2/3, FPR 1/4
    y_true = [1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0]
    y_pred = [1, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0]
    sex = ["f"] * 6 + ["m"] * 7
    result = separation_test(y_true, y_pred, sensitive_features=sex)
    assert result.groups == ("f", "m")
    assert_allclose(result.tpr, [1 / 4, 2 / 3])
    assert_allclose(result.fpr, [1 / 2, 1 / 4])
    assert_allclose(result.difference.estimate, [2 / 3 - 1 / 4, 1 / 4 - 1 / 2])
    assert_array_equal(result.counts, [[[1, 1], [3, 1]], [[3, 1], [1, 2]]])
    assert result.hypotheses == ("TPR(A=m) = TPR(A=f)", "FPR(A=m) = FPR(A=f)")


def test_tables_are_tested_at_once_as_one_by_one(random_items):
    counts = np.stack(
        [cell_counts(*random_items(seed, 200)[:2], random_items(seed, 200)[3])[0] for seed in SEEDS]
    )
    together = separation_from_counts(counts)
    assert together.statistic.shape == (5, len(HYPOTHESES))
    for seed in SEEDS:
        y_true, y_pred, _, group = random_items(seed, 200)
        alone = separation_test(y_true, y_pred, sensitive_features=group, method="wald")
        assert_array_equal(together.statistic[seed], alone.statistic)


def test_an_empty_cell_does_not_hide_the_other_hypothesis():
    # group b has no item with label 0: no false positive rate, but a TPR of 1/10 against 9/10
    y_true = [1] * 40 + [0] * 10
    y_pred = [1] * 18 + [0] * 2 + [1] * 2 + [0] * 18 + [1] * 5 + [0] * 5
    group = ["a"] * 20 + ["b"] * 20 + ["a"] * 10
    result = separation_test(y_true, y_pred, sensitive_features=group, method="wald")
    assert_array_equal(np.isnan(result.pvalues), [False, True])
    assert list(result.difference.reason) == ["", "empty cell"]
    assert_allclose(result.statistic[0], -0.8 / np.sqrt(2 * 0.09 / 20), rtol=1e-12)
    assert result.violated is True
    assert np.isnan(result.fpr[1])
    assert_allclose(result.difference.estimate, [-0.8, np.nan])


def test_a_perfect_model_is_not_called_unfair():
    labels = [0, 1, 0, 1]
    result = separation_test(labels, labels, sensitive_features=["a", "a", "b", "b"])
    assert list(result.to_frame()["note"]) == ["no variance; a cell below 30"] * 2
    assert_array_equal(result.pvalues, [1, 1])
    assert result.violated is False
    assert_allclose(result.difference.estimate, [0, 0])


def test_few_events_are_noted_without_changing_the_test():
    """0 of 50 against 60 of 3,000 negative items; 25 of 50 against 1,500 positive ones."""
    counts = np.array([[[2940, 60], [1500, 1500]], [[50, 0], [25, 25]]])
    cells = np.repeat(np.arange(8), counts.ravel())
    group, label, prediction = cells // 4, cells // 2 % 2, cells % 2
    result = separation_test(label, prediction, sensitive_features=group, method="wald")
    notes = list(result.to_frame()["note"])
    assert notes == ["", "5 or fewer positive or negative predictions in a cell"]
    expected = separation_from_counts(counts)
    assert_array_equal(result.difference.pvalue, expected.pvalue)
    assert_array_equal(result.difference.ci_low, expected.ci_low)  # both of 95 %
    assert "beware: 5 or fewer" in result.interpretation


@pytest.mark.parametrize("group", [0, 1])
@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("prediction", [0, 1])
@pytest.mark.parametrize(("events", "items", "note"), [
    (5, 30, FEW_EVENTS), (6, 30, ""), (5, 29, "a cell below 30"), (6, 29, "a cell below 30"),
])  # fmt: skip
def test_few_events_of_one_cell_are_noted_of_its_label_alone(
    group, label, prediction, events, items, note
):
    counts = np.arange(40, 48).reshape(2, 2, 2)  # no two sums are alike
    counts[group, label, prediction] = events
    counts[group, label, 1 - prediction] = items - events
    a, y, c = (cells.repeat(counts.ravel()) for cells in np.indices((2, 2, 2)).reshape(3, -1))
    result = separation_test(y, c, sensitive_features=a, method="wald")
    assert_array_equal(result.counts, counts)
    found = list(result.to_frame()["note"])
    assert found.pop(1 - label) == note
    assert found == [""]
