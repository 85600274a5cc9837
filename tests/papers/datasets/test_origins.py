"""Tables of OpenML and of fairml-datasets; no test of these asks the internet.

The answers of OpenML are those that scikit-learn keeps for its own tests.
"""

import gzip
import io
import re
import sys
import types
from pathlib import Path
from urllib.error import HTTPError, URLError

import pandas as pd
import pytest
import sklearn.datasets
import yaml

import fairpairs as fp
from fairpairs import InputError
from fairpairs.papers.datasets.card import read_card
from fairpairs.papers.datasets.fetch import fetch
from fairpairs.papers.datasets.origins import publication
from fairpairs.papers.datasets.prepare import prepare

ANSWERS = Path(sklearn.datasets.__file__).parent / "tests/data/openml"
#: What an address asks for → how the file of the answer is called.
PARTS = {"/features/": "jdf", "/qualities/": "jdq", "/download/": "dl"}
TITANIC = {"label": "survived", "positive": "1", "sensitive_features": "sex"}
NO_NETWORK = URLError("no network")


class Answer(io.BytesIO):
    def info(self):
        return {}


@pytest.fixture
def openml(monkeypatch):
    """Answers in place of openml.org; a function that sets what it does instead."""
    fault = []

    def opened(request):
        if fault:
            raise fault[0]
        part = next((part for text, part in PARTS.items() if text in request.full_url), "jd")
        number = re.search(r"/(\d+)(/[^/]*)?$", request.full_url)[1]
        found = [*ANSWERS.glob(f"id_*/*-{part}-{number}.*")]
        if not found:
            raise HTTPError(request.full_url, 412, "no such data set", {}, io.BytesIO())
        return Answer(gzip.decompress(found[0].read_bytes()))

    monkeypatch.setattr("sklearn.datasets._openml.urlopen", opened)
    monkeypatch.setattr("sklearn.datasets._openml.time.sleep", lambda seconds: None)
    return fault.append


class Stub:
    """A data set of fairml-datasets."""

    info = pd.Series({"dataset_name": "Grades", "main_url": "https://example.org", "license": None})
    sensitive_columns = ("sex",)
    good = ">=10"

    def load(self, **options):
        assert options == {"stage": "prepared", "cache_at": "downloaded", "check_cache": False}
        print("Downloading …")
        Path("cache").mkdir()
        return pd.DataFrame(
            {"hours": [1.5, 2, 9], "leak": 1, "sex": list("fmm"), "grade": [8, 10, 12]}
        )

    def get_target_lvl_good_value(self):
        return self.good

    def get_target_column(self):
        return "grade"

    def get_feature_columns(self, df):
        return {"hours"}

    def citation(self):
        return None


@pytest.fixture
def fairml(monkeypatch):
    """A package in place of fairml-datasets."""

    class Datasets(dict):
        def __init__(self, include_large_datasets):
            super().__init__(grades=Stub())

        def get_ids(self):
            return list(self)

    monkeypatch.setitem(sys.modules, "fairml_datasets", types.SimpleNamespace(Datasets=Datasets))


def test_a_data_set_of_openml_becomes_a_card_that_fetches_the_same_bytes(
    openml, tmp_path, dataset_schema
):
    out = tmp_path / "config/datasets/titanic.yaml"
    text = fp.card(openml=40945, **TITANIC, out=out)
    assert "titanic: 1,043 rows, 7 features\nlabel: 1 425," in text
    assert "`body` is left out: 91% of its values are missing" in out.read_text("utf-8")
    card = read_card(out, dataset_schema)
    (entry,) = card["files"]
    assert entry["openml"] == 40945 and entry["name"] == "openml_40945.csv" and "urls" not in entry
    assert card["homepage"] == "https://www.openml.org/d/40945" and card["licence"] == "Public"
    kept = out.with_suffix("") / entry["name"]
    target = tmp_path / "raw.csv"
    assert fetch(entry, target, dataset="titanic", mirrors=[]) == "OpenML 40945"
    assert target.read_bytes() == kept.read_bytes()
    with pytest.raises(InputError, match="draft the card again"):
        fetch({**entry, "openml": 42585}, target, dataset="titanic", mirrors=[])
    openml(NO_NETWORK)
    assert fetch(entry, target, dataset="titanic", mirrors=[out.parent]) == str(kept)
    _, about = prepare(kept, card, name="titanic")
    assert about["sensitive"]["sex"] == {"one": "male", "zero": "female"}


