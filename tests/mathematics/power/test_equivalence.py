"""How often a margin is shown: against the normal formula and the level."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ndtr, ndtri

from fairpairs import InputError
from fairpairs.mathematics.power import equivalence
from fairpairs.mathematics.power.equivalence import power_within, smallest_margin
from fairpairs.mathematics.power.items import items_from_rates

pytestmark = pytest.mark.slow

EQUAL = items_from_rates(tpr=0.8, fpr=0.2)
LINES = ("both", "tpr", "fpr")


@pytest.mark.parametrize("line", ["tpr", "fpr"])
@pytest.mark.parametrize("difference", [0, 0.01])
def test_of_large_cells_it_is_the_normal_formula(line, difference):
    # Farrington and Manning 1990, with the variances at the true rates: at the restricted ones they
    # differ by less than a hundredth here
    cells = items_from_rates(tpr=(0.6, 0.6 - difference), fpr=(0.4, 0.4 - difference))
    n = 30_000
    rates = np.array([0.6, 0.6 - difference])
    if line == "fpr":
        rates = np.array([0.4, 0.4 - difference])
    error = np.sqrt((rates * (1 - rates) / (n / 4)).sum())
    reach = ndtri(0.95)
    low, high = (-0.02 + difference) / error + reach, (0.02 + difference) / error - reach
    expected = ndtr(high) - ndtr(low)
    assert 0.2 < expected < 0.99
    assert_allclose(power_within(cells, 0.02, n_items=n, line=line), expected, atol=0.005)


def test_both_lines_are_shown_where_each_is():
    for n in (3000, 6000):
        both, tpr, fpr = (power_within(EQUAL, 0.05, n_items=n, line=line) for line in LINES)
        # given the sizes of the cells, which hardly matter here, the lines are independent
        assert_allclose(both, tpr * fpr, atol=0.01)
        assert both < min(tpr, fpr)


def test_it_grows_with_items_and_margin_and_stops_at_few_items(monkeypatch):
    monkeypatch.setattr(equivalence, "POINTS", 7)
    powers = [power_within(EQUAL, 0.1, n_items=n) for n in (1, 10, 200, 800, 1600, 3200, 10**10)]
    assert powers == sorted(powers)
    assert powers[0] == 0 and powers[-1] == pytest.approx(1)
    powers = [power_within(EQUAL, margin, n_items=1000) for margin in (0.01, 0.1, 0.15, 0.3, 0.9)]
    assert powers == sorted(powers)
    assert power_within(EQUAL, 0.1, n_items=1000, alpha=0.01) < powers[1]


def test_perfect_predictions_are_shown_with_few_items():
    perfect = items_from_rates(tpr=1, fpr=0)
    # 0.95 ** n = 0.05 at n = 59 for a rate known to be 1 in the other group
    few, enough = (power_within(perfect, 0.05, n_items=4 * n) for n in (45, 80))
    assert few < 0.8 < enough


def test_the_smallest_margin_is_shown_with_the_power():
    margin = smallest_margin(EQUAL, n_items=2000, line="tpr")
    assert_allclose(power_within(EQUAL, margin, n_items=2000, line="tpr"), 0.8, atol=0.02)
    assert smallest_margin(EQUAL, n_items=8000, line="tpr") < margin
    with pytest.raises(InputError, match="No margin is shown by 3 items with a power"):
        smallest_margin(EQUAL, n_items=3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"margin": 0}, "margin must lie between 0 and 1"),
        ({"margin": 1}, "margin must lie between 0 and 1"),
        ({"margin": float("nan")}, "margin must"),
        ({"margin": "5 %"}, "margin must"),
        ({"n_items": 0}, "n_items must lie"),
        ({"line": "auc"}, "line must be one of 'both', 'tpr', 'fpr'"),
        ({"items": np.ones((2, 2, 2))}, "items must hold the probabilities"),
    ],
)
def test_bad_input_is_explained(change, words):
    with pytest.raises(InputError, match=words):
        power_within(**{"items": EQUAL, "margin": 0.05, "n_items": 500, **change})
