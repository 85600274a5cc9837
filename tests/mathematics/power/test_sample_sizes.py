import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairpairs import InputError
from fairpairs.mathematics.power import rejection, sample_sizes
from fairpairs.mathematics.power.items import items_from_rates
from fairpairs.mathematics.power.rejection import expected_rejection
from tests.mathematics.power.simulated import FAIR, UNFAIR

# Numbers that are needed


@pytest.mark.parametrize("wanted", [8, 9, 15, 16, 17, 1000, 123_457])
def test_the_smallest_number_is_the_smallest(wanted):
    def power(n):
        return 0.9 if n >= wanted else 0.1

    assert sample_sizes.smallest_number(power) == wanted
    assert sample_sizes.smallest_number(power, 0.9) == wanted


@pytest.mark.parametrize("wanted", [1, 2, 5, 7])
def test_the_smallest_number_may_be_small(wanted):
    assert sample_sizes.smallest_number(lambda n: 0.9 if n >= wanted else 0.1) == wanted


@pytest.mark.parametrize("test", ["separation", "fresh_pairs", "all_pairs"])
def test_the_number_that_is_needed_is_enough_and_one_less_is_not(test, monkeypatch):
    monkeypatch.setattr(rejection, "SETS", 200)
    items = items_from_rates(**UNFAIR)
    name = "n_pairs" if test == "fresh_pairs" else "n_items"

    def power(n):
        return expected_rejection(test, items, **{name: n})

    number = sample_sizes.smallest_number(power, 0.7)
    # the distribution of two variables is integrated to some five digits
    assert power(number) >= 0.7 - 1e-5
    assert power(number - 1) < 0.7 + 1e-5


def test_the_largest_numbers_are_tried_too():
    """Nothing between the last power of 4 and the largest number is left out."""
    assert sample_sizes.smallest_number(lambda n: float(n >= 9_000_000_000)) == 9_000_000_000
    with pytest.raises(InputError, match="take rates that differ more, or more of the items or"):
        sample_sizes.smallest_number(lambda n: 0.0)


def test_no_number_is_enough_where_nothing_differs():
    items = items_from_rates(**FAIR)
    with pytest.raises(InputError, match=r"No number up to 10,000,000,000 has a power of 0\.8"):
        sample_sizes.smallest_number(lambda n: expected_rejection("all_pairs", items, n_items=n))


@pytest.mark.parametrize("power", [0, 1, -1, 1.5, np.nan])
def test_a_power_lies_between_0_and_1(power):
    with pytest.raises(InputError, match="power must lie between 0 and 1"):
        sample_sizes.smallest_number(lambda n: 1.0, power)


@pytest.mark.parametrize("correction", ["none", "holm"])
def test_the_judgments_needed_are_enough_and_fewer_are_not(correction):
    items = items_from_rates(**UNFAIR)
    number = sample_sizes.judgments_needed(items, 2000, correction=correction)

    def power(m):
        return expected_rejection(
            "drawn_pairs", items, n_items=2000, n_pairs=m, correction=correction
        )

    assert power(number) >= 0.8 - 1e-5
    assert power(number - 1) < 0.8 + 1e-5


def test_too_few_items_are_refused_with_a_number_that_is_enough():
    items = items_from_rates(tpr=(0.8, 0.7))
    with pytest.raises(InputError, match="No number of judgments over 500 items") as caught:
        sample_sizes.judgments_needed(items, 500)
    needed = int(str(caught.value).split("at least ")[1].split(" items")[0].replace(",", ""))
    number = sample_sizes.judgments_needed(items, needed)
    found = expected_rejection(
        "drawn_pairs", items, n_items=needed, n_pairs=number, correction="holm"
    )
    assert found >= 0.8 - 1e-5
    with pytest.raises(InputError, match="No number of judgments over"):
        sample_sizes.judgments_needed(items, int(0.99 * needed))


@pytest.mark.parametrize(
    ("test", "rate"),
    [("separation", "tpr"), ("fresh_pairs", "fpr"), ("drawn_pairs", "tpr"), ("all_pairs", "fpr")],
)
def test_the_detectable_difference_is_found_with_the_wanted_power(test, rate):
    numbers = {"n_items": 1500, "n_pairs": 3000}
    found = sample_sizes.detectable_difference(test, rate=rate, power=0.7, **numbers)
    assert 0.02 < found < 0.4
    rates = {"tpr": (0.8, 0.8), "fpr": (0.4, 0.4)}
    rates[rate] = (0.8, 0.8 - found) if rate == "tpr" else (0.4, 0.4 + found)
    power = expected_rejection(test, items_from_rates(**rates), correction="holm", **numbers)
    assert_allclose(power, 0.7, atol=1e-4)


def test_a_difference_that_cannot_be_found_is_refused():
    with pytest.raises(InputError, match="Not even the largest difference of the tpr"):
        sample_sizes.detectable_difference("separation", n_items=4)
    with pytest.raises(InputError, match="rate must be one of 'tpr', 'fpr'; it is 'ppv'"):
        sample_sizes.detectable_difference("separation", rate="ppv", n_items=500)
    with pytest.raises(InputError, match="drawn_pairs needs n_pairs"):
        sample_sizes.detectable_difference("drawn_pairs", n_items=500)


def test_curves_are_tabulated_one_after_the_other():
    frame = sample_sizes.power_curve({"a": lambda n: n / 10, "b": lambda n: 1.0}, [1, 5])
    assert list(frame.columns) == ["test", "number", "power"]
    assert frame.to_numpy().tolist() == [["a", 1, 0.1], ["a", 5, 0.5], ["b", 1, 1.0], ["b", 5, 1.0]]
