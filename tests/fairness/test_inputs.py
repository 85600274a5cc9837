import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from fairpairs import InputError
from fairpairs.fairness import inputs


def test_bad_input_is_a_value_error_for_who_does_not_know_our_exception():
    with pytest.raises(ValueError, match="empty"):
        inputs.one_dimensional([], "y_true")


def test_a_column_is_taken_as_one_dimensional():
    assert_array_equal(inputs.one_dimensional([[1], [2]], "y"), [1, 2])
    assert_array_equal(inputs.one_dimensional(pd.DataFrame({"y": [1, 2]}), "y"), [1, 2])


@pytest.mark.parametrize("values", [[[1, 2], [3, 4]], 5, np.zeros((2, 1, 1))])
def test_other_shapes_are_refused(values):
    with pytest.raises(InputError, match=r"y_true must be one-dimensional, .*; it has the shape"):
        inputs.one_dimensional(values, "y_true")


@pytest.mark.parametrize(
    "values",
    [
        [1.0, np.nan, 0.0],
        [1, None, 0],
        pd.Series([1, pd.NA, 0], dtype="Int64"),
        pd.Series(["a", None, "b"]),
        pd.Series(["a", np.nan, "b"], dtype=object),
        np.array(["2020-01-01", "NaT", "2020-01-02"], dtype="datetime64[D]"),
    ],
)
def test_missing_values_are_counted_and_located(values):
    with pytest.raises(InputError, match=r"g has 1 missing value\(s\), the first at position 1"):
        inputs.one_dimensional(values, "g")


def test_nan_in_a_list_of_strings_is_missing_and_no_string():
    with pytest.raises(InputError, match=r"g has 1 missing value\(s\), the first at position 1"):
        inputs.one_dimensional(["m", float("nan"), "m", "m"], "g")


def test_numbers_become_floats():
    for values in ([1, 2], [True, False], pd.Series([1, 2], dtype="Int64"), ["1.5", "2"]):
        array = inputs.numeric(values, "y_score")
        assert array.dtype == np.float64
        assert array.shape == (2,)


def test_what_is_no_number_is_refused():
    with pytest.raises(InputError, match=r"y_score must hold numbers: .*'high'"):
        inputs.numeric(["high", "low"], "y_score")


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_scores_are_refused(value):
    with pytest.raises(InputError, match="y_score holds an infinite value"):
        inputs.numeric([0.1, value], "y_score")


@pytest.mark.parametrize(
    "values", [[0, 1, 1], [0.0, 1.0, 1.0], [False, True, True], np.array([0, 1, 1], np.uint8)]
)
def test_zeros_and_ones_of_any_type_are_binary(values):
    result = inputs.binary(values, "y_true")
    assert_array_equal(result, [0, 1, 1])
    assert result.dtype == np.int64


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([0, 2, 1], "2"),
        ([1, -1], "-1"),
        ([0.5, 1], "0.5"),
        (["a", "b"], "'a'"),
        (["0", "1"], "'0'"),
    ],
)
def test_a_third_value_is_named(values, shown):
    with pytest.raises(InputError, match=f"y_true must hold 0 and 1 only; it holds {shown}: "):
        inputs.binary(values, "y_true")


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (["m", "f", "m"], ("f", "m")),
        ([40, 25, 40], (25, 40)),
        ([True, False, True], (False, True)),
        (pd.Categorical(["m", "f", "m"], categories=["m", "f"]), ("f", "m")),
        (pd.Series(["m", "f", "m"], index=[7, 8, 9]), ("f", "m")),
    ],
)
def test_groups_are_numbered_in_sorted_order(values, names):
    codes, found = inputs.two_groups(values)
    assert_array_equal(codes, [1, 0, 1])
    assert found == names


def test_groups_that_cannot_be_sorted_are_refused():
    with pytest.raises(InputError, match="sensitive_features mixes kinds of values"):
        inputs.two_groups(pd.Series([1, "a", 1], dtype=object))


