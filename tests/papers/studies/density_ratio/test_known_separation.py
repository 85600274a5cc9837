"""Regressions whose dependence on the group is known."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from fairpairs.papers.studies.density_ratio.known_separation import (
    known_separation_study,
    true_separation,
)
from fairpairs.papers.studies.density_ratio.synthetic import STUDIED, in_form, matching_forms

SETTINGS = {
    "designs": [{"gap": 0, "noise": 1}, {"gap": 1.5, "noise": 1}],
    "items": 200,
    "permutations": 19,
    "matching_repeats": 0,
}


@pytest.fixture(scope="module")
def found():
    return known_separation_study(SETTINGS, repeats=range(3), seed=1)


@pytest.mark.parametrize(("gap", "noise"), [(0, 1), (0.7, 1), (0, 1.2), (1, 0.8), (-0.5, 1.3)])
def test_the_true_ratio_is_that_of_the_integral(gap, noise):
    def of_group_1(x):
        return norm.pdf(x, gap, noise) ** 2 / norm.pdf(x)

    integral, _ = quad(of_group_1, -30, 30)
    assert true_separation(gap, noise) == pytest.approx((1 + integral) / 2)


def test_a_ratio_without_end_is_infinite():
    assert true_separation(0, 1.5) == np.inf


@pytest.mark.slow
def test_every_estimator_and_test_has_a_row(found):
    own = found[(found["repeat"] == 1) & (found["gap"] == 1.5)]
    assert sorted(own["estimator"]) == sorted([*STUDIED, "information", "comparative_separation"])
    tested = own.set_index("estimator")["pvalue"]
    assert set(tested.index[tested.notna()]) == {
        "logistic", "information", "comparative_separation",
    }  # fmt: skip


@pytest.mark.slow
def test_slow_estimators_are_measured_on_the_first_seeds_only():
    settings = {**SETTINGS, "designs": SETTINGS["designs"][:1], "items": 60, "matching_repeats": 1}
    found = known_separation_study(settings, repeats=[0, 1], seed=1)
    slow = {"kernel_gaussian_tuned", *(in_form(*own) for own in matching_forms())}
    of = {repeat: set(part["estimator"]) for repeat, part in found.groupby("repeat")}
    assert slow <= of[0]
    assert not slow & of[1]
    of_one = found[(found["estimator"] == "rulsif_1") & (found["repeat"] == 0)]
    assert of_one["value"].isna().all()


@pytest.mark.slow
def test_chunks_do_not_matter(found):
    again = known_separation_study(SETTINGS, repeats=[1], seed=1)
    own = found[found["repeat"] == 1].reset_index(drop=True)
    assert own.equals(again)
