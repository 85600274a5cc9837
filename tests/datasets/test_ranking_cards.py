"""The keys of cards that the ranking data sets need, and these data sets themselves."""

import csv

import numpy as np
import pytest
import yaml
from numpy.testing import assert_array_equal

from fairpairs import InputError, files
from fairpairs.datasets.card import read_card
from fairpairs.datasets.prepare import prepare

PEOPLE = """\
age,gender,race,event,days,score
30,m,x,1,100,-31
40,f,x,1,9000,-30
25,f,y,0,9000,0
50,m,y,1,3652,30
60,m,x,0,20,31
"""


@pytest.fixture
def run(tmp_path, card):
    """A function that prepares PEOPLE by the card, with changes."""

    def prepared(text=PEOPLE, **changes):
        raw = tmp_path / "people.csv"
        raw.write_text(text, "utf-8")
        card["features"] = {"age": "numeric", "gender": "categorical"}
        card["label"] = {"column": "event", "one": [1], "zero": [0], "names": {}}
        card["sensitive"]["race"] = {"column": "race", "one": ["x"], "zero": ["y"], "names": {}}
        return prepare(raw, {**card, **changes}, name="people")

    return prepared


@pytest.fixture
def checked(tmp_path, card, dataset_schema):
    """A function that reads the card with changes."""

    def read(**changes):
        path = tmp_path / "people.yaml"
        files.write_text(path, yaml.safe_dump({**card, **changes}))
        return read_card(path, dataset_schema)

    return read


def within(at_most):
    label = {"column": "event", "one": [1], "zero": [0], "names": {}}
    return {"label": {**label, "within": {"column": "days", "at_most": at_most}}}


def test_rows_are_kept_by_a_range_that_has_both_its_ends(run):
    frame, _ = run(keep_rows=[{"column": "score", "from": -30, "to": 30, "because": ""}])
    assert_array_equal(frame["item"], [1, 2, 3])
    assert "score" not in frame


def test_a_missing_value_in_a_range_drops_its_row_or_is_complained_of(run):
    text = PEOPLE.replace("9000,0", "9000,")
    rule = {"column": "score", "from": -100, "to": 100, "because": ""}
    frame, _ = run(text, keep_rows=[rule], missing={"score": "drop"})
    assert_array_equal(frame["item"], [0, 1, 3, 4])
    with pytest.raises(InputError, match="column `score` has 1 missing value"):
        run(text, keep_rows=[rule])


def test_a_range_of_words_is_complained_of(run):
    rule = {"column": "race", "from": 0, "to": 1, "because": ""}
    with pytest.raises(InputError, match="column `race` is numeric on the card but holds 'x'"):
        run(keep_rows=[rule])


def test_an_interaction_is_the_product_of_the_attributes(run):
    frame, about = run(interactions={"man_of_x": ["sex", "race"]})
    assert_array_equal(frame["man_of_x"], frame["sensitive_sex"] * frame["sensitive_race"])
    assert_array_equal(frame["man_of_x"], [1, 0, 0, 0, 1])
    assert about["features"]["man_of_x"] == "numeric"
    assert about["counts"]["features"] == 1 + 2 + 1  # age, two genders, the product


def test_an_event_counts_within_its_time_only(run):
    frame, about = run(**within(3652))
    assert_array_equal(frame["label"], [1, 0, 0, 1, 0])
    assert about["counts"]["label"] == 2
    with pytest.raises(InputError, match="only one label, 0"):
        run(**within(1))


def test_the_number_of_features_must_be_that_of_the_card(run):
    run(counts={"features": 3})
    with pytest.raises(InputError, match="counted 3 for `features`, and the card expects 402"):
        run(counts={"features": 402})


