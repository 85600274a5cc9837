import datetime
import decimal
import os

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from fairpairs import InputError
from fairpairs.papers.datasets.draft import draft_card
from fairpairs.papers.datasets.prepare import prepare
from fairpairs.papers.datasets.raw_table import read_raw_table
from tests.papers.datasets.raw_files import PEOPLE


@pytest.mark.parametrize(
    ("text", "changes", "message"),
    [
        (PEOPLE.replace("city", "town"), {},
         "there is no column `city`; it has age, town, gender, outcome, year, name"),
        (PEOPLE.replace("outcome", "result"), {}, "there is no column `outcome`"),
        (PEOPLE.replace("gender", "sex"), {}, "there is no column `gender`"),
        (PEOPLE, {"keep_rows": [{"column": "month", "values": [1], "because": ""}]},
         "there is no column `month`"),
        (PEOPLE, {"read": {"separator": ";"}}, "there is no column `age`; .*`read.separator`"),
        ("", {}, "not a table as described"),
        (PEOPLE.replace("Ash", "Ash,more", 1), {}, "not a table as described"),
        ("".join(line + ",more\n" for line in PEOPLE.splitlines()[1:]),
         {"read": {"column_names": PEOPLE.splitlines()[0].split(",")}}, "not a table as described"),
    ],
)  # fmt: skip
def test_a_file_without_its_columns_is_explained(prepare_people, text, changes, message):
    with pytest.raises(InputError, match=f"people.csv: .*{message}"):
        prepare_people(text, **changes)


def test_a_column_that_appears_twice_must_have_the_same_values_twice(tmp_path, card):
    raw = tmp_path / "people.csv"
    raw.write_text(PEOPLE.replace("year", "age").replace("2020", "30"), "utf-8")
    with pytest.raises(InputError, match="the column `age` appears twice, with different values"):
        read_raw_table(raw, card)
    raw.write_text("age,city,gender,outcome,age\n30,Ash,m,good,30\n", "utf-8")
    assert read_raw_table(raw, card).to_dict("list") == {
        "age": ["30"], "city": ["Ash"], "outcome": ["good"], "gender": ["m"],
    }  # fmt: skip


def test_another_separator_no_header_and_other_words_for_missing(prepare_people):
    text = "30;?;m;good\n40;Birk;f;bad\n"
    frame, _ = prepare_people(
        text,
        read={
            "separator": ";",
            "column_names": ["age", "city", "gender", "outcome"],
            "missing_values": ["?"],
        },
        missing={"city": "level"},
    )
    assert_array_equal(frame["age"], [30, 40])
    assert_array_equal(frame["city"].isna(), [True, False])
    assert_array_equal(frame["label"], [1, 0])


def test_spaces_after_separators_are_no_part_of_values_or_names(prepare_people):
    frame, _ = prepare_people(PEOPLE.replace(",", ", "))
    assert list(frame["city"]) == ["Ash", "Birk", "Ash", "Cole"]


def test_bytes_that_are_no_text_are_refused(tmp_path, card):
    raw = tmp_path / "people.csv"
    raw.write_bytes(PEOPLE.encode().replace(b"Ash", b"\xff\xfe"))
    with pytest.raises(InputError, match=r"people\.csv: not in UTF-8"):
        read_raw_table(raw, card)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda raw: None, r"cannot be read \(No such file or directory\): delete the file, and"),
        (os.mkdir, r"cannot be read \(Is a directory\): delete the file, and it is fetched again"),
        (lambda raw: pd.DataFrame(
            {"age": [[1], [2, 3]], "city": "a", "gender": "m", "outcome": "good"}).to_parquet(raw),
         "column `age` holds lists, the first of 2 values in row 2: write a text or a number"),
        (lambda raw: raw.write_bytes(b"PAR1" + bytes(99)), "not a Parquet file, or a part of one"),
        (lambda raw: raw.write_bytes(bytes(999)), "not a text in UTF-8 .it has zero bytes."),
        (lambda raw: raw.write_text('age,"city\n1,2'), "not a table as described"),
    ],
    ids=["gone", "folder", "parquet", "cut", "zeros", "quote"],
)  # fmt: skip
def test_a_raw_file_that_cannot_be_read_as_a_table_is_explained(tmp_path, card, make, words):
    raw = tmp_path / "people.csv"
    make(raw)
    with pytest.raises(InputError, match=rf"people\.csv: ({words})") as caught:
        read_raw_table(raw, card)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ((",Ash,", ',"Ash,', ",Cole,", ',"Cole,'), "line 2 is not of a CSV table"),
        (("40.5,", "age,city,gender,outcome,year,name\n40.5,"), "header"),
        (("Bob", "B\0b"), "zero"),
    ],
)
def test_lines_that_would_be_lost_or_taken_for_rows_are_refused(
    prepare_people, tmp_path, change, words
):
    text = PEOPLE
    for old, new in zip(change[::2], change[1::2], strict=True):
        text = text.replace(old, new, 1)
    with pytest.raises(InputError, match=rf"people\.csv: .*{words}"):
        prepare_people(text)
    with pytest.raises(InputError, match=rf"people\.csv: .*{words}"):
        draft_card(tmp_path / "people.csv", label="outcome", sensitive=["gender"])


