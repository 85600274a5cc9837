"""`fp.card`: a data set from a table in memory, which is what `fp.experiment` takes."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import yaml

import fairpairs as fp
from fairpairs import InputError
from fairpairs.base.files import write_json, write_parquet
from fairpairs.papers.datasets.card import read_card
from fairpairs.papers.datasets.prepare import prepare
from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.experiments.experiment import OF_CLASSES, _arms
from fairpairs.papers.experiments.measures import measure_of, measure_predictions, together
from fairpairs.papers.experiments.train import train_repeats

SAID = {"label": "repaid", "sensitive_features": ["sex", "race"], "positive": True}


@pytest.fixture
def loans():
    """A table with columns of all kinds."""
    rng = np.random.default_rng(4)
    n = 300
    score = rng.normal(size=n)
    return pd.DataFrame(
        {
            "income": rng.integers(10, 90, n), "sex": pd.Categorical(rng.choice(["f", "m"], n)),
            "share": score, "race": rng.choice([1, 2, 3], n), "item": rng.choice(["a", "b"], n),
            "repaid": score + rng.normal(size=n) > 0,
        }
    )  # fmt: skip


def test_a_table_becomes_the_data_set_that_an_experiment_makes_of_it(
    loans, tmp_path, dataset_schema
):
    out = tmp_path / "config/datasets/loans.yaml"
    text = fp.card(loans, **SAID, reference={"race": 2}, out=out)
    file = tmp_path / "config/datasets/loans/loans.csv"
    assert text.startswith(f"{out}: written, with its file {file}.\nloans: 300 rows, 5 features")
    card = read_card(out, dataset_schema)
    assert card["rename"] == {"item": "column_item"}
    frame, about = prepare(file, card, name="loans")
    write_parquet(tmp_path / "loans.parquet", frame)
    write_json(tmp_path / "loans.json", about)
    of_run = read_prepared(tmp_path / "loans.parquet", tmp_path / "loans.json")
    found = fp.experiment(
        loans.rename(columns=card["rename"]), **SAID, reference={"race": 2}, name="loans",
        models=["sklearn.tree.DecisionTreeClassifier"], repeats=2,
    )  # fmt: skip
    (arm,) = _arms(of_run, ["sklearn.tree.DecisionTreeClassifier"], "none", ()).values()
    predictions = train_repeats(
        of_run, model=arm.spec, treatment=arm.steps, repeats=range(2), seed=0, test_fraction=0.3
    )
    names = {"model": arm.model, "treatment": arm.treatment}
    measures = [measure_of(name) for name in OF_CLASSES]
    again = measure_predictions(predictions, of_run, measures, **names)
    pd.testing.assert_frame_equal(together([again]), found)
    for other in (pl.from_pandas(loans), pa.Table.from_pandas(loans)):
        again = fp.card(other, **SAID, reference={"race": 2})
        assert yaml.safe_load(again)["files"][0]["sha256"] == card["files"][0]["sha256"]


def test_a_file_is_given_as_a_path_and_copied_once(loans, tmp_path):
    (tmp_path / "loans").mkdir()
    file = tmp_path / "loans/loans.parquet"
    loans.assign(notes=[[1, 2]] * len(loans)).to_parquet(file)
    fp.card(file, **SAID, out=tmp_path / "loans.yaml")
    card = yaml.safe_load((tmp_path / "loans.yaml").read_text("utf-8"))
    assert card["files"][0]["name"] == "loans.parquet" and "read" not in card
    assert "# `notes` is left out: it holds lists." in (tmp_path / "loans.yaml").read_text("utf-8")
    fp.card(str(file), **SAID, out=tmp_path / "more.yaml")
    assert (tmp_path / "more/loans.parquet").read_bytes() == file.read_bytes()
    with pytest.raises(InputError, match=r"loans\.parquet: column `notes` holds lists: write it"):
        fp.card(file, **SAID | {"label": "notes"})
    file.write_bytes(file.read_bytes()[:500])
    with pytest.raises(InputError, match=r"loans\.parquet: (cannot be read|not a Parquet file)"):
        fp.card(file, **SAID)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sensitive_features": 3}, "sensitive_features must be a name, or a list of names; it is"),
        ({"numeric": 1}, "numeric must be True or False; it is 1"),
        ({"label": "one", "positive": None, "numeric": True},
         r"^data: column `one` \(label\) has only one label, 1.0: a test compares two"),
        ({"reference": ["race"]}, r"reference is \['race'\]: give a mapping"),
        ({"above": {"income": "x"}}, r"above of `income` must be a finite number; it is 'x'"),
        ({"label": 5}, "label is 5: give a name, as text"),
        ({"openml": 31}, "Name one source: a file or a table, or --openml"),
    ],
)  # fmt: skip
def test_what_is_unclear_is_asked_and_nothing_is_written(loans, tmp_path, changes, words):
    out = tmp_path / "config/loans.yaml"
    with pytest.raises(InputError, match=words):
        fp.card(loans.assign(one=1), **SAID | changes, out=out)
    assert not list(tmp_path.iterdir())


def test_tables_that_hold_no_texts_or_rows_are_refused(loans, tmp_path):
    lists = loans.assign(notes=[[1, 2]] * len(loans))
    assert "# `notes` is left out: it holds lists." in fp.card(lists, **SAID)
    with pytest.raises(InputError, match="data: column `notes` holds lists: write it as text or"):
        fp.card(lists, **SAID | {"label": "notes"})
    with pytest.raises(InputError, match="data: the table has no rows"):
        fp.card(loans.head(0), **SAID)
    with pytest.raises(InputError, match="data must be a path or a table, not 3"):
        fp.card(3, **SAID)
    with pytest.raises(InputError, match=r"nowhere\.csv: cannot be read"):
        fp.card(tmp_path / "nowhere.csv", **SAID)
    with pytest.raises(InputError, match="a folder, and a card is of a CSV or Parquet file: give"):
        fp.card(tmp_path, **SAID)
    loans.to_json(tmp_path / "loans.json", orient="records")
    with pytest.raises(InputError, match=r"loans\.json: JSON, and a card is of a CSV or Parquet"):
        fp.card(tmp_path / "loans.json", **SAID)
    for name, words in (("{a}.yaml", "has no braces"), ("a.yml", r"and \.yaml: rename --out")):
        with pytest.raises(InputError, match=words):
            fp.card(loans, **SAID, out=tmp_path / name)
