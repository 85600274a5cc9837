import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose

from fairpairs import InputError, fairbalance_weights

# every joint group of two attributes has both labels, and any further items
CORNERS = [(y, a, b) for y in (0, 1) for a in (0, 1) for b in (0, 1)]
items = st.lists(st.sampled_from(CORNERS), max_size=60).map(
    lambda more: pd.DataFrame(CORNERS + more, columns=["y", "a", "b"])
)


def test_weights_by_hand():
    # |A=a| / |A=a, Y=y| / 2; women: 3 favourable of 4; men: 1 of 2
    y, sex = [1, 1, 1, 0, 1, 0], ["f", "f", "f", "f", "m", "m"]
    assert_allclose(fairbalance_weights(y, sex), [2 / 3, 2 / 3, 2 / 3, 2, 1, 1], rtol=1e-12)


@pytest.mark.slow
@given(items)
def test_classes_weigh_one_to_one_and_every_group_as_many_as_its_items(frame):
    weight = fairbalance_weights(frame["y"], frame[["a", "b"]])
    by_class = frame.assign(w=weight).groupby(["y", "a", "b"])["w"].sum()
    assert_allclose(by_class.loc[1], by_class.loc[0], rtol=1e-10)
    groups = frame.assign(w=weight).groupby(["a", "b"])
    assert_allclose(groups["w"].sum(), groups.size(), rtol=1e-10)
    assert_allclose(weight.sum(), len(frame), rtol=1e-10)


def test_the_group_is_the_joint_one():
    # one woman of each label under and over 25, two men of one label each: every weight is 1
    # for the women; a man whose group has his label only has the weight 1/2
    y = [1, 0, 1, 0, 1, 0]
    features = np.array([["f", "<"], ["f", "<"], ["f", ">"], ["f", ">"], ["m", "<"], ["m", ">"]])
    assert_allclose(fairbalance_weights(y, features), [1, 1, 1, 1, 0.5, 0.5], rtol=1e-12)
    assert_allclose(fairbalance_weights(y, features[:, 0]), np.ones(6), rtol=1e-12)


def test_a_missing_value_is_refused():
    frame = pd.DataFrame({"a": [1, 0, 1], "b": ["f", "m", None]})
    with pytest.raises(InputError, match=r"column b has 1 missing .* position 2"):
        fairbalance_weights([1, 0, 1], frame)
    with pytest.raises(InputError, match=r"y has 1 missing .* position 0"):
        fairbalance_weights([np.nan, 0, 1], list("ffm"))
