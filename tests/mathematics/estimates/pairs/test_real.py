"""Real labels: what items add to a rate, against a loop."""

import numpy as np
from numpy.testing import assert_allclose

from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs, projections

from .synthetic import hit_of, items


def test_a_class_of_items_adds_the_squares_of_its_projections():
    y, s, group = items(13, 80, 3, "few")
    right, usable, _, added, _ = (
        x[0] for x in projections(y[None], s[None], group[None], 3, "wrong")
    )
    assert_allclose(added.sum(axis=0), 0, atol=1e-12)
    rates = all_pairs(y, s, group, 3)
    assert rates.pooled is None
    assert rates.effective is None
    assert rates.items is None
    expected = np.zeros((3, 9, 9))
    theta = right / usable
    for g in range(3):
        m = (group == g).sum()
        for i in np.flatnonzero(group == g):
            own = np.zeros((3, 3))
            for j in range(80):
                if y[i] > y[j]:
                    cell = g, group[j]
                    own[cell] += (hit_of(s, i, j, "wrong") - theta[cell]) / usable[cell]
                if y[j] > y[i]:
                    cell = group[j], g
                    own[cell] += (hit_of(s, j, i, "wrong") - theta[cell]) / usable[cell]
            assert_allclose(added[i], own.ravel(), rtol=1e-9, atol=1e-14)
            expected[g] += m / (m - 1) * np.outer(own, own)
    assert_allclose(rates.components, expected, rtol=1e-9, atol=1e-14)