@pytest.mark.parametrize("ending", ["gz", "zip", "bz2", "xz"])
def test_a_raw_file_that_is_damaged_where_it_is_packed_is_explained(tmp_path, card, ending):
    raw = tmp_path / f"people.csv.{ending}"
    raw.write_bytes(b"no archive")
    with pytest.raises(
        InputError, match=rf"people\.csv\.{ending}: (cannot be read|not a table as) "
    ):
        read_raw_table(raw, card)


def test_missing_values_of_a_column_that_is_not_used_are_explained(prepare_people):
    with pytest.raises(InputError, match="ctiy"):
        prepare_people(missing={"ctiy": "drop"})


@pytest.mark.parametrize(
    ("renamed", "words"),
    [
        ({"ctiy": "town"}, "calls `ctiy` `town`, and there is no column `ctiy`: correct it"),
        ({"city": "age"}, "calls `city` `age`, and there is already a column `age`: correct it"),
    ],
)
def test_a_name_that_cannot_be_changed_is_explained(prepare_people, renamed, words):
    with pytest.raises(InputError, match=words):
        prepare_people(rename=renamed)


#: A column of each kind that a Parquet file may have, with a missing value in the second row.
KINDS = {
    "text": (["a", None, "b"], ["a", "b"]),
    "blank": ([" a ", "NA", "NA."], ["a", "NA."]),
    "category": (pd.Categorical(["x", None, "y"]), ["x", "y"]),
    "codes": (pd.Categorical([3, None, 1]), ["3", "1"]),
    "whole": (pd.array([2**60 + 1, None, 1], "Int64"), ["1152921504606846977", "1"]),
    "whole_as_float": ([1.0, np.nan, 2.0], ["1", "2"]),
    "float": ([0.1, np.nan, 1e-7], ["0.1", "1e-07"]),
    "float32": (np.array([0.1, np.nan, 2], np.float32), ["0.1", "2"]),
    "boolean": ([True, None, False], ["True", "False"]),
    "date": ([datetime.date(2020, 1, 2), None, datetime.date(1999, 12, 31)],
             ["2020-01-02", "1999-12-31"]),
    "time": (pd.to_datetime(["2020-01-02 03:04", None, "2020-01-02 00:00"]),
             ["2020-01-02 03:04:00", "2020-01-02 00:00:00"]),
    "decimal": ([decimal.Decimal("12.50"), None, decimal.Decimal("1.00")], ["12.50", "1.00"]),
}  # fmt: skip


def test_a_parquet_file_holds_what_a_csv_of_it_would(tmp_path, card):
    frame = pd.DataFrame({name: values for name, (values, _) in KINDS.items()})
    frame["list"] = [[1, 2], None, [3]]  # not used
    card = {
        **card, "features": dict.fromkeys(KINDS, "categorical"), "rename": {"grade": "label_2"},
        "label": {"column": "label_2"}, "sensitive": {"sex": {"column": "text"}},
    }  # fmt: skip
    frame["grade"] = ["?", "1", "2"]
    frame.to_parquet(tmp_path / "raw.parquet")
    table = read_raw_table(tmp_path / "raw.parquet", card | {"read": {"missing_values": ["?"]}})
    for name, (_, texts) in KINDS.items():
        assert table[name].isna().tolist() == [False, True, False], name
        assert table[name].dropna().tolist() == texts
    assert table["label_2"].isna().tolist() == [True, False, False]
    frame[list(KINDS)].to_csv(tmp_path / "raw.csv", index=False)
    of_csv = {**card, "rename": {}, "label": {"column": "text"}}
    again = read_raw_table(tmp_path / "raw.csv", of_csv)
    assert again["text"].equals(table["text"]) and again["category"].equals(table["category"])
    with pytest.raises(InputError, match=r"`read\.separator` of the card is for a CSV: remove it"):
        read_raw_table(tmp_path / "raw.parquet", card | {"read": {"separator": ";"}})


def test_a_row_of_a_parquet_file_is_named_without_a_header(tmp_path, card):
    raw = tmp_path / "people.parquet"
    pd.DataFrame({"age": ["x"], "city": "a", "gender": "m", "outcome": "good"}).to_parquet(raw)
    with pytest.raises(InputError, match=r"holds 'x' in row 1: correct"):
        prepare(raw, card, name="people")
