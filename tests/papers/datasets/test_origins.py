"""Tables of OpenML; no test of these asks the internet.

The answers of OpenML are those that scikit-learn keeps for its own tests.
"""

import gzip
import io
import re
from pathlib import Path
from urllib.error import HTTPError, URLError

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
    table = publication(40945)["table"]
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
