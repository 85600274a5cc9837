import csv
import os

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from fairpairs import InputError, files
from fairpairs.datasets.card import read_card
from fairpairs.datasets.fetch import fetch
from fairpairs.datasets.prepare import prepare
from fairpairs.datasets.prepared import read_prepared

PEOPLE = """\
age,city,gender,outcome,year,name
30,Ash,m,good,2020,Ann
40.5,Birk,f,bad,2021,Bob
25,Ash,f,good,2021,Cid
50,Cole,m,bad,2022,Dot
"""


@pytest.fixture
def run(tmp_path, card):
    """A function that prepares a text by the card, with changes."""

    def prepare_text(text=PEOPLE, **changes):
        raw = tmp_path / "people.csv"
        raw.write_text(text, encoding="utf-8")
        return prepare(raw, {**card, **changes}, name="people")

    return prepare_text


def test_features_labels_and_attributes_are_coded(run):
    frame, about = run()
    assert list(frame.columns) == ["item", "age", "city", "label", "sensitive_sex"]
    assert_array_equal(frame["item"], [0, 1, 2, 3])
    assert_array_equal(frame["age"], [30, 40.5, 25, 50])
    assert frame["age"].dtype == np.float64
    assert list(frame["city"]) == ["Ash", "Birk", "Ash", "Cole"]
    assert_array_equal(frame["label"], [1, 0, 1, 0])
    assert_array_equal(frame["sensitive_sex"], [1, 0, 0, 1])
    assert about["features"] == {
        "age": "numeric",
        "city": "categorical",
        "sensitive_sex": "numeric",
    }
    # the age, three cities and the sex
    assert about["counts"] == {"rows": 4, "label": 2, "features": 5, "sensitive.sex": 2}
    assert about["dataset"] == "people"
    assert (about["title"], about["licence"]) == ("People", "CC0")
    assert about["citation"] == "Nobody (2026), People."
    assert about["label"] == {"one": "Good", "zero": "Bad"}
    assert about["sensitive"] == {"sex": {"one": "Men", "zero": "Women"}}
    assert about["raw_sha256"] == {"people.csv": "0" * 64}


def test_what_is_written_is_read_back(run, tmp_path):
    frame, about = run()
    files.write_parquet(tmp_path / "table.parquet", frame)
    files.write_json(tmp_path / "roles.json", about)
    dataset = read_prepared(tmp_path / "table.parquet", tmp_path / "roles.json")
    assert dataset.name == "people"
    assert dataset.kinds == about["features"]
    assert list(dataset.kinds) == list(about["features"])
    assert dataset.attributes == ("sex",)
    assert_array_equal(dataset.label, [1, 0, 1, 0])
    assert_array_equal(dataset.sensitive, [[1], [0], [0], [1]])
    pd.testing.assert_frame_equal(dataset.frame, frame, check_exact=True)


def test_a_missing_level_is_read_back_as_missing(run, tmp_path):
    frame, about = run(PEOPLE.replace("Birk", ""), missing={"city": "level"})
    files.write_parquet(tmp_path / "table.parquet", frame)
    files.write_json(tmp_path / "roles.json", about)
    dataset = read_prepared(tmp_path / "table.parquet", tmp_path / "roles.json")
    assert_array_equal(dataset.frame["city"].isna(), [False, True, False, False])


@pytest.mark.parametrize(
    ("rule", "coded"),
    [
        ({"column": "city", "one": ["Ash"], "zero": ["Birk", "Cole"]}, [1, 0, 1, 0]),
        ({"column": "city", "one": ["Ash"], "zero": "others"}, [1, 0, 1, 0]),
        ({"column": "city", "one": ["Cole", "Birk"], "zero": "others"}, [0, 1, 0, 1]),
        ({"column": "year", "one": [2021], "zero": [2020, 2022]}, [0, 1, 1, 0]),
        ({"column": "year", "one": ["2021"], "zero": "others"}, [0, 1, 1, 0]),
        ({"column": "age", "above": 25}, [1, 1, 0, 1]),
        ({"column": "age", "above": 24.9}, None),
        ({"column": "age", "above": 40.5}, [0, 0, 0, 1]),
    ],
)
def test_attributes_are_coded_by_values_others_or_above(run, rule, coded):
    sensitive = {"sex": {**rule, "names": {"one": "1", "zero": "0"}}}
    if coded is None:
        with pytest.raises(
            InputError, match=r"column `age` \(sensitive.sex\) has only one group, 1"
        ):
            run(sensitive=sensitive)
    else:
        frame, about = run(sensitive=sensitive)
        assert_array_equal(frame["sensitive_sex"], coded)
        assert about["counts"]["sensitive.sex"] == sum(coded)


