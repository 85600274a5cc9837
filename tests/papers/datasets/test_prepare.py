import copy

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from fairpairs import InputError
from fairpairs.papers.datasets.prepare import prepare
from fairpairs.papers.datasets.prepared import PreparedDataset
from tests.papers.datasets.raw_files import PEOPLE, with_value

SEX = {"column": "gender", "one": ["m"], "zero": "others", "names": {"one": "", "zero": ""}}


def test_features_labels_and_attributes_are_coded(prepare_people):
    frame, about = prepare_people()
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
    assert about["label"] == {"one": "Good", "zero": "Bad"}
    assert about["sensitive"] == {"sex": {"one": "Men", "zero": "Women"}}
    assert about["raw_sha256"] == {"people.csv": "0" * 64}


def test_missing_values_become_a_level_or_drop_their_row(prepare_people, caplog):
    caplog.set_level("INFO")
    text = PEOPLE.replace("Birk", "").replace("50,", ",")
    frame, about = prepare_people(text, missing={"city": "level", "age": "drop"})
    (record,) = caplog.records
    assert record.getMessage().endswith(" rows, with a missing value of age")
    assert f": dropped {len(text.splitlines()) - 1 - len(frame)} of " in record.getMessage()
    assert_array_equal(frame["age"], [30, 40.5, 25])
    assert_array_equal(frame["city"].isna(), [False, True, False])
    assert about["counts"]["rows"] == 3


def test_only_rows_that_are_to_be_kept_are_kept(prepare_people):
    rule = {"column": "year", "values": [2021, 2022], "because": "The others differ."}
    frame, about = prepare_people(keep_rows=[rule])
    assert_array_equal(frame["item"], [1, 2, 3])
    assert_array_equal(frame["age"], [40.5, 25, 50])
    assert "year" not in frame
    # all three cities are left
    assert about["counts"] == {"rows": 3, "label": 1, "features": 5, "sensitive.sex": 1}


def test_a_row_that_is_complained_of_is_counted_in_the_raw_file(prepare_people):
    rule = {"column": "year", "values": [2021, 2022], "because": "The others differ."}
    with pytest.raises(InputError, match="holds 'Cole' in row 4 below the header"):
        prepare_people(
            keep_rows=[rule],
            sensitive={"sex": {"column": "city", "one": ["Ash"], "zero": ["Birk"], "names": {}}},
        )


@pytest.mark.parametrize("role", ["label", "attribute"])
def test_rows_without_a_value_of_a_column_coded_by_numbers_can_be_dropped(
    prepare_people, card, role
):
    text = "age,city,gender,outcome\n1,Ash,1,1\n2,Ash,2,0\n3,Ash,2,1\n4,Ash,1,0\n"
    card["label"].update(one=[1], zero=[0])
    card["sensitive"]["sex"].update(one=[1], zero=[2])
    complete, _ = prepare_people(text)
    assert_array_equal(complete["label"], [1, 0, 1, 0])
    if role == "label":
        frame, _ = prepare_people(text + "5,Ash,1,\n", missing={"outcome": "drop"})
    else:
        frame, _ = prepare_people(text + "5,Ash,,1\n", missing={"gender": "drop"})
    pd.testing.assert_frame_equal(frame, complete)


@pytest.mark.parametrize(
    ("text", "changes", "message"),
    [
        (with_value(2, "outcome", ""), {},
         r"column `outcome` has 1 missing value\(s\), the first in row 2 below the header: write "
         r"`missing: \{outcome: drop\}` in the card to drop 1 of 4 rows, or fill the cells\."),
        (with_value(1, "age", ""),
         {"sensitive": {"sex": {"column": "age", "above": 25, "names": {}}}},
         r"column `age` has 1 missing value\(s\), the first in row 1"),
        (with_value(3, "city", ""), {},
         r"column `city` has 1 missing value\(s\), the first in row 3 below the header: write "
         r"`missing: \{city: drop\}` in the card to drop 1 of 4 rows, `city: level` to keep them "
         r"as a level, remove the feature from the card, or fill the cells\."),
        (with_value(3, "city", "").replace("25,,f", "25,,").replace("Ann", "").replace("30,", ","),
         {},
         r"column `age` has 1 missing value\(s\), the first in row 1 below the header; column "
         r"`city` has 1 missing value\(s\), the first in row 3 below the header; column `gender` "
         r"has 1 .*`missing: \{age: drop, city: drop, gender: drop\}` in the card to drop 2 of 4 "
         r"rows, `city: level` to"),
        (with_value(3, "city", ""),
         {"missing": {"city": "level"},
          "sensitive": {"sex": {**SEX, "column": "city", "one": ["Ash"]}}},
         r"column `city` has 1 missing value\(s\), .* to drop 1 of 4 rows, or fill the cells\."),
        (PEOPLE, {"counts": {"features": 402}}, "counted 5 for `features`, and .* expects 402"),
        (PEOPLE, {"counts": {"sensitive": {"sex": 1}}},
         "counted 2 for `sensitive.sex`, and the card expects 1"),
        (PEOPLE.splitlines()[0] + "\n", {}, "no rows are left"),
        ("", {"read": {"column_names": ["age", "city", "gender", "outcome"]}}, "no rows are left"),
        ("30,Ash,m\n", {"read": {"column_names": ["age", "city", "gender", "outcome"]}},
         r"column `outcome` has 1 missing value\(s\), the first in row 1: write"),
        (PEOPLE, {"keep_rows": [{"column": "year", "values": [1999], "because": ""}]},
         "column `year` never holds '1999', which `keep_rows` of the card lists"),
    ],
)  # fmt: skip
def test_rows_and_counts_that_are_wrong_are_explained(prepare_people, text, changes, message):
    with pytest.raises(InputError, match=f"people.csv: .*{message}"):
        prepare_people(text, **changes)


