"""What any array must be; tests/base/test_inputs.py has the rest of the gate."""

import decimal

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from fairpairs import InputError
from fairpairs.base import inputs
from fairpairs.base.one_dimensional import one_dimensional


def test_bad_input_is_a_value_error_for_who_does_not_know_our_exception():
    with pytest.raises(ValueError, match="empty"):
        one_dimensional([], "y_true")


def test_a_column_is_taken_as_one_dimensional():
    assert_array_equal(one_dimensional([[1], [2]], "y"), [1, 2])
    assert_array_equal(one_dimensional(pd.DataFrame({"y": [1, 2]}), "y"), [1, 2])


@pytest.mark.parametrize("kind", [np.array, pd.Series, list])
def test_bytes_are_the_text_that_they_hold(kind):
    values = kind(["é".encode(), b"f"])
    assert one_dimensional(values, "sex").tolist() == ["é", "f"]
    assert inputs.groups(values)[1] == ("f", "é")


def test_bytes_that_are_no_text_are_refused():
    sentence = r"^sex holds bytes that are no UTF-8 text \(b'\\xff'\): decode them\.$"
    with pytest.raises(InputError, match=sentence):
        one_dimensional(np.array([b"f", b"\xff"]), "sex")


@pytest.mark.parametrize("values", [[[1, 2], [3, 4]], np.zeros((2, 1, 1))])
def test_other_shapes_are_refused(values):
    with pytest.raises(InputError, match=r"y_true must be one-dimensional, .*; it has the shape"):
        one_dimensional(values, "y_true")


@pytest.mark.parametrize(
    ("values", "kind"),
    [(5, "int"), (None, "NoneType"), ({1, 2}, "set"), ((v for v in "ab"), "generator"),
     ({"a": [1]}, "dict")],
)  # fmt: skip
def test_what_is_no_array_is_refused_by_its_type(values, kind):
    sentence = rf"Series; it is of the type {kind}: make a list or an array of its values\.$"
    with pytest.raises(InputError, match=sentence):
        one_dimensional(values, "y_true")


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
        one_dimensional(values, "g")


def test_nan_in_a_list_of_strings_is_missing_and_no_string():
    with pytest.raises(InputError, match=r"g has 1 missing value\(s\), the first at position 1"):
        one_dimensional(["m", float("nan"), "m", "m"], "g")


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (pd.Series(["a", [1, 2], "b"]),
         r"^g must hold single values \(real numbers, strings, dates\); it holds \[1, 2\] at "
         r"position 1\.$"),
        (np.array([0, 1j], object), "it holds 1j at position 1"),
        (["a", [1, 2], "b"], "^g must be one-dimensional, a list, array or Series of single value"),
    ],
)  # fmt: skip
def test_what_is_no_single_value_is_shown_with_its_place(values, sentence):
    with pytest.raises(InputError, match=sentence):
        one_dimensional(values, "g")


@pytest.mark.parametrize(
    "values",
    [
        pd.cut(np.arange(4), 2), pd.Series(pd.period_range("2020", periods=4)),
        np.array(["2020", "2021"], "datetime64[Y]"), [b"a", b"b"], pd.Series(["a", 1.5, True]),
        [decimal.Decimal(1), decimal.Decimal(2)], pd.Series([1, 2], dtype="category"),
    ],
)  # fmt: skip
def test_single_values_of_any_kind_are_taken(values):
    assert len(one_dimensional(values, "g")) == len(values)
