"""Items of a plan: made from rates, of a pilot, and what is expected of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairpairs import InputError
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs
from fairpairs.mathematics.estimates.pairs.given import given_pairs
from fairpairs.mathematics.inference.gaps import gap_cells
from fairpairs.mathematics.power.items import items_from_rates, pilot_of_scores
from fairpairs.mathematics.power.rejection import (
    _rates_of_pairs,
    expected_rejection,
    few_are_expected,
    gaps_and_covariance,
    rates_of_drawn_pairs,
)
from tests.mathematics.power.simulated import FAIR, UNFAIR, simulated_rates

# Items from rates


def test_items_have_the_rates_that_they_are_made_from():
    items = items_from_rates(share=0.3, prevalence=(0.2, 0.6), tpr=(0.9, 0.7), fpr=(0.1, 0.25))
    assert_allclose(items.sum(), 1, rtol=1e-12)
    assert_allclose(items[1].sum(), 0.3, rtol=1e-12)
    for a, (p, t, f) in enumerate(((0.2, 0.9, 0.1), (0.6, 0.7, 0.25))):
        assert_allclose(items[a, 1].sum() / items[a].sum(), p, rtol=1e-12)
        assert_allclose(items[a, 1, 1] / items[a, 1].sum(), t, rtol=1e-12)
        assert_allclose(items[a, 0, 1] / items[a, 0].sum(), f, rtol=1e-12)


def test_one_rate_is_that_of_both_groups():
    one = items_from_rates(prevalence=0.3, tpr=0.9, fpr=0.1)
    two = items_from_rates(share=0.5, prevalence=(0.3, 0.3), tpr=(0.9, 0.9), fpr=(0.1, 0.1))
    assert_allclose(one, two, rtol=1e-15)


def test_several_groups_have_a_share_and_rates_each():
    items = items_from_rates(share=(0.5, 0.3, 0.2), prevalence=0.4, tpr=(0.9, 0.8, 0.7), fpr=0.1)
    assert_allclose(items.sum(axis=(1, 2)), [0.5, 0.3, 0.2], rtol=1e-12)
    assert_allclose(items[:, 1, 1] / items[:, 1].sum(axis=-1), [0.9, 0.8, 0.7], rtol=1e-12)
    assert_allclose(items[:, 0].sum(axis=-1) / items.sum(axis=(1, 2)), 0.6, rtol=1e-12)


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        ({"tpr": "a"}, "tpr must hold numbers: could not convert string to float: 'a'"),
        ({"share": 0}, "share must lie between 0 and 1, without these; it is 0"),
        ({"share": 1}, "share must lie between 0 and 1, without these; it is 1"),
        ({"prevalence": (0.5, 1)}, "prevalence must lie between 0 and 1, without these"),
        ({"share": (0.5, 0.6)}, "one for each group, which add up to 1; it is"),
        ({"share": (0.5, 0.3, 0.2), "tpr": (0.8, 0.7)}, "tpr must be one number, or one for each"),
        ({"tpr": 1.2}, "tpr must lie from 0 to 1; it is 1.2"),
        ({"fpr": (0.2, -0.1)}, "fpr must lie from 0 to 1"),
        ({"tpr": np.nan}, "tpr must lie from 0 to 1"),
    ],
)
def test_rates_outside_0_to_1_are_refused(rates, message):
    with pytest.raises(InputError, match=message):
        items_from_rates(**rates)


def test_rates_of_0_and_1_are_possible():
    items = items_from_rates(tpr=1, fpr=0)
    assert_allclose(items[:, 0, 1], 0)
    assert_allclose(items[:, 1, 0], 0)


# Pilots of scores


def people(rng, n, noise=(0.6, 1.0)):
    """Labels, scores with more noise in group 1, groups."""
    a, y = rng.integers(0, 2, (2, n))
    return y, y + rng.normal(size=n) * np.asarray(noise)[a], a


def test_a_pilot_of_yes_no_predictions_says_what_its_shares_say():
    # DeLong's variance has m/(m - 1) and no term of the second order: 1 % apart for 4,000 items
    rng = np.random.default_rng(0)
    y, s, a = people(rng, 4000)
    c = (s > 0.5).astype(int)
    cells = np.bincount(4 * a + 2 * y + c, minlength=8).reshape(2, 2, 2) / len(y)
    pilot = pilot_of_scores(y, c, sensitive_features=np.where(a == 1, "m", "f"))
    assert pilot.groups == ("f", "m")
    for numbers in ((900, None), (900, 2500)):
        expected, covariance = gaps_and_covariance(cells, *numbers)
        gaps, of_pilot = gaps_and_covariance(pilot, *numbers)
        assert_allclose(gaps, expected, atol=1e-12)
        assert_allclose(of_pilot, covariance, rtol=0.01, atol=0.01 * covariance.max())
    for test in ("all_pairs", "drawn_pairs", "fresh_pairs"):
        numbers = {"n_items": 900, "n_pairs": 2500}
        assert_allclose(
            expected_rejection(test, pilot, **numbers),
            expected_rejection(test, cells, **numbers),
            atol=0.02 + 4 * 0.011,  # of 2,000 simulated sets
        )


def test_a_pilot_of_scores_has_delongs_variance_at_its_own_size():
    # which has m / (m - 1), and no term of the second order
    y, s, a = people(np.random.default_rng(1), 4000)
    s = np.round(4 * s)  # few levels, all of which a pilot keeps
    rates = all_pairs(y.astype(float), s, a, 2)
    pilot = pilot_of_scores(y, s, sensitive_features=a)
    theta, covariance, _ = _rates_of_pairs(pilot, 4000)
    assert_allclose(theta, rates.tpr, rtol=1e-12)
    largest = rates.covariance.max()
    assert_allclose(covariance, rates.covariance, rtol=0.01, atol=0.002 * largest)
    assert_allclose(_rates_of_pairs(pilot, 1000)[1], 4 * covariance, rtol=0.01, atol=0.01 * largest)


@pytest.mark.parametrize("test", ["separation", "binomial"])
def test_a_pilot_of_scores_has_no_yes_and_no(test):
    y, s, a = people(np.random.default_rng(2), 100)
    pilot = pilot_of_scores(y, s, sensitive_features=a)
    with pytest.raises(InputError, match=f"{test} needs yes/no predictions"):
        expected_rejection(test, pilot, n_items=100, n_pairs=100)


@pytest.mark.parametrize(
    ("labels", "groups", "message"),
    [
        ([0, 1, 2, 0, 1, 2, 0, 1], [0, 0, 0, 0, 1, 1, 1, 1], "y_true must have two values"),
        ([0, 1, 0, 1, 0, 1, 0, 1], [0, 0, 0, 0, 1, 1, 1, 2], "sensitive_features has 3 groups"),
        ([0, 1, 0, 1, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1, 1, 1], "two items of each label in each"),
        ([1, 1, 1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 1, 1], "two items of each label in each"),
        ([0, 1, 0, 1], [0, 0, 0, 0, 1, 1, 1, 1], "must have one length"),
    ],
)
def test_a_pilot_that_says_nothing_is_refused(labels, groups, message):
    with pytest.raises(InputError, match=message):
        pilot_of_scores(labels, np.arange(len(labels)), sensitive_features=groups)


# Gaps and their covariance on shared items, against simulation


@pytest.mark.parametrize(
    ("rates", "n_items"), [(FAIR, 500), (UNFAIR, 2000)], ids=["fair", "unfair"]
)
@pytest.mark.parametrize("ratio", [1, 8, None])
def test_gaps_and_covariance_are_those_of_a_simulation(rates, n_items, ratio):
    # 40,000 data sets: the Monte Carlo error of a variance is sqrt(2 / 40,000) = 0.7 %
    r = 40_000
    items = items_from_rates(**rates)
    n_pairs = None if ratio is None else ratio * n_items
    gaps, covariance = gaps_and_covariance(items, n_items, n_pairs)
    found = simulated_rates(items, n_items, n_pairs, r, 1)
    theta = (found.concordant / found.comparable).reshape(r, 4)
    first, second = gap_cells(2)
    estimates = theta[:, first] - theta[:, second]
    sd = np.sqrt(np.diagonal(covariance))
    assert_allclose(estimates.mean(axis=0), gaps, atol=4.5 * sd.max() / np.sqrt(r))
    true = np.cov(estimates.T)
    assert_allclose(np.diagonal(covariance), np.diagonal(true), rtol=0.05)
    assert_allclose(covariance[0, 1], true[0, 1], atol=0.05 * true.max())


def test_the_variance_falls_with_pairs_to_that_of_all_pairs():
    items = items_from_rates(**UNFAIR)
    every = np.diagonal(gaps_and_covariance(items, 1000)[1])
    by_pairs = [np.diagonal(gaps_and_covariance(items, 1000, m)[1]) for m in (500, 5000, 10**7)]
    assert (np.diff(by_pairs, axis=0) < 0).all()
    assert (by_pairs[-1] > every).all()
    assert_allclose(by_pairs[-1], every, rtol=0.005)


def test_few_are_expected_if_they_are_in_one_cell():
    items = items_from_rates(tpr=0.9, fpr=0.2, share=0.2)
    enough = SMALL_CELL / items.min()
    assert few_are_expected(items, enough - 1, None)
    assert not few_are_expected(items, enough + 1, None)
    assert few_are_expected(items, enough + 1, 500)
    assert not few_are_expected(items, enough + 1, 50_000)


def test_drawn_pairs_are_worth_what_given_pairs_are():
    """Of 6,000 pairs of 300 items; what a draw adds is known but for chance."""
    rng = np.random.default_rng(3)
    group = (rng.random(300) < 0.3).astype(int)
    y = (rng.random(300) < np.where(group, 0.4, 0.6)).astype(float)
    s = np.round(y + rng.normal(size=300), 1)
    one, two = rng.integers(300, size=(2, 6000))
    one, two = one[y[one] != y[two]], two[y[one] != y[two]]
    winner, loser = np.where(y[one] > y[two], (one, two), (two, one))
    given = given_pairs(winner, loser, (s[winner] > s[loser]).astype(float), group, 2)
    right = given.concordant.ravel()
    drawn = rates_of_drawn_pairs(all_pairs(y, s, group, 2), given.comparable.ravel(), right)
    assert_allclose(drawn.tpr, given.tpr)
    assert_allclose(drawn.class_sizes, given.class_sizes, rtol=0.01)
    assert_allclose(drawn.items, given.items, rtol=0.08)
    for name in ("pooled", "counted_twice"):
        found, expected = (np.diagonal(getattr(x, name)) for x in (drawn, given))
        assert_allclose(found, expected, rtol=0.2)
