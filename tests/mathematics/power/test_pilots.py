import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairpairs import InputError
from fairpairs.mathematics.inference.gaps import (
    gap_cells,
)
from fairpairs.mathematics.power.expected_gaps import gaps_and_covariance
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


@pytest.mark.slow
def test_a_pilot_of_scores_foretells_the_variances_of_other_sizes():
    # a pilot large enough to be the truth; 1,500 collections of 200 items and 400 drawn pairs each:
    # the Monte Carlo error of a variance is sqrt(2 / 1,500) = 3.7 %
    rng = np.random.default_rng(1)
    y, s, a = people(rng, 200_000)
    pilot = pilot_of_scores(y, s, sensitive_features=a)
    r, n, m = 1500, 200, 400
    y, s, a = (x.reshape(r, n) for x in people(rng, r * n))
    first, second = gap_cells(2)
    cell = np.full((2, 2, r, 4), np.nan)  # all, drawn; right, usable
    i, j = rng.integers(n, size=(2, r, m))
    for k in range(r):
        above = s[k][:, None] > s[k][None, :]
        usable = y[k][:, None] > y[k][None, :]
        where = 2 * a[k][:, None] + a[k][None, :]
        one, two = i[k], j[k]
        swap = y[k][one] < y[k][two]
        win, lose = np.where(swap, two, one), np.where(swap, one, two)
        for kind, pairs in enumerate((usable, None)):
            at = pairs if pairs is not None else (win, lose)
            keep = usable[at] if pairs is None else slice(None)
            cell[kind, 0, k] = np.bincount(where[at][keep], above[at][keep], 4)
            cell[kind, 1, k] = np.bincount(where[at][keep], minlength=4)
    rates = cell[:, 0] / cell[:, 1]
    for kind, n_pairs in ((0, None), (1, m)):
        estimates = rates[kind][:, first] - rates[kind][:, second]
        gaps, covariance = gaps_and_covariance(pilot, n, n_pairs)
        sd = np.sqrt(np.diagonal(covariance))
        assert_allclose(estimates.mean(axis=0), gaps, atol=4.5 * sd.max() / np.sqrt(r))
        assert_allclose(estimates.var(axis=0), sd**2, rtol=0.15)


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