def test_a_label_may_name_one_value_and_the_others(run):
    label = {"column": "year", "one": [2020], "zero": "others", "names": {"one": "", "zero": ""}}
    frame, _ = run(label=label)
    assert_array_equal(frame["label"], [1, 0, 0, 0])


def test_numbers_as_categories_are_levels(run):
    frame, _ = run(features={"year": "categorical"})
    assert list(frame["year"]) == ["2020", "2021", "2021", "2022"]


def test_another_separator_no_header_and_other_words_for_missing(run):
    text = "30;?;m;good\n40;Birk;f;bad\n"
    frame, _ = run(
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


def test_spaces_after_separators_are_no_part_of_values_or_names(run):
    frame, _ = run(PEOPLE.replace(",", ", "))
    assert list(frame["city"]) == ["Ash", "Birk", "Ash", "Cole"]


def test_spaces_after_separators_are_no_part_of_values(run):
    head, body = PEOPLE.split("\n", 1)
    frame, _ = run(head + "\n" + body.replace(",", ", "))
    assert list(frame["city"]) == ["Ash", "Birk", "Ash", "Cole"]
    assert_array_equal(frame["label"], [1, 0, 1, 0])


def test_missing_values_become_a_level_or_drop_their_row(run, caplog):
    caplog.set_level("INFO")
    text = PEOPLE.replace("Birk", "").replace("50,", ",")
    frame, about = run(text, missing={"city": "level", "age": "drop"})
    (record,) = caplog.records
    assert record.getMessage().endswith(" rows, with a missing value of age")
    assert f": dropped {len(text.splitlines()) - 1 - len(frame)} of " in record.getMessage()
    assert_array_equal(frame["age"], [30, 40.5, 25])
    assert_array_equal(frame["city"].isna(), [False, True, False])
    assert about["counts"]["rows"] == 3


def test_only_rows_that_are_to_be_kept_are_kept(run):
    rule = {"column": "year", "values": [2021, 2022], "because": "The others differ."}
    frame, about = run(keep_rows=[rule])
    assert_array_equal(frame["age"], [40.5, 25, 50])
    assert "year" not in frame
    # all three cities are left
    assert about["counts"] == {"rows": 3, "label": 1, "features": 5, "sensitive.sex": 1}


def test_several_rules_must_all_be_met(run):
    rules = [
        {"column": "year", "values": [2020, 2021], "because": "a"},
        {"column": "city", "values": ["Ash", "Birk", "Cole"], "because": "b"},
    ]
    frame, _ = run(PEOPLE + "60,Dale,m,bad,2020,Eve\n", keep_rows=rules)
    assert_array_equal(frame["age"], [30, 40.5, 25])


def test_an_item_keeps_its_number_in_the_raw_file_when_rows_are_dropped(run):
    rule = {"column": "year", "values": [2021, 2022], "because": "The others differ."}
    frame, _ = run(keep_rows=[rule])
    assert_array_equal(frame["item"], [1, 2, 3])


def test_a_row_that_is_complained_of_is_counted_in_the_raw_file(run):
    rule = {"column": "year", "values": [2021, 2022], "because": "The others differ."}
    with pytest.raises(InputError, match="holds 'Cole' in row 4 below the header"):
        run(
            keep_rows=[rule],
            sensitive={
                "sex": {"column": "city", "one": ["Ash"], "zero": ["Birk"], "names": {}},
            },
        )


@pytest.mark.parametrize("role", ["label", "attribute"])
def test_rows_without_a_value_of_a_column_coded_by_numbers_can_be_dropped(run, card, role):
    text = "age,city,gender,outcome\n1,Ash,1,1\n2,Ash,2,0\n3,Ash,2,1\n4,Ash,1,0\n"
    card["label"].update(one=[1], zero=[0])
    card["sensitive"]["sex"].update(one=[1], zero=[2])
    complete, _ = run(text)
    assert_array_equal(complete["label"], [1, 0, 1, 0])
    if role == "label":
        frame, _ = run(text + "5,Ash,1,\n", missing={"outcome": "drop"})
    else:
        frame, _ = run(text + "5,Ash,,1\n", missing={"gender": "drop"})
    pd.testing.assert_frame_equal(frame, complete)


def test_counts_that_agree_with_the_card_are_accepted(run):
    frame, _ = run(counts={"rows": 4, "label": 2, "sensitive": {"sex": 2}})
    assert len(frame) == 4


def with_value(row, column, value):
    """PEOPLE with another value in one place."""
    rows = [line.split(",") for line in PEOPLE.splitlines()]
    rows[row][rows[0].index(column)] = value
    return "\n".join(",".join(r) for r in rows) + "\n"


SEX = {"column": "gender", "one": ["m"], "zero": "others", "names": {"one": "", "zero": ""}}


@pytest.mark.parametrize(
    ("text", "changes", "message"),
    [
        (
            PEOPLE.replace("city", "town"),
            {},
            "there is no column `city`; it has age, town, gender, outcome, year, name",
        ),
        (PEOPLE.replace("outcome", "result"), {}, "there is no column `outcome`"),
        (PEOPLE.replace("gender", "sex"), {}, "there is no column `gender`"),
        (
            PEOPLE,
            {"keep_rows": [{"column": "month", "values": [1], "because": ""}]},
            "there is no column `month`",
        ),
        (PEOPLE, {"read": {"separator": ";"}}, "there is no column `age`; .*`read.separator`"),
        (
            with_value(2, "outcome", "meh"),
            {},
            "column `outcome` holds 'meh' in row 2 below the header, which `label` of the card "
            "lists "
            "neither as `one` nor as `zero`",
        ),
        (
            with_value(3, "gender", "x"),
            {},
            "column `gender` holds 'x' in row 3 below the header, which `sensitive.sex` of the "
            "card",
        ),
        (
            with_value(2, "outcome", ""),
            {},
            r"column `outcome` has 1 missing value\(s\), the first in row 2 below the header: "
            r"write "
            r"`missing: \{outcome: drop\}` in the card to drop 1 of 4 rows, or fill the cells\.",
        ),
        (
            with_value(2, "outcome", "NaN"),
            {},
            r"column `outcome` has 1 missing value\(s\), the first in row 2 below",
        ),
        (
            with_value(4, "gender", ""),
            {},
            r"column `gender` has 1 missing value\(s\), the first in row 4",
        ),
        (
            with_value(4, "gender", ""),
            {"sensitive": {"sex": SEX}},  # what is missing is none of the others
            r"column `gender` has 1 missing value\(s\), the first in row 4",
        ),
        (
            with_value(1, "age", ""),
            {"sensitive": {"sex": {"column": "age", "above": 25, "names": {}}}},
            r"column `age` has 1 missing value\(s\), the first in row 1",
        ),
        (
            with_value(3, "city", ""),
            {},
            r"column `city` has 1 missing value\(s\), the first in row 3 below the header: write "
            r"`missing: \{city: drop\}` in the card to drop 1 of 4 rows, `city: level` to keep "
            r"them as "
            r"a level, remove the feature from the card, or fill the cells\.",
        ),
        (
            with_value(3, "city", "")
            .replace("25,,f", "25,,")
            .replace("Ann", "")
            .replace("30,", ","),
            {},
            r"column `age` has 1 missing value\(s\), the first in row 1 below the header; "
            r"column `city`"
            r" has 1 missing value\(s\), the first in row 3 below the header; column `gender` "
            r"has 1 .*"
            r"`missing: \{age: drop, city: drop, gender: drop\}` in the card to drop 2 of 4 rows, "
            r"`city: level` to",
        ),
        (
            with_value(3, "city", ""),  # a group needs a value even where a level needs none
            {
                "missing": {"city": "level"},
                "sensitive": {"sex": {**SEX, "column": "city", "one": ["Ash"]}},
            },
            r"column `city` has 1 missing value\(s\), .* to drop 1 of 4 rows, or fill the cells\.",
        ),
        (
            with_value(3, "age", ""),
            {},
            r"column `age` has 1 missing value\(s\), the first in row 3 below the header: write "
            r"`missing: \{age: drop\}` in the card to drop 1 of 4 rows, remove the feature from "
            r"the card, or",
        ),
        (
            with_value(2, "age", "old"),
            {},
            "column `age` is numeric on the card but holds 'old' in row 2 below .* `categorical`",
        ),
        (with_value(2, "age", "inf"), {}, "column `age` is numeric on the card but holds .*inf"),
        (
            PEOPLE.replace("bad", "good"),
            {},
            r"column `outcome` \(label\) has only one label, 1: a test compares two",
        ),
        (
            PEOPLE.replace(",m,", ",f,"),
            {},
            r"column `gender` \(sensitive.sex\) has only one group, 0: a test compares two",
        ),
        (PEOPLE, {"counts": {"rows": 5}}, "counted 4 for `rows`, and the card expects 5"),
        (PEOPLE, {"counts": {"label": 3}}, "counted 2 for `label`, and the card expects 3"),
        (
            PEOPLE,
            {"counts": {"sensitive": {"sex": 1}}},
            "counted 2 for `sensitive.sex`, and the card expects 1",
        ),
        ("", {}, "not a table as described"),
        (PEOPLE.splitlines()[0] + "\n", {}, "no rows are left"),
        (
            "",
            {"read": {"column_names": ["age", "city", "gender", "outcome"]}},
            "no rows are left",
        ),
        (
            "30,Ash,m\n",
            {"read": {"column_names": ["age", "city", "gender", "outcome"]}},
            r"column `outcome` has 1 missing value\(s\), the first in row 1: write",
        ),
        (
            PEOPLE.replace("Ash", "Ash,more", 1),
            {},
            "not a table as described",
        ),
        (
            "".join(line + ",more\n" for line in PEOPLE.splitlines()[1:]),
            {"read": {"column_names": PEOPLE.splitlines()[0].split(",")}},
            "not a table as described",
        ),
        (
            PEOPLE,
            {"keep_rows": [{"column": "year", "values": [1999], "because": ""}]},
            "column `year` never holds '1999', which `keep_rows` of the card lists",
        ),
    ],
)
def test_bad_input_is_explained_with_the_file(run, text, changes, message):
    with pytest.raises(InputError, match=f"people.csv: .*{message}"):
        run(text, **changes)


def test_bytes_that_are_no_text_are_refused(tmp_path, card):
    raw = tmp_path / "people.csv"
    raw.write_bytes(PEOPLE.encode().replace(b"Ash", b"\xff\xfe"))
    with pytest.raises(InputError, match=r"people\.csv: not in UTF-8"):
        prepare(raw, card, name="people")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda raw: None,
            r"cannot be read \(No such file or directory\): delete the file, and it",
        ),
        (os.mkdir, r"cannot be read \(Is a directory\): delete the file, and it is fetched again"),
        (
            # lists and bytes, of which no table of text has any
            lambda raw: pd.DataFrame({"age": [[1], [2, 3]], "city": [b"\xff", b""]}).to_parquet(
                raw
            ),
            "not in UTF-8 .*: convert the file to a CSV in UTF-8|not a table as described",
        ),
        (
            lambda raw: raw.write_bytes(bytes(999)),
            "not a table as described|there is no column",
        ),
        (lambda raw: raw.write_text('age,"city\n1,2'), "not a table as described"),
    ],
    ids=["gone", "folder", "parquet", "zeros", "quote"],
)
def test_a_raw_file_that_cannot_be_read_as_a_table_is_explained(tmp_path, card, make, words):
    raw = tmp_path / "people.csv"
    make(raw)
    with pytest.raises(InputError, match=rf"people\.csv: ({words})") as caught:
        prepare(raw, card, name="people")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("ending", ["gz", "zip", "bz2", "xz"])
