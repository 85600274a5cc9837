import hashlib

import pandas as pd
import pytest

from fairpairs.errors import InputError
from fairpairs.input_tables import Table, names_of, split_names


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('sex,"a, b",age\nm,1,30\nf,2,\n')
    return Table(path)


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["sex", "age"], ["sex", "age"]), (["sex, age"], ["sex", "age"]),
        (["a, b"], ["a, b"]), (['"a, b",sex'], ["a, b", "sex"]), (["sex", "sex"], ["sex"]),
    ],
)  # fmt: skip
def test_columns_are_named_apart_or_with_commas(table, texts, names):
    assert table.named(texts, "--sensitive") == names


@pytest.mark.parametrize("text", ["", ",", '""'])
def test_a_list_without_a_name_is_refused(table, text):
    for names in (table.named, names_of):
        with pytest.raises(InputError, match=r"^--sensitive: .* names nothing: write at least"):
            names(["sex", text], "--sensitive")
    assert names_of(["b,a", "c"], "--features") == ["b", "a", "c"]


def test_a_column_that_is_not_there_is_told_with_the_nearest(table):
    with pytest.raises(InputError, match="no column `Sex`; it has sex, a, b, age: did you mean"):
        table.named(["age,Sex"], "--sensitive")


def test_the_digest_is_of_the_file(table, tmp_path):
    assert table.sha256 == hashlib.sha256(table.path.read_bytes()).hexdigest()
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": [1, 2]}).to_parquet(path)
    assert Table(path).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_names_with_a_comma_are_in_quotes():
    assert split_names('a, "b, c" ,') == ["a", "b, c "]
