"""Law School, Communities and Crime, and Insurance, from the mirror."""

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fairpairs.datasets.card import read_card
from fairpairs.datasets.prepare import prepare

CARDS = Path(__file__).parents[2] / "config/datasets"


@pytest.fixture
def shipped(mirror, dataset_schema):
    def prepared(name, file):
        if not (mirror / file).is_file():
            pytest.skip(f"the mirror lacks {file}")
        card = read_card(CARDS / f"{name}.yaml", dataset_schema)
        return *prepare(mirror / file, card, name=name), mirror / file

    return prepared


def rows_of(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.reader(file))


def test_law_school(shipped):
    frame, about, raw = shipped("law_school", "lawschool/lawschool.csv")
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
    frame, about, raw = shipped("communities", "communities/communities.data")
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
    frame, about, raw = shipped("insurance", "insurance/insurance.csv")
    names, *rows = rows_of(raw)
    assert len(frame) == len(rows) == about["counts"]["rows"] == 1338
    assert frame["sensitive_sex"].sum() == 676
    assert_array_equal(frame["sensitive_sex"], [int(row[1] == "male") for row in rows])
    assert_array_equal(frame["label"], [float(row[names.index("charges")]) for row in rows])
    assert about["features"]["smoker"] == "categorical"
