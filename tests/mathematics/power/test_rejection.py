import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairpairs import InputError
from fairpairs.mathematics.power import rejection as rejection_module
from fairpairs.mathematics.power.items import items_from_rates
from fairpairs.mathematics.power.rejection import expected_rejection
from tests.mathematics.power.simulated import FAIR, UNFAIR

# Expected rejection


def rejection(pvalues, each=0.05):
    return (pvalues < each).any(axis=-1).mean()


# What the planned numbers find: group 1 is treated worse, or better, or has few items

PLANS = {
    "worse": {"tpr": (0.8, 0.7), "fpr": 0.2, "share": 0.4},
    "better": {"tpr": (0.6, 0.8), "fpr": 0.2, "share": 0.1},
    "near 1": {"tpr": (0.9, 0.97), "fpr": 0.05, "share": 0.1},
    "nearer 1": {"tpr": (0.95, 0.99), "fpr": 0.01, "share": 0.1},
    "at 1": {"tpr": (0.95, 0.995), "fpr": 0.005, "share": 0.05},
    "small": {"tpr": (0.9, 0.3), "fpr": 0.1, "share": 0.05, "prevalence": 0.2},
    "worse near 1": {"tpr": (0.95, 0.85), "fpr": 0.02, "share": 0.2},
}


@pytest.mark.slow
def test_power_grows_with_items_where_few_are_expected():
    items = items_from_rates(**PLANS["at 1"])
    for test in ("separation", "all_pairs"):
        powers = [
            expected_rejection(test, items, n_items=n, correction="holm")
            for n in (1000, 2000, 4000, 8000, 16_000)
        ]
        assert powers == sorted(powers)
        assert powers[-1] > 0.99


def test_simulated_powers_do_not_depend_on_those_before():
    """The sets are drawn once for all numbers of pairs over the same items."""
    items, other = items_from_rates(**UNFAIR), items_from_rates(**FAIR)

    def at(cells, m):
        return expected_rejection("drawn_pairs", cells, n_items=100, n_pairs=m)

    first = at(items, 300)
    assert at(items, 3000) > first > at(other, 300)
    assert at(items, 300) == first


def test_the_simulated_power_meets_the_formula_where_both_hold(monkeypatch):
    # 2,000 sets: the standard error is 0.011 at the most
    items = items_from_rates(**UNFAIR)
    for test in ("separation", "all_pairs", "drawn_pairs", "fresh_pairs"):
        numbers = {"n_items": 1500, "n_pairs": 6000, "correction": "holm"}
        monkeypatch.undo()
        formula = expected_rejection(test, items, **numbers)
        monkeypatch.setattr(rejection_module, "few_are_expected", lambda *_: True)
        simulated = expected_rejection(test, items, **numbers)
        assert simulated != formula
        assert_allclose(simulated, formula, atol=0.02 + 4 * 0.011)


@pytest.mark.parametrize(
    ("correction", "each"), [("none", 0.05), ("holm", 0.025), ("sidak", 1 - np.sqrt(0.95))]
)
def test_a_correction_amounts_to_a_level_of_each_hypothesis(correction, each):
    items = items_from_rates(**UNFAIR)
    numbers = {"n_items": 700, "n_pairs": 1400}
    for test in ("separation", "fresh_pairs", "drawn_pairs", "binomial", "all_pairs"):
        assert_allclose(
            expected_rejection(test, items, correction=correction, **numbers),
            expected_rejection(test, items, alpha=each, **numbers),
            rtol=1e-9,
        )


def test_without_variance_nothing_is_rejected():
    perfect = items_from_rates(tpr=1, fpr=0)
    numbers = {"n_items": 500, "n_pairs": 1000}
    for test in ("separation", "fresh_pairs", "drawn_pairs", "binomial", "all_pairs"):
        assert expected_rejection(test, perfect, **numbers) == 0


@pytest.mark.parametrize(
    ("test", "numbers", "message"),
    [
        ("dyadic", {"n_items": 9, "n_pairs": 9}, "test must be one of 'separation', .*'dyadic'"),
        ("separation", {"n_pairs": 9}, "separation needs n_items"),
        ("all_pairs", {"n_pairs": 9}, "all_pairs needs n_items"),
        ("drawn_pairs", {"n_items": 9}, "drawn_pairs needs n_pairs"),
        ("drawn_pairs", {"n_pairs": 9}, "drawn_pairs needs n_items"),
        ("binomial", {"n_items": 9}, "binomial needs n_pairs"),
        ("fresh_pairs", {"n_items": 9}, "fresh_pairs needs n_pairs"),
    ],
)
def test_what_a_test_needs_is_named(test, numbers, message):
    with pytest.raises(InputError, match=message):
        expected_rejection(test, items_from_rates(), **numbers)
