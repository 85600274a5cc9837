"""Numbers in texts: the whole column decides, in memory as in DuckDB."""

import itertools
import re

import numpy as np
import pyarrow as pa
import pytest

from fairpairs.audits.counting.rows import Rows
from fairpairs.base.errors import InputError
from fairpairs.base.reading.csv_layout import read_as
from fairpairs.base.reading.numbers import PLAIN, ArrowTexts, decimal_mark, grammar, point_of
from fairpairs.base.reading.table import Table

#: Texts of a column → what they are, None where it is refused; with commas, and with semicolons.
COLUMNS = {
    ("0.5", "12", "-1e3"): (0.5, 12, -1000),
    ("0,5", "12", "-3"): (0.5, 12, -3),
    ("1,234", "0,5"): (1.234, 0.5),
    ("1,234", "12,5"): (1.234, 12.5),
    ("1,234", "1,2345"): (1.234, 1.2345),
    ("1,234", "7,930e-01"): (1.234, 0.793),
    ("1,234", "0.5"): (1234, 0.5),
    ("1,234", "1,234,567"): (1234, 1234567),
    ("1,234.5", "1,000"): (1234.5, 1000),
    ("1.234,5", "1.000"): (1234.5, 1000),
    ("1.234.567", "12"): (1234567, 12),
    ("1,234", "999"): None,
    ("-1,234", "1000"): None,
    ("0,123", "0,456"): (0.123, 0.456),
    ("+5", ".5", "5."): (5, 0.5, 5),
}
NO_NUMBERS = [
    ("1_000", "2"), ("+-1", "2"), ("5%", "2"), ("$5", "2"), ("1 000", "2"), ("0x1F", "2"),
    ("1,23,4", "2"), ("1,2.5", "1"), ("1,234.5", "1.234,5"), ("high", "2"), ("1e", "2"),
    ("inf", "2"), ("01,234", "1.5"), ("١", "2"),
]  # fmt: skip


def written(tmp_path, texts, separator="\t"):
    path = tmp_path / "t.csv"
    quoted = [f'"{text}"' if separator in text else text for text in texts]
    lines = [separator.join(("s", "g")), *(f"{text}{separator}a" for text in quoted)]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def both(path):
    """The numbers of a file in memory, and sorted by DuckDB, or what is said of them."""
    try:
        table = Table(path)
        in_memory = table.numbers("s", "correct it").tolist()
        notes = list(table.notes.values())
    except InputError as error:
        return None, str(error)
    rows = Rows.of_files([path])
    chunks = list(rows.ordered(["s"], rows.cells(["g"], ["s"])))
    found = np.concatenate(
        [np.repeat(chunk.values[:, 0], chunk.count) for chunk in chunks]
    ).tolist()
    assert found == sorted(in_memory)
    assert list(rows.source.notes.values()) == notes
    return in_memory, notes


@pytest.mark.parametrize("separator", [",", "\t", ";", "|"])
@pytest.mark.parametrize("texts", COLUMNS)
def test_the_whole_column_decides(tmp_path, texts, separator):
    expected = COLUMNS[texts]
    with read_as("|" if separator == "|" else None):
        found, said = both(written(tmp_path, texts, separator))
    if expected is None:
        assert found is None
        assert re.search(
            r"t.csv: column `s` holds -?1,234: -?1.234 if a comma marks decimals, "
            r"-?1234 if it marks thousands: give the command --decimal ','",
            said,
        )
        named = read_as("|" if separator == "|" else None)
        with named, pytest.raises(InputError, match="if a comma marks decimals"):
            Rows.of_files([tmp_path / "t.csv"]).cells(["g"], ["s"])
        return
    assert found == list(expected)
    assert bool(said) == ("," in "".join(texts) or texts == ("1.234.567", "12"))


@pytest.mark.parametrize("texts", [("1.234", "12"), ("1.234", "-5.678")])
def test_a_point_may_mark_thousands_where_semicolons_part_columns(tmp_path, texts):
    assert both(written(tmp_path, texts))[0] == list(map(float, texts))
    path = written(tmp_path, texts, ";")
    assert "1.234: 1.234 if a point marks decimals, 1234 if it marks thousands" in both(path)[1]
    with read_as(decimal="."):
        assert both(path)[0] == list(map(float, texts))
    with read_as(decimal=","):
        assert both(path)[0] == [float(text.replace(".", "")) for text in texts]
    assert both(written(tmp_path, ("1.234", "0.5"), ";"))[0] == [1.234, 0.5]


def test_a_mark_that_is_named_is_that_of_all_numbers(tmp_path):
    path = written(tmp_path, ("1,234", "999"))
    with read_as(decimal=","):
        assert both(path) == ([1.234, 999], ["Column `s`: 1,234 is read as 1.234."])
    with read_as(decimal="."):
        assert both(path) == ([1234, 999], ["Column `s`: 1,234 is read as 1234."])
    path = written(tmp_path, ("1,5", "999"))
    with read_as(decimal="."), pytest.raises(InputError, match="numbers such as 1,5: --dec"):
        Table(path).numbers("s", "")
    with (
        pytest.raises(InputError, match="--decimal ';': give a comma or a point"),
        read_as(None, ";"),
    ):
        pass


@pytest.mark.parametrize("texts", NO_NUMBERS)
def test_other_texts_are_no_numbers(tmp_path, texts):
    path = written(tmp_path, texts)
    found, said = both(path)
    assert found is None and "column `s` must hold finite numbers and holds" in said
    with pytest.raises(InputError, match="`s` must hold finite numbers and holds"):
        Rows.of_files([path]).cells(["g"], ["s"])


def test_names_are_never_numbers(tmp_path):
    path = written(tmp_path, ("18,25", "26,40", "1,234"))
    assert Table(path).words("s").tolist() == ["18,25", "26,40", "1,234"]
    cells = Rows.of_files([path]).cells(["s"], [], names=["s"])
    assert cells.columns["s"].kinds.tolist() == ["1,234", "18,25", "26,40"]
    assert Table(path).frame()["s"].tolist() == ["18,25", "26,40", "1,234"]


def test_a_grammar_is_read_as_python_reads_its_numbers():
    texts = {"".join(some) for n in range(1, 6) for some in itertools.product("01.,-e", repeat=n)}
    for text in texts:
        plain = re.fullmatch(PLAIN, text) is not None
        try:
            assert plain == (float(text) is not None)
        except ValueError:
            assert not plain
        for mark in ".,":
            if re.fullmatch(grammar(mark), text):
                float(point_of(text, mark))
        if plain:
            assert decimal_mark(ArrowTexts(pa.array([text])), "s", None, european=False) == "."
