import gzip
import hashlib
import json

import pandas as pd
import pytest

from fairpairs.base.errors import InputError
from fairpairs.base.named_columns import names_of, split_names
from fairpairs.base.reading.table import Table


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


def test_a_column_is_coded_as_it_is_filled(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("\ufeffg,n\na ,1\nb,2\na,3\n", "utf-8")
    table = Table(path)
    assert table.words("g").tolist() == ["a", "b", "a"]
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


def json_table(tmp_path, text, name="t.jsonl"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Table(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.jsonl", '{"id": "a", "chosen": 1.5, "n": 1}\n\n{"id": "b", "chosen": -2, "n": 2}\n'),
        ("t.ndjson", '{"id": "a", "chosen": [1.5], "n": 1}\n{"id": "b", "chosen": [-2], "n": 2}'),
        ("t.json", '[{"id": "a", "chosen": 1.5, "n": 1},\n {"id": "b", "chosen": -2, "n": 2}]'),
        ("t.txt", ' {"id": "a", "chosen": 1.5, "n": 1}\n{"id": "b", "chosen": -2, "n": 2}'),
        ("t.json.gz", '[{"id":"a","chosen":1.5,"n":1},{"id":"b","chosen":-2,"n":2}]'),
    ],
)  # fmt: skip
def test_json_lines_are_a_table(tmp_path, name, text):
    content = gzip.compress(text.encode()) if name.endswith(".gz") else text
    table = json_table(tmp_path, content, name)
    assert (table.columns, len(table)) == (["id", "chosen", "n"], 2)
    assert table.words("id").tolist() == ["a", "b"]
    assert table.words("n").tolist() == ["1", "2"]
    assert table.numbers("chosen", "").tolist() == [1.5, -2.0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file has no rows"),
        ("[]", "the file has no rows"),
        ("{}", "the file has no rows"),
        ('{"a": 1}, {"a": 2}\n{"a": 3}', "line 1 is not JSON"),
        ('{"a": 1}\n{"a":', "line 2 is not JSON"),
        ('[{"a": 1}, 3]', "it holds 3, which is no object such as"),
        ('[{"a": 1}', "cannot be read as JSON"),
        (b'{"a": "\xff"}', "cannot be read as JSON"),
        ("[" * 100_000, r"cannot be read as JSON \(maximum recursion depth exceeded"),
        ('{"a": ' + "[" * 100_000, r"line 1 is not JSON \(maximum recursion depth exceeded"),
        ('{"a": ' + "9" * 5000 + "}", r"line 1 is not JSON \(Exceeds the limit"),
        ('[{"a": ' + "9" * 5000 + "}]", r"cannot be read as JSON \(Exceeds the limit"),
    ],
)
def test_json_lines_that_are_no_table_are_explained(tmp_path, text, words):
    with pytest.raises(InputError, match=words):
        json_table(tmp_path, text)


def test_a_text_in_json_may_hold_any_character(tmp_path):
    text = '{"id": "a\u2028b\\n", "n": 1}\r\n{"id": "a\x85b", "n": 2}\r\n'
    table = json_table(tmp_path, b"\xef\xbb\xbf" + text.encode(), "t.csv")
    assert table.words("id").tolist() == ["a\u2028b", "a\x85b"]


def test_only_the_last_ending_tells_json(tmp_path):
    assert json_table(tmp_path, "a,b\n1,2\n", "t.json.csv").columns == ["a", "b"]


def test_columns_of_json_that_some_lines_lack_keep_their_type(tmp_path):
    rows = [{"i": 2**60 + i, "x": None if i < 4 else i / 2} | ({} if i % 3 else {"s": f"r{i}"})
            for i in range(9)]  # fmt: skip
    text = "\n".join(json.dumps(row) for row in rows)
    table = json_table(tmp_path, text)
    assert table.words("i").tolist() == [str(2**60 + i) for i in range(9)]
    assert table.missing("x").sum() == 4 and table.known("s").known.sizes().tolist() == [1, 1, 1]
    with pytest.raises(InputError, match="line 10 is not JSON"):
        json_table(tmp_path, text + "\n{")


def test_lists_of_one_value_are_read_from_parquet(tmp_path):
    pd.DataFrame({"a": [[1.5], [2.0]], "b": [[1.0], [2.0, 3.0]]}).to_parquet(tmp_path / "t.parquet")
    table = Table(tmp_path / "t.parquet")
    assert table.numbers("a", "").tolist() == [1.5, 2.0]
    with pytest.raises(InputError, match="`b` holds lists, the first of 2 values in row 2: write"):
        table.numbers("b", "")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_categories_are_sorted_words(tmp_path, ending):
    frame = pd.DataFrame({"a": [10, 9, 10, -1], "b": ["x", "é", "X", "x"]})
    path = tmp_path / f"t.{ending}"
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    for name in frame:
        found = Table(path).categories(name)
        assert found.tolist() == frame[name].astype(str).tolist()
        assert found.cat.categories.tolist() == sorted(set(found))


def test_lists_of_several_values_are_refused_wherever_they_are(tmp_path):
    table = json_table(tmp_path, '{"a": 1}\n{"a": [1, 2]}\n{"a": null}')
    with pytest.raises(InputError, match="column `a` holds lists, the first in row 2"):
        table.numbers("a", "")
    table = json_table(tmp_path, '{"a": [1]}\n{"a": [1, 2]}')
    with pytest.raises(InputError, match="column `a` holds lists"):
        table.numbers("a", "")
