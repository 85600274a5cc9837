"""Data sets of no table of the papers: their cards against their raw files, from the mirror."""

import csv

import pytest
import yaml
from numpy.testing import assert_array_equal

from fairpairs.datasets.card import read_card
from fairpairs.datasets.prepare import prepare


@pytest.fixture
def prepared(mirror, root, dataset_schema):
    def make(name):
        card = read_card(root / f"config/datasets/{name}.yaml", dataset_schema)
        raw = mirror / card["files"][0].get("mirror", f"{name}/{card['files'][0]['name']}")
        if not raw.is_file():
            pytest.skip(f"the mirror lacks {raw.name}")
        with raw.open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))  # of two columns of one name the last
        return *prepare(raw, card, name=name), rows

    return make


def test_law_school_bar(prepared):
    frame, about, rows = prepared("law_school_bar")
    assert len(frame) == len(rows) == 20_798
    assert_array_equal(frame["label"], [row["pass_bar"] == "1.0" for row in rows])
    assert_array_equal(frame["sensitive_male"], [row["male"] == "1.0" for row in rows])
    assert_array_equal(frame["sensitive_race"], [row["race"] == "White" for row in rows])
    for column in ("decile1b", "decile3", "lsat", "ugpa", "zfygpa", "zgpa", "fam_inc"):
        assert_array_equal(frame[column], [float(row[column]) for row in rows])
    assert frame["tier"].nunique() == 6
    assert about["counts"]["label"] == 18_505


def test_compas_violent(prepared):
    frame, about, rows = prepared("compas_violent")
    assert len(frame) == len(rows) == 4743
    assert_array_equal(frame["label"], [row["two_year_recid"] == "0" for row in rows])
    assert_array_equal(frame["sensitive_sex"], [row["sex"] == "Male" for row in rows])
    assert_array_equal(frame["sensitive_race"], [row["race"] == "Caucasian" for row in rows])
    for column in ("age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"):
        assert_array_equal(frame[column], [float(row[column]) for row in rows])
    assert frame["c_charge_desc"].isna().sum() == 17
    assert about["counts"]["label"] == 3968
    assert not {"name", "first", "last", "dob", "race", "id"} & set(frame.columns)


def test_they_are_run_under_every_treatment_that_they_can_have(root):
    experiments = yaml.safe_load((root / "config/config.yaml").read_text("utf-8"))["experiments"]
    more = experiments["more_classification"]
    assert more["datasets"] == ["adult", "law_school_bar", "compas_violent"]
    assert set(more["treatments"]) == {"none", "fairbalance", "reweighing", "fair_reweighing"}
    assert experiments["more_regression"]["datasets"] == ["insurance", "communities"]
