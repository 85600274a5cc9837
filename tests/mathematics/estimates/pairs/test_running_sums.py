"""Running sums against a loop over pairs."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairpairs.mathematics.estimates.pairs.all_pairs import sums_over_labels, sums_over_pairs

from .synthetic import LABELS, hit_of, items


@pytest.mark.parametrize("ties", ["wrong", "half"])
@pytest.mark.parametrize("labels", LABELS)
def test_sums_over_pairs_and_labels_are_those_of_a_loop(ties, labels):
    y, s, _ = (np.stack(x) for x in zip(*(items(i, 23, 2, labels) for i in (0, 1)), strict=True))
    columns = np.random.default_rng(1).normal(size=(3, 2, 23))
    beaten, beating = sums_over_pairs(y, s, columns, ties=ties)
    lower, higher = sums_over_labels(y, columns)
    expected = np.zeros((4, 3, 2, 23))
    for r, i, j in product(range(2), range(23), range(23)):
        if y[r, i] > y[r, j]:
            hit = hit_of(s[r], i, j, ties)
            expected[0, :, r, i] += hit * columns[:, r, j]
            expected[1, :, r, j] += hit * columns[:, r, i]
            expected[2, :, r, i] += columns[:, r, j]
            expected[3, :, r, j] += columns[:, r, i]
    for found, wanted in zip((beaten, beating, lower, higher), expected, strict=True):
        assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)
