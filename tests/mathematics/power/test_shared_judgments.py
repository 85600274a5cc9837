"""Power where judges and clusters share judgments: the formula, limits, and bad values."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairpairs import power
from fairpairs.base.errors import InputError
from fairpairs.mathematics.power.items import MOST, pilot_of_scores

ITEMS = power.items_from_rates(tpr=(0.8, 0.7), fpr=0.2)
Shared = power.SharedJudgments


def of(m, shared, **how):
    return power.expected_rejection(
        "fresh_pairs", ITEMS, n_pairs=m, shared=shared, correction="holm", **how
    )


def test_the_design_effect_is_kishs_of_each_kind():
    both = Shared(20, 0.1, 50, 0.2)
    assert_allclose(power.design_effect(1000, both), 1 + 49 * 0.1 + 19 * 0.2)
    assert_allclose(power.design_effect(1000, Shared(clusters=50, cluster_icc=0.2)), 1 + 19 * 0.2)
    # no more judges than judgments: nothing is shared
    assert power.design_effect(20, Shared(judges=40, judge_icc=0.5)) == 1


def test_judges_without_taste_cost_little_and_with_taste_much():
    alone = power.expected_rejection("fresh_pairs", ITEMS, n_pairs=4000, correction="holm")
    assert alone - 0.05 < of(4000, Shared(judges=100)) < alone
    assert alone - 0.15 < of(4000, Shared(judges=20)) < of(4000, Shared(judges=100))
    assert of(4000, Shared(20, 0.1)) < 0.3 < of(4000, Shared(100, 0.1)) < alone - 0.05


@pytest.mark.parametrize("test", ["fresh_pairs", "drawn_pairs"])
@pytest.mark.parametrize(
    "shared", [Shared(30, 0.02), Shared(clusters=60, cluster_icc=0.1), Shared(30, 0.02, 60, 0.1)]
)
def test_power_grows_with_judgments_to_a_limit(test, shared):
    numbers = {} if test == "fresh_pairs" else {"n_items": 50_000}
    powers = [
        power.expected_rejection(test, ITEMS, n_pairs=m, shared=shared, **numbers)
        for m in (100, 200, 500, 1000, 2000, 5000, 10_000, 10**6, 10**8, MOST)
    ]
    assert (np.diff(powers) > -1e-9).all()
    assert powers[-1] < 1
    assert_allclose(powers[-1], powers[-2], atol=1e-3)
    assert powers[0] < 0.2


def test_power_grows_with_judges_and_falls_with_their_correlation():
    by_number = [of(4000, Shared(judges, 0.05)) for judges in (2, 4, 8, 16, 32, 64, 128, 256)]
    assert (np.diff(by_number) > 0).all()
    by_icc = [of(4000, Shared(40, icc)) for icc in (0, 0.01, 0.05, 0.2, 0.5, 1)]
    assert (np.diff(by_icc) < 0).all()


@pytest.mark.slow
def test_so_many_judgments_are_needed():
    shared = Shared(60, 0.01)
    number = power.judgments_needed(ITEMS, 10_000, shared=shared)
    assert number > power.judgments_needed(ITEMS, 10_000)
    at = [
        power.expected_rejection(
            "drawn_pairs", ITEMS, n_items=10_000, n_pairs=m, shared=shared, correction="holm"
        )
        for m in (number - 1, number)
    ]
    assert at[0] < 0.8 <= at[1]
    with pytest.raises(InputError, match="No number of judgments has a power"):
        power.judgments_needed(ITEMS, 10_000, shared=Shared(5, 0.2))


def test_a_pilot_of_scores_takes_judges_too():
    rng = np.random.default_rng(0)
    sex, label = rng.integers(0, 2, (2, 600))
    score = label + rng.normal(size=600) * np.where(sex == 1, 1, 0.6)
    pilot = pilot_of_scores(label, score, sensitive_features=sex)
    powers = [
        power.expected_rejection("fresh_pairs", pilot, n_pairs=3000, shared=shared)
        for shared in (Shared(200, 0), Shared(20, 0.02), Shared(20, 0.2))
    ]
    assert powers[0] > powers[1] > powers[2]


def test_nothing_is_found_in_a_few_judgments():
    assert of(5, Shared(2, 0.1)) == 0
    assert power.expected_rejection(
        "fresh_pairs", power.items_from_rates(tpr=1, fpr=0), n_pairs=4000, shared=Shared(20, 0.1)
    ) == 0  # fmt: skip


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"judges": 1}, "judges must be a whole number from 2 on; it is 1."),
        ({"judges": 2.5}, "judges must be a whole number from 2 on; it is 2.5"),
        ({"judges": [1, 2]}, "judges must be a whole number from 2 on; it is"),
        ({"clusters": 1, "cluster_icc": 0.1}, "clusters must be a whole number from 2 on; it is 1"),
        ({"judges": 20, "judge_icc": -0.1}, "judge_icc must lie between 0 and 1; it is -0.1"),
        ({"judges": 20, "judge_icc": 1.5}, "judge_icc must lie between 0 and 1; it is 1.5"),
        (
            {"judges": 20, "judge_icc": float("nan")},
            "judge_icc must lie between 0 and 1",
        ),
        ({"cluster_icc": 0.1}, "cluster_icc needs a number of clusters: give clusters too."),
        ({"judges": "many"}, "judges must be a whole number from 2 on; it is 'many'"),
    ],
)
def test_numbers_that_cannot_be_are_refused(values, words):
    with pytest.raises(InputError, match=words):
        Shared(**values)


def test_only_tests_of_judgments_take_judges():
    for test in ("separation", "all_pairs", "binomial"):
        with pytest.raises(InputError, match=f"fresh_pairs and drawn_pairs, not for {test}"):
            power.expected_rejection(test, ITEMS, n_items=100, n_pairs=100, shared=Shared(20))
    with pytest.raises(InputError, match="shared must be SharedJudgments; it is 20"):
        power.expected_rejection("fresh_pairs", ITEMS, n_pairs=100, shared=20)
    with pytest.raises(InputError, match="shared must be SharedJudgments"):
        power.design_effect(100, 20)