def test_one_group_is_named():
    with pytest.raises(InputError, match=r"one group only \(m\): a test compares two groups"):
        inputs.two_groups(["m", "m"])


def test_three_groups_are_counted():
    with pytest.raises(InputError, match="has 3 groups: make it binary"):
        inputs.two_groups(["a", "b", "c"])


@pytest.mark.parametrize(
    "values",
    [
        ["m", "f", "m", "x"],
        [[2], [1], [2], [3]],
        pd.DataFrame({"sex": pd.Categorical(["m", "f", "m", "x"])}),
    ],
)
def test_any_number_of_groups_is_numbered_in_sorted_order(values):
    codes, names = inputs.groups(values)
    assert_array_equal(codes, [1, 0, 1, 2])
    assert codes.dtype == np.int64
    assert len(names) == 3
    assert list(names) == sorted(names)


def test_several_attributes_make_a_group_of_each_combination_that_occurs():
    frame = pd.DataFrame(
        {"sex": ["m", "f", "m", "f", "m"], "age": [40, 25, 25, 25, 40], "old": [1, 0, 0, 0, 1]}
    )
    codes, names = inputs.groups(frame)
    assert names == (("f", 25, 0), ("m", 25, 0), ("m", 40, 1))
    assert_array_equal(codes, [2, 0, 1, 0, 2])
    codes, names = inputs.groups(frame[["age", "old"]].to_numpy())
    assert names == ((25, 0), (40, 1))
    assert_array_equal(codes, [1, 0, 0, 0, 1])


def test_missing_attributes_are_located():
    frame = pd.DataFrame({"sex": ["m", "f", "m"], "race": ["a", None, "b"]})
    with pytest.raises(InputError, match=r"sensitive_features, column race has 1 missing .* 1:"):
        inputs.groups(frame)
    with pytest.raises(InputError, match="sensitive_features has 1 missing"):
        inputs.groups(["m", None, "f"])


def test_nan_in_rows_of_strings_is_missing_and_no_string():
    with pytest.raises(InputError, match="1 missing"):
        inputs.groups([["m", "a"], ["f", float("nan")], ["m", "b"]])


def test_too_many_groups_are_taken_for_a_mistake():
    assert len(inputs.groups(np.arange(inputs.MOST_GROUPS))[1]) == inputs.MOST_GROUPS
    with pytest.raises(InputError, match="has 21 groups, more than 20: join some"):
        inputs.groups(np.arange(inputs.MOST_GROUPS + 1))


def test_one_combination_is_named():
    with pytest.raises(InputError, match=r"one group only \(m & 3\)"):
        inputs.groups(pd.DataFrame({"sex": ["m", "m"], "age": [3, 3]}))


@pytest.mark.parametrize("values", [[], np.zeros((0, 2)), np.zeros((2, 0)), np.zeros((2, 2, 2))])
def test_what_holds_no_groups_is_refused(values):
    with pytest.raises(InputError, match="sensitive_features"):
        inputs.groups(values)


def test_kinds_that_cannot_be_sorted_are_refused_in_each_column():
    with pytest.raises(InputError, match="column race mixes kinds of values"):
        inputs.groups(pd.DataFrame({"sex": ["m", "f"], "race": [1, "a"]}, dtype=object))


def test_a_group_is_said_in_words():
    assert inputs.group_name(("f", 25)) == "f & 25"
    assert inputs.group_name("f") == "f"
    assert inputs.group_name(25) == "25"


def test_lengths_are_listed():
    inputs.same_items(a=np.zeros(3), b=np.ones(3))
    with pytest.raises(InputError, match="must have one length: a has 3, b has 3, c has 2"):
        inputs.same_items(a=np.zeros(3), b=np.zeros(3), c=np.zeros(2))


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 1.5, np.nan])
def test_a_level_lies_between_0_and_1(alpha):
    with pytest.raises(InputError, match="alpha must lie between 0 and 1; it is "):
        inputs.level(alpha)


def test_any_level_between_is_accepted():
    for alpha in (1e-9, 0.05, 0.999):
        inputs.level(alpha)
