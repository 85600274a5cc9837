"""The permutation test of separation: its statistics against loops, its level, its power."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fairpairs import InputError
from fairpairs.mathematics.fairness.information import information_separation
from fairpairs.mathematics.fairness.separation import (
    gap_statistic,
    rate_statistic,
    separation_permutation_test,
)
from fairpairs.mathematics.inference import permutation
from fairpairs.mathematics.inference.permutation import permutation_test, permute_within
from tests.mathematics.synthetic import items_of_levels


def test_the_same_seed_gives_the_same_p_value_whatever_the_chunks(monkeypatch):
    y, s, group = items_of_levels(3)

    def p(random_state):
        return separation_permutation_test(
            y, s, sensitive_features=group, n_permutations=199, random_state=random_state
        ).pvalue

    assert p(4) == p(4) == p(np.random.default_rng(4))
    assert len({p(seed) for seed in range(8)}) > 1
    whole = p(4)
    monkeypatch.setattr(permutation, "CHUNK", 60 * 7)
    assert p(4) == whole


def gaps_by_loop(y, s, group, k, ties):
    right, usable = np.zeros((2, k, k))
    for i, j in product(range(len(y)), repeat=2):
        if y[i] > y[j]:
            usable[group[i], group[j]] += 1
            tied = s[i] == s[j] and ties == "half"
            right[group[i], group[j]] += (s[i] > s[j]) + tied / 2
    tpr = right / usable
    return [
        gap
        for a in range(k)
        for b in range(a + 1, k)
        for gap in (tpr[b, a] - tpr[a, b], tpr[b, b] - tpr[a, a])
    ]


@pytest.mark.parametrize("ties", ["wrong", "half"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("levels", [2, 4, None])
def test_the_gap_statistic_is_that_of_a_loop_over_pairs(ties, k, levels):
    y, s, group = items_of_levels(5, 40, k, levels or 4)
    y = y + (np.random.default_rng(0).normal(size=40) if levels is None else 0)
    s = np.round(s)
    groups = np.stack([group, *np.random.default_rng(1).integers(k, size=(3, 40))])
    found = gap_statistic(y.astype(float), s, k, ties)(groups)
    expected = [gaps_by_loop(y, s, g, k, ties) for g in groups]
    assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    result = separation_permutation_test(
        y, s, sensitive_features=group, ties=ties, n_permutations=9, random_state=0
    )
    assert_allclose(result.statistic, expected[0], rtol=1e-9, atol=1e-12)


def test_rates_are_the_gaps_of_fpr_and_tpr_for_binary_labels(random_items):
    y, c, _, group = random_items(0, 80)
    result = separation_permutation_test(
        y, c, sensitive_features=group, statistic="rates", n_permutations=19, random_state=0
    )
    expected = [
        c[(y == label) & (group == 1)].mean() - c[(y == label) & (group == 0)].mean()
        for label in (0, 1)
    ]
    assert_allclose(result.statistic, expected, rtol=1e-12)


def test_rates_of_three_groups_are_held_against_the_first_that_a_label_has():
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    s = np.array([1.0, 2, 4, 8, 16, 32, 64, 128])
    group = np.array([0, 1, 2, 2, 1, 2, 1, 2])  # no item of group 0 has label 1
    found = rate_statistic(y, s, 3)(group[None])
    assert_allclose(found, [[2 - 1, 6 - 1, 80 - 40]])


def test_information_separation_is_tested_one_sided():
    y, s, group = items_of_levels(6, 50)
    result = separation_permutation_test(
        y, s, sensitive_features=group, statistic="information_separation", n_permutations=99,
        random_state=3,
    )  # fmt: skip
    observed = information_separation(y, s, sensitive_features=group)
    assert_allclose(result.statistic, observed, rtol=1e-8)
    drawn = permute_within(group, y, 99, np.random.default_rng(3))
    null = np.array([information_separation(y, s, sensitive_features=g) for g in drawn])
    assert_allclose(result.null_mean, null.mean(), rtol=1e-7)
    assert result.pvalue == ((null >= observed * (1 - 1e-9)).sum() + 1) / 100
    # the least value of all is far from the mean, but not too large
    least = drawn[null.argmin()]
    assert (
        separation_permutation_test(
            y, s, sensitive_features=least, statistic="information_separation", n_permutations=99,
            random_state=3,
        ).pvalue
        > 0.9
    )  # fmt: skip


def test_a_function_of_the_groups_is_tested_within_labels():
    y, s, group = items_of_levels(7)
    result = separation_permutation_test(
        y,
        s,
        sensitive_features=np.array(["a", "b"])[group],
        statistic=lambda groups: groups @ s,
        n_permutations=49,
        random_state=1,
    )
    expected = permutation_test(
        lambda groups: groups @ s, group, strata=y, n_permutations=49, random_state=1
    )
    assert result.pvalue == expected.pvalue
    assert_array_equal(result.null_mean, expected.null_mean)


GOOD = {
    "y_true": [0, 1, 0, 1, 0, 1, 0, 1],
    "y_pred": [0.1, 0.9, 0.8, 0.3, 0.4, 0.6, 0.2, 0.7],
    "sensitive_features": list("aabbaabb"),
    "n_permutations": 9,
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sensitive_features": list("abababab")}, "No stratum has rows of two groups"),
        ({"statistic": "gaps"}, "statistic must be a function or one of .*; it is 'gaps'"),
        ({"statistic": lambda groups: np.full(len(groups), np.nan)}, "cannot be computed"),
        ({"y_true": np.arange(8) / 7, "statistic": "rates"}, "y_true is continuous"),
        (
            {"sensitive_features": list("aabbccaa"), "statistic": "information_separation"},
            "for two groups; there are 3",
        ),
        ({"ties": "right"}, "ties must be"),
    ],
)
def test_bad_input_is_explained(change, message):
    with pytest.raises(InputError, match=message):
        separation_permutation_test(**{**GOOD, **change})


def test_the_frame_of_several_numbers_has_the_one_farthest_out():
    y, s, group = items_of_levels(1, 100, 3)
    result = separation_permutation_test(
        y, s, sensitive_features=group, n_permutations=99, random_state=0
    )
    row = result.to_frame().iloc[0]
    farthest = np.abs(result.deviations).argmax()
    assert row["estimate"] == result.statistic[farthest]
    assert np.abs(row["statistic"]) == np.abs(result.deviations).max()
    assert row["hypothesis"] == "C ⟂ A | Y"
