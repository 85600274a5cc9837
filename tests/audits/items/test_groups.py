"""Attributes, their names and intersections, and what is refused."""

from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import fairpairs as fp

from ..synthetic import rows

Y, P, A = [1, 0, 1, 0, 1, 0], [1, 0, 0, 1, 1, 0], list("aabbab")


@pytest.mark.slow
def test_the_intersections_are_all_attributes_together(data, full):
    names = full.about["attributes"]["race & sex"]
    sizes = data.groupby(["race", "sex"]).size()
    assert names["groups"] == {f"{race} & {sex}": n for (race, sex), n in sizes.items()}
    assert names["reference"] == max(names["groups"], key=names["groups"].get)
    # separation and xauc count, with six measures: of all 15 pairs, all others of 5 pairs
    assert len(rows(full, attribute="race & sex")) == 5 * 20 + 10 * 6


@pytest.mark.parametrize(
    ("features", "names"),
    [
        (np.array([["a", "x"], ["b", "y"]] * 4), ["attribute 1", "attribute 2"]),
        (np.array(["a", "b"] * 4), ["group"]),
        (pd.DataFrame({"g": ["a", "b"] * 4, "h": [1, 0, 0, 1] * 2}), ["g", "h"]),
    ],
)
def test_attributes_have_names(features, names):
    result = fp.audit([1, 0, 0, 1] * 2, [1, 0, 1, 0] * 2, sensitive_features=features)
    assert list(result.about["attributes"]) == names


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"sensitive_features": ["a"] * 6}, "`group` has only one group, 'a'.* drop it"),
        ({"sensitive_features": np.array([0, 1, "1"] * 2, object)},
         "two groups that are called 1: rename"),
        ({"sensitive_features": {}}, "sensitive_features is empty"),
        ({"intersections": True}, "Intersections need two sensitive attributes"),
        ({"reference": {"group": "z"}}, "'z' is not a group of .* `group`, which has a, b"),
        ({"reference": {"sex": "a"}}, "The reference names the attribute `sex`; there are `group`"),
    ],
)  # fmt: skip
def test_bad_groups_are_one_sentence(change, sentence):
    options = {"y_true": Y, "y_pred": P, "sensitive_features": A, **change}
    with pytest.raises(fp.InputError, match=sentence):
        fp.audit(**options)


def test_too_many_groups_are_refused():
    y, yhat = [1, 0] * 30, [1, 0, 0, 1] * 15
    with pytest.raises(fp.InputError, match="`group` has 60 groups, more than 20: join some"):
        fp.audit(y, yhat, sensitive_features=range(60))
    both = {"g": [i % 6 for i in range(60)], "h": [i % 5 for i in range(60)]}
    with pytest.raises(fp.InputError, match="have 30 combinations, more than 20"):
        fp.audit(y, yhat, sensitive_features=both, intersections=True)


# Items without a group

N_ITEMS = 200


DECISIONS = np.random.default_rng(0).integers(0, 2, (2, N_ITEMS))


def with_missing(kind):
    """Groups, of which each fifth is missing, and the same with the word for it."""
    place = np.arange(N_ITEMS)
    absent = place % 5 == 0
    names, empty = (place % 2, pd.NA) if kind in ("Int64", "float", "boolean") else (
        np.where(place % 2, "x", "y"), None
    )  # fmt: skip
    words = np.where(absent, "missing", names.astype(str)).astype(object)
    given = pd.Series(names).astype(object).where(~absent, empty)
    if kind == "boolean":
        words[words == "1"], words[words == "0"] = "True", "False"
    return given, words


KINDS = {
    "list": list,
    "NaN": lambda values: [np.nan if pd.isna(value) else value for value in values],
    "category": lambda values: values.astype("category"),
    "chunked": lambda values: pa.chunked_array([list(values[:50]), list(values[50:])]),
    "float": lambda values: values.astype("Float64").to_numpy(float, na_value=np.nan),
    "boolean": lambda values: values.astype("boolean"),
    "masked": lambda values: np.ma.masked_array(
        values.fillna("x").to_numpy(str), values.isna().to_numpy()
    ),
}


@cache
def of_words(words):
    return fp.audit(*DECISIONS, sensitive_features={"g": words})


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_items_without_a_value_may_be_a_group(kind):
    y, yhat = DECISIONS
    given, words = with_missing(kind)
    group = KINDS[kind](given)
    found = fp.audit(y, yhat, sensitive_features={"g": group}, missing_group=True)
    expected = of_words(tuple(words))
    pd.testing.assert_frame_equal(found.to_frame(), expected.to_frame())
    pd.testing.assert_frame_equal(found.rates, expected.rates)
    remedy = "in, or make them a group of their own, missing_group=True\\.$"
    with pytest.raises(fp.InputError, match=f"has 40 missing value.*fill them {remedy}"):
        fp.audit(y, yhat, sensitive_features={"g": group})


def test_a_missing_group_may_be_the_reference_and_meet_others():
    rng = np.random.default_rng(0)
    y, yhat = rng.integers(0, 2, (2, N_ITEMS))
    given, words = with_missing("list")
    dates = pd.Series(pd.to_datetime(["2020-01-01", "2021-01-01"] * 100)).where(given.notna())
    options = {"missing_group": True, "intersections": True, "reference": {"g": "missing"}}
    found = fp.audit(y, yhat, sensitive_features={"g": given, "d": dates}, **options)
    assert found.about["attributes"]["g"]["reference"] == "missing"
    assert "missing & missing" in found.about["attributes"]["g & d"]["groups"]
    full = fp.audit(y, yhat, sensitive_features=words, missing_group=True)
    assert full.about["attributes"]["group"]["groups"]["missing"] == 40


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"sensitive_features": {"g": ["missing", "a", None, "b"] * 50}},
         "`g` has 50 missing value.s., which would be the group 'missing', and a group that is"),
        ({"sensitive_features": {"g": [None] * 200}}, "has only one group, 'missing': a test com"),
        ({"y_true": [None, 1, 0, 1] * 50}, "y_true has 50 missing value.*fill them in\\.$"),
        ({"y_pred": [None, 1, 0, 1] * 50}, "y_pred has 50 missing value.*fill them in\\.$"),
        ({"y_score": [None, 0.1, 0.2, 0.3] * 50}, "y_score has 50 missing value.*them in\\.$"),
        ({"sample_weight": [None, 1, 2, 1] * 50}, "sample_weight has 50 missing value"),
        ({"clusters": [None, 1, 2, 1] * 50}, "clusters has 50 missing value"),
        ({"missing_group": "yes"}, "missing_group must be True or False; it is 'yes'"),
    ],
)  # fmt: skip
def test_what_is_missing_elsewhere_is_refused(change, sentence):
    rng = np.random.default_rng(0)
    y, yhat = rng.integers(0, 2, (2, N_ITEMS))
    given = {"y_true": y, "y_pred": yhat, "sensitive_features": ["a", "b"] * 100}
    with pytest.raises(fp.InputError, match=sentence):
        fp.audit(**{**given, "missing_group": True, **change})
