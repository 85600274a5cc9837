"""The keys of cards that the ranking data sets need, and these data sets themselves."""

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
    with pytest.raises(InputError, match="one label only, 0"):
        run(**within(1))


def test_the_number_of_features_must_be_that_of_the_card(run):
    run(counts={"features": 3})
    with pytest.raises(InputError, match="counted 3 for `features` where the card says 402"):
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
        ({"keep": ["sensitive_sex"]}, "`keep` names `sensitive_sex`, which .* has already"),
        ({"missing": {"score": "drop"}}, "`missing` names the column `score`"),
    ],
)
def test_a_card_that_contradicts_itself_is_refused(checked, changes, words):
    with pytest.raises(InputError, match=words):
        checked(**changes)


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