def test_the_label_of_openml_is_the_default(openml):
    with pytest.raises(InputError, match="OpenML 40945: which value of `survived` is 1"):
        fp.card(openml=40945, sensitive_features="sex")
    card = yaml.safe_load(fp.card(openml=40945, sensitive_features="sex", positive=1))
    assert card["label"]["column"] == "survived"
    table = publication({"openml": 40945}).table
    assert table["age"].isna().any() and table["survived"].isin(["0", "1"]).all()


@pytest.mark.parametrize(
    ("fault", "number", "words"),
    [
        (NO_NETWORK, 31, "OpenML 31: no connection to openml.org"),
        (TimeoutError(), 31, "OpenML 31: no connection to openml.org"),
        (None, 999_999, "OpenML has no data set 999999: correct the id"),
        (None, 292, r"OpenML 292: openml\.org gives no table that can be read \(Sparse ARFF"),
        (HTTPError("u", 500, "down", {}, io.BytesIO()), 31, r"openml\.org answers 500 \(down\)"),
    ],
)
def test_a_table_of_openml_that_cannot_be_had_is_explained(openml, tmp_path, fault, number, words):
    if fault is not None:
        openml(fault)
    with pytest.raises(InputError, match=words) as error:
        fp.card(openml=number, sensitive_features="sex")
    assert "\n" not in str(error.value)
    entry = {"name": "a.csv", "bytes": 1, "sha256": "0" * 64, "openml": number}
    with pytest.raises(InputError, match=words):
        fetch(entry, tmp_path / "a.csv", dataset="a", mirrors=[])
    assert not list(tmp_path.iterdir())


def test_a_data_set_of_fairml_brings_its_label_groups_and_features(
    fairml, tmp_path, dataset_schema, capsys
):
    out = tmp_path / "grades.yaml"
    assert "label: grade ≥ 10 2, grade < 10 1" in fp.card(fairml="grades", out=out)
    card = read_card(out, dataset_schema)
    assert card["features"] == {"hours": "numeric", "sex": "sensitive"}
    assert "`leak` is left out: it was not named among" in out.read_text("utf-8")
    assert card["licence"] == "fairml-datasets names none."
    (entry,) = card["files"]
    target = tmp_path / "raw.csv"
    assert fetch(entry, target, dataset="grades", mirrors=[]) == "fairml-datasets grades"
    assert target.read_text() == "hours,leak,sex,grade\n1.5,1,f,8\n2,1,m,10\n9,1,m,12\n"
    assert not Path("cache").exists() and capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("good", "given", "label"),
    [
        (">8", {}, {"above": 8.0}),
        ("<=8", {}, {"at_most": 8.0, "names": {"one": "grade ≤ 8", "zero": "grade > 8"}}),
        ("<10", {}, {"below": 10.0}),
        ("10,12", {}, {"one": ["10", "12"], "zero": ["8"]}),
        (">=10", {"positive": 8}, {"one": ["8"], "zero": "others"}),
        (">=10", {"at_least": {"grade": 12}}, {"at_least": 12}),
        (">=10", {"numeric": True}, {"numeric": True}),
        ("10", {"label": "hours", "above": {"hours": 1.7}}, {"column": "hours", "above": 1.7}),
    ],
)
def test_what_is_given_comes_before_what_fairml_says(fairml, monkeypatch, good, given, label):
    monkeypatch.setattr(Stub, "good", good)
    card = yaml.safe_load(fp.card(fairml="grades", **given))
    assert card["label"] | label == card["label"]


def test_a_name_that_fairml_lacks_a_fault_of_it_and_its_absence_are_explained(fairml, monkeypatch):
    with pytest.raises(InputError, match=r"has no data set `grade` \(did you mean `grades`\?\)"):
        fp.card(fairml="grade")

    def fails(self, **options):
        raise FileNotFoundError("no file psam_p01.csv")

    monkeypatch.setattr(Stub, "load", fails)
    with pytest.raises(InputError, match=r"grades: it could not be downloaded \(no file psam_p01"):
        fp.card(fairml="grades")
    monkeypatch.setitem(sys.modules, "fairml_datasets", None)
    with pytest.raises(InputError, match=r"cannot be imported .*: run `pip install fair"):
        fp.card(fairml="grades")
