"""Separation by equation (4) and by Proposition 3.4, on the probabilities of a population.

Both have one sign of C_ij; for Theorem 3.3 with both signs see
tests/papers/studies/comparative_separation/test_equivalence.py.

The rates are hundredths, so that a contrast that is not zero is at least 1e-4.
"""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from fairpairs.mathematics.estimates.pairs.drawn import cell_probabilities
from tests.mathematics.synthetic import CONTRASTS


def population(base, tpr, tnr):
    """Probabilities (a, y, c) from those of (a, y) and the rates of both groups."""
    items = np.empty((2, 2, 2))
    for a in (0, 1):
        items[a, 1] = base[a][1] * np.array([1 - tpr[a], tpr[a]])
        items[a, 0] = base[a][0] * np.array([tnr[a], 1 - tnr[a]])
    return items


def separation_holds(items):
    rate = items[..., 1] / items.sum(axis=-1)  # P(C = 1 | a, y)
    return bool(np.abs(rate[0] - rate[1]).max() < 1e-9)


def comparative_tpr(items):
    right, wrong = cell_probabilities(items)
    return right / (right + wrong)


def all_tpr_equal(items):
    return bool(np.ptp(comparative_tpr(items)) < 1e-9)


def both_contrasts_zero(items):
    tpr = comparative_tpr(items)
    return all(abs(tpr[i] - tpr[j]) < 1e-9 for i, j in CONTRASTS)


def rate(low):
    return st.integers(low, 100).map(lambda k: k / 100)


base_rates = st.lists(st.integers(1, 50), min_size=4, max_size=4).map(
    lambda k: np.reshape(k, (2, 2)) / sum(k)
)


def rates_of_two_groups(low):
    return st.one_of(rate(low).map(lambda r: (r, r)), st.tuples(rate(low), rate(low)))


@given(base_rates, rates_of_two_groups(1), rates_of_two_groups(1))
def test_equal_shares_ranked_right_are_separation_where_no_rate_is_zero(base, tpr, tnr):
    items = population(base, tpr, tnr)
    assert separation_holds(items) == (tpr[0] == tpr[1] and tnr[0] == tnr[1])
    assert all_tpr_equal(items) == separation_holds(items)
    assert both_contrasts_zero(items) == separation_holds(items)


def test_the_equivalence_holds_for_all_combinations_of_a_few_rates():
    base = np.array([[0.1, 0.2], [0.4, 0.3]])
    held = 0
    for t0, t1, n0, n1 in product([0.2, 0.4, 0.8, 1.0], repeat=4):
        items = population(base, (t0, t1), (n0, n1))
        expected = t0 == t1 and n0 == n1
        assert separation_holds(items) is expected
        assert all_tpr_equal(items) is expected
        assert both_contrasts_zero(items) is expected
        held += expected
    assert held == 16


@pytest.mark.slow
@given(base_rates, rates_of_two_groups(0), rates_of_two_groups(0))
def test_separation_gives_equal_shares_ranked_right_also_where_a_rate_is_zero(base, tpr, tnr):
    assume(tpr[0] == tpr[1] and tnr[0] == tnr[1])
    items = population(base, tpr, tnr)
    assert all_tpr_equal(items)
    assert both_contrasts_zero(items)


def test_without_true_negatives_equal_shares_ranked_right_say_nothing_of_separation():
    items = population(np.full((2, 2), 0.25), tpr=(0.3, 0.9), tnr=(0, 0))
    assert all_tpr_equal(items)
    assert both_contrasts_zero(items)
    assert not separation_holds(items)
