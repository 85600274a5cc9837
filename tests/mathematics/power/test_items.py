import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairpairs import InputError
from fairpairs.mathematics.power.items import items_from_rates

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