def test_a_raw_file_that_is_damaged_where_it_is_packed_is_explained(tmp_path, card, ending):
    raw = tmp_path / f"people.csv.{ending}"
    raw.write_bytes(b"no archive")
    with pytest.raises(
        InputError, match=rf"people\.csv\.{ending}: (cannot be read|not a table as) "
    ):
        prepare(raw, card, name="people")


def test_missing_values_of_a_column_that_is_not_used_are_explained(run):
    with pytest.raises(InputError, match="ctiy"):
        run(missing={"ctiy": "drop"})


# The published data sets


@pytest.fixture
def published(root, dataset_schema, mirror, tmp_path):
    """A function that fetches a published data set from the mirror and prepares it."""

    def fetch_and_prepare(name):
        card = read_card(root / "config" / "datasets" / f"{name}.yaml", dataset_schema)
        entry = {**card["files"][0], "urls": []}
        raw = tmp_path / entry["name"]
        fetch(entry, raw, dataset=name, mirrors=[mirror])
        return *prepare(raw, card, name=name), raw

    return fetch_and_prepare


def test_compas_has_the_counts_of_its_raw_file(published):
    frame, about, raw = published("compas")
    with raw.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert len(rows) == 7214
    levels = ("age_cat", "c_charge_degree", "c_charge_desc")
    assert about["counts"] == {
        "rows": len(rows),
        "label": sum(row["two_year_recid"] == "0" for row in rows),
        # two attributes, five numbers, and the levels of three columns
        "features": 7 + sum(len({row[column] for row in rows}) for column in levels),
        "sensitive.sex": sum(row["sex"] == "Male" for row in rows),
        "sensitive.race": sum(row["race"] == "Caucasian" for row in rows),
    }
    assert about["counts"]["label"] == 3963
    assert frame["c_charge_desc"].isna().sum() == 29
    assert frame.drop(columns="c_charge_desc").notna().all(axis=None)
    assert list(frame["age"]) == [float(row["age"]) for row in rows]
    assert list(frame["priors_count"]) == [float(row["priors_count"]) for row in rows]


