"""Items in strata of the label are centred within these."""

from itertools import product

import numpy as np
from numpy.testing import assert_allclose

from fairpairs.mathematics.estimates.pairs.all_pairs import projections

from .synthetic import items


def test_what_items_add_is_centred_within_group_and_stratum():
    y, s, group = items(14, 90, 2, "few")
    strata = y.astype(int)
    weights = np.random.default_rng(0).uniform(0.2, 1, 90)
    one = (y[None], s[None], group[None], 2, "wrong", weights[None])
    plain, centred = projections(*one)[3][0], projections(*one, strata[None])[3][0]
    for g, level in product(range(2), range(4)):
        own = (group == g) & (strata == level)
        m = own.sum()
        assert m > 1
        expected = np.sqrt(m / (m - 1)) * (plain[own] - plain[own].mean(axis=0))
        assert_allclose(centred[own], expected, rtol=1e-9, atol=1e-14)
    # an item that is alone stays as it is
    strata[0] = 9
    assert_allclose(projections(*one, strata[None])[3][0, 0], plain[0], rtol=1e-12)
