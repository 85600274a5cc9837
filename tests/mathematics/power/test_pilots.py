import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairpairs import InputError
from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs
from fairpairs.mathematics.power.expected_gaps import _rates_of_pairs, gaps_and_covariance
from fairpairs.mathematics.power.items import pilot_of_scores
from fairpairs.mathematics.power.rejection import expected_rejection

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