def test_german_has_the_counts_of_its_raw_file(published):
    frame, about, raw = published("german")
    rows = [line.split() for line in raw.read_text(encoding="utf-8").splitlines()]
    levels = (0, 2, 3, 5, 6, 9, 11, 13, 14, 16, 18, 19)
    assert about["counts"] == {
        "rows": 1000,
        "label": sum(row[20] == "1" for row in rows),
        # two attributes, six numbers, and the levels of twelve columns
        "features": 8 + sum(len({row[column] for row in rows}) for column in levels),
        "sensitive.age": sum(int(row[12]) > 25 for row in rows),
        "sensitive.sex": sum(row[8] in {"A91", "A93", "A94"} for row in rows),
    }
    assert about["counts"]["label"] == 700
    assert list(frame["credit_amount"]) == [float(row[4]) for row in rows]
    assert list(frame["foreign_worker"]) == [row[19] for row in rows]
    assert len(about["features"]) == 20


def test_nobody_is_named_in_the_prepared_compas(published):
    frame, about, raw = published("compas")
    personal = ["name", "first", "last", "dob"]
    with raw.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    names = {row[column].strip().lower() for row in rows for column in personal} - {""}
    assert len(names) > 7000
    assert not set(personal) & set(frame.columns)
    assert not {"id", "c_case_number", "r_case_number"} & set(frame.columns)
    for column in frame.columns:
        values = {str(value).strip().lower() for value in frame[column].dropna().unique()}
        assert not values & names, column
    assert not names & {str(value).lower() for value in about["features"]}
