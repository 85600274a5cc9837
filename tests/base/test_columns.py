"""Columns by their different values, against the values themselves."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from fairpairs.base.columns import Column, column, partial_column
from fairpairs.base.errors import InputError

WORDS = ["b", "a", "b", "c"]


@pytest.mark.parametrize(
    "values",
    [
        WORDS, np.array(WORDS), np.array(WORDS, dtype=object), pd.Series(WORDS),
        pd.Series(WORDS, dtype="category"), pd.Series([2, 1, 2, 3], dtype="category"),
        [2, 1.5, 2, 3], np.array([True, False, True, True]),
    ],
)  # fmt: skip
def test_of_items_returns_the_values(values):
    coded = column(values, "x")
    assert_array_equal(coded.of_items(coded.kinds), np.asarray(values))
    assert len(coded) == 4
    assert (coded.code is None) == (np.asarray(values).dtype.kind in "bif") or isinstance(
        values.dtype, pd.CategoricalDtype
    )
    assert column(coded, "x") is coded


@pytest.mark.parametrize("kind", ["str", "category", "object"])
def test_a_missing_value_is_refused(kind):
    with pytest.raises(InputError, match=r"x has 1 missing value\(s\), the first at position 1"):
        column(pd.Series(["a", None, "b"], dtype=kind), "x")


def test_half_of_a_character_is_refused():
    with pytest.raises(InputError, match=r"x holds half of a character, '\\ud800', which UTF-8"):
        column(["a", "b\ud800"], "x")


@pytest.mark.parametrize("values", [3, np.array(3), [[1, None], [0, 1]], pd.DataFrame()])
def test_values_of_some_items_are_in_one_row(values):
    with pytest.raises(InputError, match="x must be"):
        partial_column(values, "x")


def test_numbers_have_no_code():
    assert column(Column(np.arange(3)), "x").code is None
