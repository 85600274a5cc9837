"""The planned power of human labels beside cheap ones."""

import numpy as np
from numpy.testing import assert_allclose

import fairpairs as fp
from fairpairs.mathematics.power.expected_gaps import differences_of_separation, either_found
from fairpairs.mathematics.power.rejection import rejection_with_cheap_labels

CELLS = fp.power.items_from_rates(share=0.4, tpr=(0.8, 0.7), fpr=0.2)


def test_all_labelled_is_separation():
    planned = rejection_with_cheap_labels(CELLS, 1_500, 1_500, (1.0, 1.0))
    gaps, covariance, _ = differences_of_separation(CELLS, 1_500, 0.025)
    unpooled = 2.2414 * np.sqrt(np.diagonal(covariance))
    assert_allclose(planned, either_found(gaps, covariance, unpooled), atol=2e-3)


def test_better_judges_and_more_items_find_more():
    def found(n=500, items=5_000, accuracy=(0.9, 0.9)):
        return rejection_with_cheap_labels(CELLS, n, items, accuracy)

    by_accuracy = [found(accuracy=(one, one)) for one in (0.5, 0.7, 0.9, 1.0)]
    assert np.all(np.diff(by_accuracy) > 0)
    assert_allclose(found(accuracy=(0.1, 0.1)), found())  # always wrong tells as much
    assert found(items=50_000) > found() > found(n=400)
    assert found(n=9_000) == found(n=5_000)