def test_rows_are_kept_by_a_range_that_has_both_its_ends(prepare_events):
    frame, _ = prepare_events(keep_rows=[{"column": "score", "from": -30, "to": 30, "because": ""}])
    assert_array_equal(frame["item"], [1, 2, 3])
    assert "score" not in frame


def test_a_missing_value_in_a_range_drops_its_row_or_is_complained_of(prepare_events, events):
    text = events.replace("9000,0", "9000,")
    rule = {"column": "score", "from": -100, "to": 100, "because": ""}
    frame, _ = prepare_events(text, keep_rows=[rule], missing={"score": "drop"})
    assert_array_equal(frame["item"], [0, 1, 3, 4])
    with pytest.raises(InputError, match="column `score` has 1 missing value"):
        prepare_events(text, keep_rows=[rule])


def test_a_range_of_words_is_complained_of(prepare_events):
    rule = {"column": "race", "from": 0, "to": 1, "because": ""}
    with pytest.raises(InputError, match="column `race` is numeric on the card but holds 'x'"):
        prepare_events(keep_rows=[rule])


def test_a_range_and_values_must_both_be_met(prepare_events):
    rules = [
        {"column": "score", "from": -30.5, "to": 31, "because": ""},
        {"column": "event", "values": [1], "because": ""},
    ]
    label = {"column": "race", "one": ["x"], "zero": ["y"], "names": {}}
    frame, _ = prepare_events(keep_rows=rules, label=label)
    assert_array_equal(frame["item"], [1, 3])


def test_an_interaction_is_the_product_of_the_attributes(prepare_events):
    counts = {"features": 4}
    frame, about = prepare_events(interactions={"man_of_x": ["sex", "race"]}, counts=counts)
    assert_array_equal(frame["man_of_x"], frame["sensitive_sex"] * frame["sensitive_race"])
    assert_array_equal(frame["man_of_x"], [1, 0, 0, 0, 1])
    assert about["features"]["man_of_x"] == "numeric"
    assert about["counts"]["features"] == 1 + 2 + 1  # age, two genders, the product


# Data sets of texts


TEXTS = (
    'key,words,more,points,part,a\nK-1,do this,now,1,train,x\nK-2,"do, that",later,3,test,y\n'
    "K-3,see,it,1,train,y\nK-4,ask,him,3,test,x\n"
)


XY = {"one": "X", "zero": "Y"}

TEXTS_CARD = {
    "title": "Items", "citation": "", "licence": "", "files": [],
    "features": {"words": "text", "more": "text"},
    "label": {"column": "points", "numeric": True},
    "sensitive": {"a": {"column": "a", "one": ["x"], "zero": ["y"], "names": XY}},
    "split": {"column": "part", "test": ["test"]},
    "keep": ["key", "words"],  # a feature may be kept too
}  # fmt: skip


def prepared(tmp_path, raw=TEXTS, **changes):
    path = tmp_path / "items.csv"
    path.write_text(raw, "utf-8")
    frame, about = prepare(path, {**copy.deepcopy(TEXTS_CARD), **changes}, name="items")
    return PreparedDataset("items", frame, about["features"], ("a",)), about


def test_texts_labels_split_and_kept_columns(tmp_path):
    dataset, about = prepared(tmp_path)
    assert dataset.texts == ["do this\nnow", "do, that\nlater", "see\nit", "ask\nhim"]
    assert not dataset.is_binary
    np.testing.assert_array_equal(dataset.label, [1.0, 3.0, 1.0, 3.0])
    assert list(dataset.frame["test"]) == [False, True, False, True]
    assert list(dataset.frame["key"]) == ["K-1", "K-2", "K-3", "K-4"]
    assert about["counts"] == {"rows": 4, "test": 2, "sensitive.a": 2}
    assert about["label"] == {"name": "points", "values": {"1": 2, "3": 2}}


@pytest.mark.parametrize(
    ("raw", "changes", "message"),
    [
        (TEXTS.replace("do this", " "), {},
         "column `words` has 1 missing value|empty text in row 1"),
        (TEXTS.replace(",1,train", ",many,train"), {},
         "`points` is numeric .* holds 'many' in row 1"),
        (TEXTS.replace(",x\n", ",y\n"), {}, "only one group"),
        (TEXTS, {"keep": ["nokey"]}, "there is no column `nokey`"),
    ],
)  # fmt: skip
def test_bad_input_is_explained(tmp_path, raw, changes, message):
    with pytest.raises(InputError, match=message):
        prepared(tmp_path, raw, **changes)
