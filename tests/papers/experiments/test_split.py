from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from fairpairs.papers.experiments.seeds import stratified_folds, stratified_split


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


def test_every_item_is_tested_equally_often():
    # 2,000 splits: the standard error of a share is at most sqrt(0.25 / 2000) = 0.011
    strata, rng = np.repeat([0, 1, 2], [4, 5, 3]), np.random.default_rng(0)
    tested = np.mean([stratified_split(strata, 0.5, rng) for _ in range(2000)], axis=0)
    assert_allclose(tested, np.repeat([2 / 4, 2 / 5, 1 / 3], [4, 5, 3]), atol=0.05)


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