def test_a_warning_goes_with_the_data(run):
    assert run(warning=" Do not believe it.\n")[1]["warning"] == "Do not believe it."
    assert run()[1]["warning"] == ""


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"interactions": {"both": ["sex", "rac"]}}, "multiplies `rac`, .* name one of sex"),
        ({"interactions": {"age": ["sex", "sex2"]}}, "a feature `age`, which there is already"),
        ({"interactions": {"both": ["sex"]}}, "interactions.both"),
        ({"keep_rows": [{"column": "age", "because": ""}]}, "keep_rows"),
        ({"keep_rows": [{"column": "age", "from": 1, "because": ""}]}, "keep_rows"),
        ({"keep_rows": [{"column": "age", "values": [1], "to": 2, "because": ""}]}, "keep_rows"),
        (
            {"keep_rows": [{"column": "age", "from": 2, "to": 1, "because": ""}]},
            "keeps nothing of `age`, from 2 to 1: exchange the two",
        ),
        ({"keep_rows": [{"column": "age", "from": "1", "to": 2, "because": ""}]}, "not of type"),
        ({"missing": {"score": "drop"}}, "`missing` names the column `score`"),
        ({"interactions": {}}, "`interactions`: .* non-empty"),
        ({"interactions": {"both": ["sex", "sex"]}}, "interactions.both.* non-unique"),
        ({"interactions": {"label": ["sex", "sex2"]}}, "a feature `label`, which there is"),
        ({"interactions": {"sensitive_x": ["sex", "sex2"]}}, "a feature `sensitive_x`, which"),
        (
            {
                "label": {
                    "column": "outcome",
                    "one": ["good"],
                    "zero": ["bad"],
                    "within": {"column": "age", "at_most": 3},
                    "names": {"one": "Good", "zero": "Bad"},
                }
            },
            "makes the label of `age`, which is a feature too",
        ),
        ({"keep": ["sensitive_sex"]}, "`keep` names `sensitive_sex`, which .* has already"),
        ({"keep": ["decision_x"]}, "`keep` names `decision_x`, which .* has already"),
        ({"keep": ["label"]}, "`keep` names `label`, which the prepared data set has already"),
        ({"warning": 5}, "key `warning`: 5 is not of type 'string'"),
        ({"counts": {"features": "7"}}, r"key `counts\.features`"),
        (
            {"features": {"essay": "text"}, "counts": {"features": 7}},
            "`counts.features` goes with no `text` feature",
        ),
    ],
)
def test_a_card_that_contradicts_itself_is_refused(checked, changes, words):
    with pytest.raises(InputError, match=words):
        checked(**changes)


def test_a_column_that_is_kept_may_not_hide_an_interaction(checked, card):
    sensitive = {**card["sensitive"], "race": {**card["sensitive"]["sex"], "column": "race"}}
    changes = {"sensitive": sensitive, "interactions": {"both": ["sex", "race"]}}
    assert checked(**changes)["interactions"] == {"both": ["sex", "race"]}
    with pytest.raises(InputError, match="`keep` names `both`, which the prepared data set has"):
        checked(**changes, keep=["both"])


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ({"within": {"column": "days"}}, r"`label\.within`: `at_most` is missing"),
        ({"within": {"at_most": 9}}, r"`label\.within`: `column` is missing"),
        ({"within": {"column": "days", "at_most": "9"}}, r"`label\.within\.at_most`"),
        ({"within": {"column": "days", "at_least": 9}}, r"unknown key `label\.within\.at_least`"),
    ],
)
def test_a_time_to_the_event_has_a_column_and_an_end(checked, card, label, words):
    with pytest.raises(InputError, match=words):
        checked(label={**card["label"], **label})


def test_a_label_that_is_a_number_has_no_time_to_the_event(checked):
    label = {"column": "score", "numeric": True, "within": {"column": "days", "at_most": 9}}
    with pytest.raises(InputError, match="key `label`: 'within' is not one of `column`, `numeric`"):
        checked(label=label)


def test_a_missing_time_to_the_event_drops_its_row_or_is_complained_of(run, checked):
    text = PEOPLE.replace(",20,", ",,")
    frame, _ = run(text, **within(3652), missing={"days": "drop"})
    assert_array_equal(frame["label"], [1, 0, 0, 1])
    with pytest.raises(InputError, match=r"column `days` has 1 missing value.* in row 5"):
        run(text, **within(3652))
    with pytest.raises(InputError, match="there is no column `weeks`"):
        run(label={**within(9)["label"], "within": {"column": "weeks", "at_most": 9}})


