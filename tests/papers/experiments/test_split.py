from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_array_equal

from fairpairs.papers.experiments.split import stratified_folds, stratified_split


@pytest.mark.slow
@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=80).map(np.array),
    st.sampled_from(["0.5", "0.25", "0.2", "0.75", "0.9", "0.01"]),
    st.integers(0, 100),
)
def test_every_stratum_gives_its_share_rounded_down(strata, fraction, seed):
    tested = stratified_split(strata, float(fraction), np.random.default_rng(seed))
    assert tested.dtype == bool
    assert tested.shape == strata.shape
    for stratum in set(strata.tolist()):
        size = int((strata == stratum).sum())
        assert tested[strata == stratum].sum() == int(size * Fraction(fraction))


@pytest.mark.parametrize(("fraction", "size", "share"), [("0.29", 100, 29), ("0.57", 100, 57)])
def test_a_share_that_is_a_whole_number_is_not_rounded_down(fraction, size, share):
    assert int(size * Fraction(fraction)) == share
    tested = stratified_split(np.zeros(size, dtype=int), float(fraction), np.random.default_rng(0))
    assert tested.sum() == share


@pytest.mark.slow
def test_every_item_and_every_pair_of_items_is_tested_equally_often():
    # 8,000 splits of strata of 4 (2 tested), 5 (2 tested) and 3 (1 tested), mixed; standard error
    # of a share at most sqrt(0.25 / 8000) = 0.0056
    strata = np.array([0, 1, 2, 0, 1, 1, 2, 0, 1, 2, 0, 1])
    size, taken = {0: 4, 1: 5, 2: 3}, {0: 2, 1: 2, 2: 1}
    rng, splits = np.random.default_rng(0), 8000
    tested = np.array([stratified_split(strata, 0.5, rng) for _ in range(splits)], dtype=float)
    together = tested.T @ tested / splits
    for i, a in enumerate(strata.tolist()):
        for j, b in enumerate(strata.tolist()):
            if i == j:
                p = taken[a] / size[a]
            elif a == b:  # without replacement
                p = taken[a] / size[a] * (taken[a] - 1) / (size[a] - 1)
            else:  # strata are independent
                p = taken[a] / size[a] * taken[b] / size[b]
            assert abs(together[i, j] - p) <= 4.5 * np.sqrt(p * (1 - p) / splits)


@pytest.mark.slow
@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=80).map(np.array),
    st.integers(2, 12),
    st.integers(0, 100),
)
def test_every_fold_has_its_share_of_every_stratum(strata, number, seed):
    fold = stratified_folds(strata, number, np.random.default_rng(seed))
    assert fold.shape == strata.shape
    for part in (fold, *(fold[strata == stratum] for stratum in set(strata.tolist()))):
        sizes = np.bincount(part, minlength=number)
        assert len(sizes) == number
        assert sizes.max() - sizes.min() <= 1


def test_folds_are_drawn_at_random():
    strata = np.zeros(40, dtype=int)
    one, same, other = (
        stratified_folds(strata, 4, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert_array_equal(one, same)
    assert (one != other).any()
