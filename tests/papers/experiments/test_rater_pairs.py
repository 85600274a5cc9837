import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from fairpairs import differential_parity_of_raters, differential_parity_test

# Many raters


def rated(seed, n=90, raters=6):
    rng = np.random.default_rng(seed)
    group = rng.integers(2, size=n)
    ratings = rng.integers(1, 6, size=(n, raters)) + rng.integers(2, size=raters) * group[:, None]
    return pd.DataFrame(ratings, columns=[f"P{i + 1}" for i in range(raters)]).astype(float), group


@pytest.mark.parametrize(("missing", "effect_size"), [(False, "overall"), (True, "pooled")])
def test_all_pairs_of_raters_are_each_pair_alone(missing, effect_size):
    ratings, group = rated(1)
    if missing:
        ratings = ratings.mask(np.random.default_rng(2).random(ratings.shape) < 0.3)
    pairs = differential_parity_of_raters(
        ratings, sensitive_features=group, effect_size=effect_size
    )
    for i, one in enumerate(ratings):
        for j, two in enumerate(ratings):
            both = (ratings[one].notna() & ratings[two].notna()).to_numpy()
            alone = differential_parity_test(
                ratings[one][both], ratings[two][both], sensitive_features=group[both],
                effect_size=effect_size,
            )  # fmt: skip
            assert_allclose(pairs.test.dpt[i, j], alone.difference.statistic[0], atol=1e-9)
            assert_allclose(pairs.test.dpd[i, j], alone.difference.effect_size[0], atol=1e-9)
            if not alone.difference.reason[0]:
                assert_allclose(pairs.test.pvalue[i, j], alone.pvalue, atol=1e-9)
            assert pairs.overlap[i, j] == alone.difference.smallest_cell[0]


def test_a_rater_against_itself_is_one_half_and_zero():
    ratings, group = rated(2)
    ratings["Average"] = ratings.mean(axis=1) / 3  # not whole, so that rounding could show
    pairs = differential_parity_of_raters(ratings, sensitive_features=group)
    own = np.eye(7, dtype=bool)
    assert (pairs.test.pvalue_one_sided[own] == 0.5).all()
    assert (pairs.test.dpd[own] == 0).all()
    assert pairs.test.constant[own].all()
    assert not pairs.test.constant[~own].any()
    assert_allclose(pairs.test.dpt, -pairs.test.dpt.T, atol=1e-9)


def test_raters_without_overlap_are_unknown_and_do_not_count():
    ratings, group = rated(3)
    ratings.loc[:44, "P1"] = np.nan
    ratings.loc[45:, "P2"] = np.nan
    frame = differential_parity_of_raters(ratings, sensitive_features=group).to_frame()
    first = frame.iloc[0]
    assert (first["decisions"], first["reference"], first["overlap"]) == ("P1", "P2", 0)
    assert np.isnan(first["dpt"])
    assert np.isnan(first["pvalue_adjusted"])
    assert first["magnitude"] == "unknown"
    known = frame["pvalue"].notna()
    assert known.sum() == 14
    smallest = frame["pvalue"].idxmin()
    assert_allclose(frame["pvalue_adjusted"][smallest], min(1, 14 * frame["pvalue"][smallest]))
