"""The shipped cards of config/datasets against their raw files, from the mirror."""

import csv

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fairpairs.papers.datasets.card import read_card
from fairpairs.papers.datasets.integrity import check_sha256
from fairpairs.papers.datasets.prepare import prepare


@pytest.fixture
def shipped(mirror, root, dataset_schema):
    """A function that prepares a shipped data set: table, roles, raw file."""

    def prepared(name):
        card = read_card(root / f"config/datasets/{name}.yaml", dataset_schema)
        raw = mirror / card["files"][0].get("mirror", f"{name}/{card['files'][0]['name']}")
        if not raw.is_file():
            pytest.skip(f"the mirror lacks {raw.name}")
        check_sha256([raw], card)
        return *prepare(raw, card, name=name), raw

    return prepared


def records(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))  # of two columns of one name the last


def test_every_shipped_card_is_valid(root, dataset_schema):
    cards = sorted((root / "config/datasets").glob("*.yaml"))
    assert len(cards) > 10
    for path in cards:
        card = read_card(path, dataset_schema)
        if "counts" in card:
            assert set(card["counts"].get("sensitive", ())) <= set(card["sensitive"])


# Classification


@pytest.mark.parametrize(
    ("name", "rows", "favourable", "lacking"),
    [("compas", 7214, 3963, 29), ("compas_violent", 4743, 3968, 17)],
)
def test_compas_has_the_counts_of_its_raw_file(shipped, name, rows, favourable, lacking):
    frame, about, raw = shipped(name)
    raw_rows = records(raw)
    levels = ("age_cat", "c_charge_degree", "c_charge_desc")
    assert about["counts"] == {
        "rows": len(raw_rows),
        "label": favourable,
        # two attributes, five numbers, and the levels of three columns
        "features": 7 + sum(len({row[column] for row in raw_rows}) for column in levels),
        "sensitive.sex": sum(row["sex"] == "Male" for row in raw_rows),
        "sensitive.race": sum(row["race"] == "Caucasian" for row in raw_rows),
    }
    assert len(raw_rows) == rows
    assert_array_equal(frame["label"], [row["two_year_recid"] == "0" for row in raw_rows])
    assert frame["c_charge_desc"].isna().sum() == lacking
    assert frame.drop(columns="c_charge_desc").notna().all(axis=None)
    for column in ("age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"):
        assert_array_equal(frame[column], [float(row[column]) for row in raw_rows])


def test_german_has_the_counts_of_its_raw_file(shipped):
    frame, about, raw = shipped("german")
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


def test_nobody_is_named_in_the_prepared_compas(shipped):
    frame, about, raw = shipped("compas")
    personal = ["name", "first", "last", "dob"]
    rows = records(raw)
    names = {row[column].strip().lower() for row in rows for column in personal} - {""}
    assert len(names) > 7000
    assert not set(personal) & set(frame.columns)
    assert not {"id", "c_case_number", "r_case_number"} & set(frame.columns)
    for column in frame.columns:
        values = {str(value).strip().lower() for value in frame[column].dropna().unique()}
        assert not values & names, column
    assert not names & {str(value).lower() for value in about["features"]}


