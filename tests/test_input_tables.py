import hashlib

import numpy as np
import pandas as pd
import pytest

from fairpairs.errors import InputError
from fairpairs.input_tables import Table, _all_cells, _plain_cells, names_of, split_names


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


CELLS = ["a", "b ", "", "NA", "0.5", "1", "é\u2003", "x y"]


def lines(rng, separators):
    width = rng.integers(2, 5)
    rows = [
        ",".join(rng.choice(CELLS, width - (rng.random() < 0.03)))
        for _ in range(rng.integers(1, 12))
    ]
    return "".join(row + str(rng.choice(separators)) for row in rows)


@pytest.mark.parametrize("seed", range(40))
def test_plain_tables_are_read_as_pandas_reads_them(seed):
    rng = np.random.default_rng(seed)
    texts = [lines(rng, separators) for separators in (["\n"], ["\r\n"], ["\n", "\n\n", "\n  \n"])]
    some = 0
    for text in texts:
        plain = _plain_cells(text.encode())
        if plain is not None:
            some += 1
            every = [column.to_pylist() for column in _all_cells(text)]
            assert [column.to_pylist() for column in plain] == every
    assert some


@pytest.mark.parametrize("text", ['a,b\n"1",2\n', "a, b\n1,2\n", "a,b\n1\n", "\na,b\n1,2\n", ""])
def test_other_tables_are_left_to_pandas(text):
    assert _plain_cells(text.encode()) is None


def test_a_column_is_coded_as_it_is_filled(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("\ufeffg,n\na ,1\nb,2\na,3\n", "utf-8")
    table = Table(path)
    assert table.filled("g").tolist() == ["a", "b", "a"]
    coded = table.coded("g")
    assert (coded.kinds.tolist(), coded.code.tolist()) == (["a", "b"], [0, 1, 0])
    assert (len(table), len(coded)) == (3, 3)


@pytest.mark.parametrize("blank", ["\t", "\u00a0", "\u2003", " "])
def test_blanks_around_cells_and_names_do_not_count(tmp_path, blank):
    path = tmp_path / "a.csv"
    path.write_text(f"{blank}g{blank},y\n{blank}a,1\na{blank},0\nb,1\n", "utf-8")
    table = Table(path)
    assert table.columns == ["g", "y"]
    assert table.words("g").tolist() == ["a", "a", "b"]
