"""Weights of an audit: frequencies are repeated rows, scale does not matter, and bad ones."""

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import fairpairs as fp
from fairpairs.base.errors import InputError

from ..synthetic import people

pytestmark = pytest.mark.slow

DATA = people(250).assign(person=np.arange(250) // 3)


def audit(data, label="y", prediction="yhat", score="score", **options):
    return fp.audit(
        data[label], data[prediction], y_score=None if score is None else data[score],
        sensitive_features=data[["race", "sex"]].to_dict("series"), **options,
    )  # fmt: skip


def same(one, two, **tolerance):
    assert_frame_equal(one.to_frame(), two.to_frame(), **tolerance)
    assert_frame_equal(one.rates, two.rates, **tolerance)


@pytest.mark.parametrize("kind", ["sampling", "importance"])
def test_the_scale_of_weights_does_not_matter(kind):
    weight = np.random.default_rng(1).gamma(2, 2, len(DATA))
    one, two = (
        audit(DATA, sample_weight=times * weight, weight_kind=kind, clusters=DATA["person"])
        for times in (1, 1000)
    )
    same(one, two, rtol=1e-9)


def test_importance_weights_that_are_equal_are_no_weights_of_clusters():
    one, two = (
        audit(DATA, clusters=DATA["person"], **weights)
        for weights in ({}, {"sample_weight": np.full(len(DATA), 7.0), "weight_kind": "importance"})
    )
    kept = ~one.to_frame()["measure"].isin(["I_sep", "density ratio"])
    assert_frame_equal(one.to_frame()[kept], two.to_frame()[kept], rtol=1e-9)


@pytest.mark.parametrize("kind", ["sampling", "importance"])
@pytest.mark.parametrize("where", ["race == 'c' and y == 1", "race == 'a' and yhat"])
def test_a_cell_of_weight_0_is_empty(kind, where):
    weight = np.where(DATA.eval(where), 0.0, 1.5)
    result = audit(DATA, sample_weight=weight, weight_kind=kind)
    frame = result.to_frame().query("group == 'c' and reference == 'a' and measure == 'TPR'")
    assert len(frame) == 1
    if "yhat" not in where:
        assert frame["estimate"].isna().all()
        assert "empty cell" in frame["note"].iloc[0]
        rates = result.rates.query("group == 'c' and measure == 'TPR'")
        assert rates["estimate"].isna().all()
        assert "empty cell" in rates["note"].iloc[0]


ROWS = len(DATA)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sample_weight": np.r_[-1.0, np.ones(ROWS - 1)]}, ["-1 in row 1", "0 or more"]),
        ({"sample_weight": np.r_[1.0, np.nan, np.ones(ROWS - 2)]}, ["missing"]),
        ({"sample_weight": np.zeros(ROWS)}, ["0 in every row"]),
        ({"sample_weight": DATA.eval("race != 'c'").astype(float)}, ["0 in every row", "'c'"]),
        ({"sample_weight": np.ones(ROWS - 1)}, [str(ROWS - 1)]),
        ({"sample_weight": ["much"] * ROWS}, ["sample_weight"]),
        ({"sample_weight": np.full(ROWS, 0.5), "weight_kind": "frequency"}, ["whole"]),
        ({"weight_kind": "frequency"}, ["weight_kind='frequency'", "leave it out"]),
        ({"weight_kind": "probability", "sample_weight": np.ones(ROWS)}, ["weight_kind"]),
        ({"sample_weight": (DATA["race"] != "c").to_numpy(int), "weight_kind": "frequency"},
         ["group", "c", "0 in every row"]),
        ({"sample_weight": DATA["y"].to_numpy(int), "weight_kind": "frequency"},
         ["0 in every row of all but one value"]),
        ({"clusters": np.zeros(ROWS)}, ["one value in every row"]),
        ({"clusters": pd.Series([None, *range(ROWS - 1)], dtype="Int64")}, ["missing"]),
        ({"clusters": np.arange(ROWS - 1)}, [str(ROWS - 1)]),
    ],
)  # fmt: skip
def test_bad_weights_and_clusters_get_one_sentence(options, words):
    with pytest.raises(InputError) as caught:
        audit(DATA, **options)
    message = str(caught.value)
    assert all(word in message for word in words), message
    assert message.endswith(".")
    assert "\n" not in message


def test_a_group_of_one_cluster_cannot_be_tested():
    person = np.where(DATA["race"] == "c", 1000, DATA["person"])
    frame = audit(DATA, clusters=person).to_frame().query("group == 'c' and measure == 'TPR'")
    assert frame["pvalue"].isna().all()
    assert "fewer than two clusters" in frame["note"].iloc[0]
    rates = audit(DATA, clusters=person).rates.query("group == 'c' and measure == 'TPR'")
    assert rates["ci_low"].isna().all()
    assert "one cluster" in rates["note"].iloc[0]