def test_law_school_bar(shipped):
    frame, about, raw = shipped("law_school_bar")
    rows = records(raw)
    assert len(frame) == len(rows) == 20_798
    assert_array_equal(frame["label"], [row["pass_bar"] == "1.0" for row in rows])
    assert_array_equal(frame["sensitive_male"], [row["male"] == "1.0" for row in rows])
    assert_array_equal(frame["sensitive_race"], [row["race"] == "White" for row in rows])
    for column in ("decile1b", "decile3", "lsat", "ugpa", "zfygpa", "zgpa", "fam_inc"):
        assert_array_equal(frame[column], [float(row[column]) for row in rows])
    assert frame["tier"].nunique() == 6
    assert about["counts"]["label"] == 18_505


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "label", "groups"),
    [
        ("heart", ("y", lambda y: y == "0"), {"age": ("age", lambda age: int(age) > 60)}),
        ("credit_default", ("default payment next month", lambda late: late == "0"),
         {"sex": ("SEX", lambda sex: sex != "2"), "age": ("AGE", lambda age: int(age) > 25)}),
        ("student_mathematics", ("G3", lambda grade: int(grade) >= 10),
         {"sex": ("sex", lambda sex: sex == "M")}),
        ("student_portuguese", ("G3", lambda grade: int(grade) >= 10),
         {"sex": ("sex", lambda sex: sex == "M")}),
        ("bank", ("target", lambda yes: yes == "yes"), {"age": ("age", lambda age: int(age) > 25)}),
    ],
)  # fmt: skip
def test_every_column_of_the_data_of_fairbalance_is_coded(shipped, name, label, groups):
    frame, about, raw = shipped(name)
    rows = raw_rows(raw, None, ";" if name.startswith("student") else ",")
    coded = {"label": label, **{f"sensitive_{group}": rule for group, rule in groups.items()}}
    for column, (raw_column, is_one) in coded.items():
        assert_array_equal(frame[column], [is_one(row[raw_column]) for row in rows])
    # every other column is a feature, and the code of an attribute replaces its column
    replaced = {column for column, _ in coded.values()}
    features = set(rows[0]) - replaced
    assert set(about["features"]) == features | {f"sensitive_{group}" for group in groups}
    for column in features:
        is_number = about["features"][column] == "numeric"
        values = [float(row[column]) if is_number else row[column] for row in rows]
        assert list(frame[column].fillna("")) == values
        assert is_number == all(row[column].lstrip("-")[:1].isdigit() for row in rows)


# Ranking


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("compas_filtered", {"rows": 6167, "features": 402, "sensitive.race": 2100}),
        ("german_age_25", {"rows": 1000, "features": 57, "sensitive.age": 851}),
        ("adult", {"rows": 30162, "features": 98, "label": 7508}),
        ("framingham", {"rows": 4658, "features": 7, "label": 1465}),
        ("framingham_without_followup", {"rows": 4658, "features": 6, "label": 1465}),
        ("framingham_ten_years", {"rows": 4658, "features": 6, "label": 394}),
    ],
)
def test_the_counts_are_those_of_the_raw_file_and_of_the_paper_on_xauc(
    shipped, root, dataset_schema, name, printed
):
    card = read_card(root / "config/datasets" / f"{name}.yaml", dataset_schema)
    frame, about, raw = shipped(name)
    rows, counts = counted_plainly(name, raw, card.get("read", {}).get("column_names"))
    assert about["counts"].items() >= {"rows": len(rows), **counts, **printed}.items()
    assert len(frame) == len(rows)
    assert np.isin(frame["label"], [0, 1]).all()
    assert ("warning" in card) == name.startswith("framingham")
    for column, kind in about["features"].items():
        if kind == "numeric" and column in card["features"]:
            assert_array_equal(frame[column], [float(row[column]) for row in rows])
    assert not {"name", "first", "last", "dob", "race", "id"} & set(frame.columns)


# Regression


def rows_of(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.reader(file))


def test_law_school(shipped):
    frame, about, raw = shipped("law_school")
    names, *rows = rows_of(raw)
    card = {"cluster", "lsat", "ugpa", "zfygpa", "zgpa", "bar1", "fulltime", "fam_inc", "age",
            "gender", "race"}  # fmt: skip
    used = [names.index(name) for name in card]
    whole = [row for row in rows if all(row[i].strip() not in ("", "NA") for i in used)]
    assert len(frame) == about["counts"]["rows"] == len(whole) == 20_800
    assert_array_equal(frame["label"], [float(row[names.index("ugpa")]) for row in whole])
    white = [float(row[names.index("race")]) == 7 for row in whole]
    assert_array_equal(frame["sensitive_race"], np.array(white, int))
    male = [row[names.index("gender")] == "male" for row in whole]
    assert_array_equal(frame["sensitive_gender"], np.array(male, int))
    assert "ugpa" not in frame