def test_an_empty_range_leaves_no_row(run):
    with pytest.raises(InputError, match="no rows are left: check `keep_rows`"):
        run(keep_rows=[{"column": "score", "from": 1, "to": -1, "because": ""}])


def test_a_range_and_values_must_both_be_met(run):
    rules = [
        {"column": "score", "from": -30.5, "to": 31, "because": ""},
        {"column": "event", "values": [1], "because": ""},
    ]
    label = {"column": "race", "one": ["x"], "zero": ["y"], "names": {}}
    frame, _ = run(keep_rows=rules, label=label)
    assert_array_equal(frame["item"], [1, 3])


def raw_rows(path, header, separator=","):
    with path.open(encoding="utf-8", newline="") as handle:
        rows = csv.reader(handle, delimiter=separator, skipinitialspace=True)
        names = next(rows) if header is None else header
        return [dict(zip(names, row, strict=True)) for row in rows if row]


def counted_plainly(name, path, columns):
    """Return the rows that are kept, and the counts of the card, from the raw file alone."""
    rows = raw_rows(path, columns, " " if name.startswith("german") else ",")
    if name == "compas_filtered":
        rows = [
            row
            for row in rows
            if row["days_b_screening_arrest"]
            and abs(float(row["days_b_screening_arrest"])) <= 30
            and row["is_recid"] != "-1"
            and row["c_charge_degree"] != "O"
            and row["c_charge_desc"]
        ]
        return rows, {"sensitive.race": sum(row["race"] == "Caucasian" for row in rows)}
    if name == "adult":
        rows = [row for row in rows if "?" not in row.values()]
        return rows, {"label": sum(row["income"] == ">50K" for row in rows)}
    if name == "german_age_25":
        return rows, {"sensitive.age": sum(int(row["age"]) >= 25 for row in rows)}
    rows = [row for row in rows if row["scl"] and row["bmi"]]
    days = 3652 if name == "framingham_ten_years" else np.inf
    early = [row["chdfate"] == "1" and float(row["followup"]) <= days for row in rows]
    return rows, {"label": sum(early), "sensitive.sex": sum(row["sex"] == "2" for row in rows)}


@pytest.mark.parametrize(
    "name",
    [
        "adult",
        "compas_filtered",
        "framingham",
        "framingham_ten_years",
        "framingham_without_followup",
        "german_age_25",
    ],
)
def test_the_counts_are_those_of_the_raw_file(mirror, root, dataset_schema, name):
    card = read_card(root / "config/datasets" / f"{name}.yaml", dataset_schema)
    entry = card["files"][0]
    raw = mirror / entry.get("mirror", f"{name}/{entry['name']}")
    rows, counts = counted_plainly(name, raw, card.get("read", {}).get("column_names"))
    frame, about = prepare(raw, card, name=name)
    assert about["counts"].items() >= {"rows": len(rows), **counts}.items()
    for column, kind in about["features"].items():
        if kind == "numeric" and column in card["features"]:
            assert_array_equal(frame[column], [float(row[column]) for row in rows])
    assert not {"name", "first", "last", "dob", "race", "id"} & set(frame.columns)


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("compas_filtered", {"rows": 6167, "features": 402, "sensitive.race": 2100}),
        ("german_age_25", {"rows": 1000, "features": 57, "sensitive.age": 851}),
        ("adult", {"rows": 30162, "features": 98, "label": 7508}),
        ("framingham", {"rows": 4658, "features": 7, "label": 1465}),
        ("framingham_without_followup", {"rows": 4658, "features": 6, "label": 1465}),
        ("framingham_ten_years", {"rows": 4658, "features": 6, "label": 394}),
    ],
)
def test_the_data_sets_of_the_paper_on_xauc_have_its_numbers(
    mirror, root, dataset_schema, name, counts
):
    card = read_card(root / "config/datasets" / f"{name}.yaml", dataset_schema)
    entry = card["files"][0]
    raw = mirror / entry.get("mirror", f"{name}/{entry['name']}")
    frame, about = prepare(raw, card, name=name)
    assert about["counts"].items() >= counts.items()
    assert len(frame) == counts["rows"]
    assert np.isin(frame["label"], [0, 1]).all()
    assert bool(about["warning"]) == name.startswith("framingham")
