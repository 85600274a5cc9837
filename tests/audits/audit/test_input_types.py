"""An audit is the same whatever kind of table, Series or array its columns come in."""

import array
from collections import deque

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fairpairs as fp

N = 120


def halves(values):
    return pa.chunked_array([values[:50].tolist(), values[50:].tolist()])


def polars_series(values):
    return pl.Series("g", values.tolist())


def categories(values):
    """Categories in another order, of which one has no item."""
    spare = "zz" if values.dtype.kind == "U" else 99
    return pd.Categorical(values, categories=[*np.unique(values)[::-1].tolist(), spare])


def text_only(convert):
    return lambda values: convert(values) if values.dtype.kind == "U" else values


def numbers_only(convert):
    return lambda values: values if values.dtype.kind == "U" else convert(values)


#: Kinds of one column, by functions of a numpy array of texts or numbers.
KINDS = {
    "list": lambda values: values.tolist(),
    "deque": lambda values: deque(values.tolist()),
    "object": lambda values: values.astype(object),
    "text": numbers_only(lambda values: values.astype(str)),
    "float32": numbers_only(lambda values: values.astype(np.float32)),
    "minus zero": numbers_only(lambda values: np.where(values == 0, -0.0, values)),
    "column": lambda values: values.reshape(-1, 1),
    "masked": np.ma.masked_array,
    "array": numbers_only(lambda values: array.array("d", values.astype(float))),
    "Series": pd.Series,
    "index from 5": lambda values: pd.Series(values, index=np.arange(5, N + 5)),
    "Index": pd.Index,
    "nullable": lambda values: pd.Series(values).convert_dtypes(),
    "Arrow dtype": lambda values: pd.Series(values).convert_dtypes(dtype_backend="pyarrow"),
    "string": text_only(lambda values: pd.Series(values, dtype="string")),
    "category": lambda values: pd.Series(values).astype("category"),
    "unused category": lambda values: pd.Series(categories(values)),
    "ordered categories": lambda values: pd.Categorical(values, ordered=True),
    "sparse": numbers_only(lambda values: pd.Series(pd.arrays.SparseArray(values))),
    "frame": lambda values: pd.DataFrame({"g": values}),
    "Arrow chunks": halves,
    "Arrow dictionary chunks": lambda values: halves(values).dictionary_encode(),
    "Polars": polars_series,
}


@pytest.fixture(scope="module")
def items():
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, N)
    return {
        "y_true": label,
        "y_pred": np.where(rng.random(N) < 0.7, label, 1 - label),
        "y_score": rng.integers(0, 9, N) + 2 * label,
        "g": np.where(rng.random(N) < 0.4, "west", "east"),
        "clusters": rng.integers(0, 40, N),
        "sample_weight": rng.integers(1, 4, N),
    }


def audit(items, **change):
    given = {**items, **change}
    named = {"sensitive_features": {"g": given.pop("g")}, "criterion": ["separation", "xauc"]}
    return fp.audit(**named, **given)


@pytest.fixture(scope="module")
def expected(items):
    return audit(items)


def check(found, expected):
    pd.testing.assert_frame_equal(found.to_frame(), expected.to_frame(), check_exact=True)
    pd.testing.assert_frame_equal(found.rates, expected.rates, check_exact=True)
    assert found.about | {"source": {}} == expected.about  # a Series has a name


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_kind_of_the_columns_does_not_matter(items, expected, kind):
    check(audit({name: KINDS[kind](values) for name, values in items.items()}), expected)


TABLES = {
    "dict of several kinds": lambda frame: {"g": pa.array(frame["g"]), "h": frame["h"].tolist()},
    "Arrow batch": lambda frame: pa.Table.from_pandas(frame).to_batches()[0],
    "Polars": lambda frame: pl.DataFrame(frame.to_dict("list")),
}


@pytest.mark.parametrize("kind", TABLES)
def test_the_kind_of_the_table_of_attributes_does_not_matter(items, kind):
    frame = pd.DataFrame({"g": items["g"], "h": np.arange(N) % 3})
    given = {name: items[name] for name in ("y_true", "y_pred")} | {"criterion": ["accuracy"]}
    check(
        fp.audit(**given, sensitive_features=TABLES[kind](frame)),
        fp.audit(**given, sensitive_features=frame),
    )


class OnDevice:
    """What an array on a device without access to it does: it refuses its conversion."""

    def __array__(self, dtype=None, copy=None):
        raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu()")

    def __len__(self):
        return N


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (lambda: (value for value in range(N)), "the type generator: make a list or an array of"),
        (lambda: {0, 1}, "the type set: make a list or an array of its values"),
        (lambda: dict.fromkeys(range(N)).values(), "the type dict_values: make a list or an array"),
        (lambda: "abc", "the type str: make a list or an array of its values"),
        (lambda: 3, "the type int: make a list or an array of its values"),
        (lambda: [[0, 1]] * N, r"a list, array or Series; it has the shape \(120, 2\)"),
        (lambda: [[0] * (i % 3) for i in range(N)], "a list, array or Series of single values: "),
        (lambda: pd.DataFrame({"a": range(N), "b": range(N)}), r"it has the shape \(120, 2\)"),
        (lambda: pa.table({"a": range(N), "b": range(N)}), r"it has the shape \(120, 2\)"),
        (OnDevice, "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu"),
    ],
)
@pytest.mark.parametrize("role", ["y_true", "y_pred", "y_score", "g", "clusters", "sample_weight"])
def test_what_is_no_column_is_one_sentence(items, role, values, sentence):
    if role == "g" and isinstance(values(), list | pd.DataFrame | pa.Table):
        sentence = f"({sentence}|has 1 group|only one group|groups, more than 20|single values)"
    with pytest.raises(fp.InputError, match=sentence):
        audit(items, **{role: values()})


def test_a_sparse_matrix_is_one_sentence(items):
    from scipy import sparse

    for role in ("y_true", "y_score", "clusters", "sample_weight"):
        with pytest.raises(fp.InputError, match="of the type csr_array: make a list or an array"):
            audit(items, **{role: sparse.csr_array(np.ones((N, 1)))})