def test_communities(shipped):
    frame, about, raw = shipped("communities")
    rows = rows_of(raw)
    assert len(frame) == len(rows) == about["counts"]["rows"] == 1994
    assert frame["sensitive_race"].sum() == 970
    assert_array_equal(frame["sensitive_race"], [int(float(row[7]) > 0.06) for row in rows])
    assert_array_equal(frame["label"], [float(row[-1]) for row in rows])
    complete = [i for i in range(5, 127) if all(row[i] != "?" for row in rows)]
    features = list(about["features"])
    # nothing of a place, no label, and one attribute may not be a feature as well
    assert len(complete) - len(features) in (0, 1)
    assert frame.notna().all().all()
    for i, name in zip([c for c in complete if len(complete) == len(features) or c != 7], features,
                       strict=True):  # fmt: skip
        assert_array_equal(frame[name], [float(row[i]) for row in rows])


def test_insurance(shipped):
    frame, about, raw = shipped("insurance")
    names, *rows = rows_of(raw)
    assert len(frame) == len(rows) == about["counts"]["rows"] == 1338
    assert frame["sensitive_sex"].sum() == 676
    assert_array_equal(frame["sensitive_sex"], [int(row[1] == "male") for row in rows])
    assert_array_equal(frame["label"], [float(row[names.index("charges")]) for row in rows])
    assert about["features"]["smoker"] == "categorical"


# Texts and images


def test_the_jira_items_are_those_of_the_project_without_repeats(mirror, root, dataset_schema):
    card = read_card(root / "config/datasets/jira.yaml", dataset_schema)
    raw = [mirror / entry.get("mirror", f"jira/{entry['name']}") for entry in card["files"]]
    check_sha256(raw, card)
    frame, about = prepare(raw[0], card, name="jira")
    assert about["counts"] == {"rows": 284, "test": 65, "sensitive.is_internal": 127}
    assert about["label"]["values"]["4"] == 6  # which Table VII leaves out
    project = pd.read_csv(raw[1])
    repeated = project["issuekey"].str.startswith("GHS-")
    assert (len(project), repeated.sum()) == (352, 68)
    assert list(frame["issuekey"]) == list(project.loc[~repeated, "issuekey"])
    internal = frame["title"].str.startswith("As ")
    np.testing.assert_array_equal(frame["sensitive_is_internal"], internal.astype(int))


def test_scut_fbp5500_is_that_of_its_raw_file(shipped, root, dataset_schema):
    card = read_card(root / "config/datasets/scut_fbp5500.yaml", dataset_schema)
    frame, about, raw = shipped("scut_fbp5500")
    rows = records(raw)
    assert about["counts"] == {
        "rows": len(rows),
        "sensitive.sex": sum(row["Filename"][1] == "M" for row in rows),
        "sensitive.race": sum(row["Filename"][0] == "A" for row in rows),
    }
    assert tuple(about["counts"].values()) == (5500, 2750, 4000)
    assert list(frame["Filename"]) == [row["Filename"] for row in rows]
    decisions = frame.filter(regex="^decision_")
    assert decisions.shape == (5500, 61)
    assert decisions.notna().all(axis=None)
    people = decisions.drop(columns="decision_Average")
    assert_array_equal(people, [[float(row[f"P{i}"]) for i in range(1, 61)] for row in rows])
    assert np.isin(people, [1, 2, 3, 4, 5]).all()
    assert_allclose(decisions["decision_Average"], people.mean(axis=1), rtol=1e-12)
    assert_allclose(frame["label"], people.mean(axis=1), rtol=1e-12)
    assert about["consensus"] == ["Average"]
    assert (people.shape[1], people.nunique().max()) == (60, 5)
    assert "can be only used for non-commercial research" in card["notice"]
