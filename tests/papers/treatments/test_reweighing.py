import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from fairpairs import InputError, reweighing_weights
from fairpairs.papers.treatments.groups import joint_groups
from fairpairs.papers.treatments.none import no_weights

# every joint group of two attributes has both labels, and any further items
CORNERS = [(y, a, b) for y in (0, 1) for a in (0, 1) for b in (0, 1)]
items = st.lists(st.sampled_from(CORNERS), max_size=60).map(
    lambda more: pd.DataFrame(CORNERS + more, columns=["y", "a", "b"])
)


def test_weights_by_hand():
    # women: 3 of 4 favourable; men: 1 of 2. |A=a| |Y=y| / |A=a, Y=y|:
    # (f, 1): 4 * 4 / 3, (f, 0): 4 * 2 / 1, (m, 1): 2 * 4 / 1, (m, 0): 2 * 2 / 1
    y, sex = [1, 1, 1, 0, 1, 0], ["f", "f", "f", "f", "m", "m"]
    raw = np.array([16 / 3, 16 / 3, 16 / 3, 8, 8, 4])
    assert raw.sum() == 36
    assert_allclose(reweighing_weights(y, sex), raw / 6, rtol=1e-12)


@pytest.mark.slow
@given(items)
def test_weighted_class_shares_are_the_same_in_every_joint_group(frame):
    weight = reweighing_weights(frame["y"], frame[["a", "b"]])
    groups = frame.assign(w=weight, wy=weight * frame["y"]).groupby(["a", "b"])
    shares = groups["wy"].sum() / groups["w"].sum()
    assert len(shares) == 4
    assert_allclose(shares, frame["y"].mean(), rtol=1e-10)
    assert (weight > 0).all()
    assert_allclose(groups["w"].sum(), groups.size(), rtol=1e-10)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_joint_groups_are_numbered_by_the_distinct_rows(k):
    rng = np.random.default_rng(k)
    features = rng.choice(["x", "y", "zz"], size=(40, k))
    codes = joint_groups(features)
    expected = pd.DataFrame(features).groupby(list(range(k))).ngroup()
    assert_array_equal(codes, expected)


@pytest.mark.slow
def test_an_attribute_of_many_levels_does_not_overflow_the_codes():
    # 50,000 levels in four columns: the product of the levels is beyond 2^62
    column = np.arange(50_000)
    codes = joint_groups(np.column_stack([column] * 4))
    assert_array_equal(codes, column)


def test_a_missing_value_is_refused():
    with pytest.raises(InputError, match=r"y has 1 missing value\(s\), the first at position 1"):
        reweighing_weights([1, None, 0], list("ffm"))
    frame = pd.DataFrame({"a": [1, 0, 1], "b": ["f", None, "m"]})
    with pytest.raises(InputError, match=r"column b has 1 missing .* position 1"):
        reweighing_weights([1, 0, 1], frame)
    with pytest.raises(InputError, match=r"sensitive_features has 1 missing .* position 2"):
        reweighing_weights([1, 0, 1], [0.0, 1.0, np.nan])


def test_no_items_are_refused():
    with pytest.raises(InputError, match="y is empty"):
        reweighing_weights([], [])


def test_no_treatment_weighs_all_alike():
    assert_array_equal(no_weights([1, 0, 1], list("ffm")), [1, 1, 1])
