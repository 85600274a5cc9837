"""`fairpairs.audit_judgments`: files and tables of any kind give the same audit."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fairpairs import InputError, audit_judgments, comparative_separation_from_judgments
from fairpairs.audits.options import options_as_arguments
from tests.audits.judgments.synthetic import synthetic

COLUMNS = {"left": "i", "right": "j", "outcome": "winner", "item": "id"}


def tables():
    judged = synthetic(m=600)
    ids = np.array([f"p{i}" for i in range(len(judged.items))])
    items = judged.items.assign(id=ids)
    winner = np.where(judged.outcome > 0, judged.left, judged.right)
    judgments = pd.DataFrame({"i": ids[judged.left], "j": ids[judged.right], "winner": ids[winner]})
    return judgments, items


@pytest.fixture(scope="module")
def expected():
    return audit_judgments(
        *tables(), **COLUMNS, y_score=["fair", "partial"], sensitive_features="area"
    )


def test_each_model_is_that_of_the_test(expected):
    judgments, items = tables()
    place = dict(zip(items["id"], range(len(items)), strict=True))
    for model in ("fair", "partial"):
        result = comparative_separation_from_judgments(
            judgments["i"].map(place), judgments["j"].map(place),
            np.where(judgments["i"] == judgments["winner"], 1, -1), items[model],
            sensitive_features=items["area"],
        )  # fmt: skip
        own = expected.to_frame().query("model == @model")
        np.testing.assert_allclose(own["estimate"], result.difference.estimate)
        np.testing.assert_allclose(own["pvalue"], result.difference.pvalue)


@pytest.mark.parametrize("kind", ["path", "text", "polars", "arrow", "categories", "index"])
def test_files_and_tables_of_any_kind_are_the_same(expected, kind, tmp_path):
    frames = list(tables())
    if kind in ("path", "text"):
        paths = tmp_path / "judgments.csv", tmp_path / "items.csv"
        for frame, path in zip(frames, paths, strict=True):
            frame.to_csv(path, index=False)
        frames = list(paths) if kind == "path" else list(map(str, paths))
    elif kind == "polars":
        frames = [pl.from_pandas(frame) for frame in frames]
    elif kind == "arrow":
        frames = [pa.Table.from_pandas(frame) for frame in frames]
    elif kind == "categories":
        frames[1] = frames[1].astype({"area": "category"})
    else:
        frames = [frame.set_index(np.arange(len(frame))[::-1]) for frame in frames]
    result = audit_judgments(
        *frames, **COLUMNS, y_score=["fair", "partial"], sensitive_features=["area"]
    )
    pd.testing.assert_frame_equal(result.to_frame(), expected.to_frame(), rtol=1e-9)
    names = [file["file"] for file in result.about["files"]]
    assert names == (
        ["judgments.csv", "items.csv"] if kind in ("path", "text") else ["judgments", "predictions"]
    )


def test_groups_may_be_tables_of_their_own():
    rng = np.random.default_rng(0)
    plain = pd.DataFrame({"chosen": rng.normal(1, 1, 200), "rejected": rng.normal(0, 1, 200)})
    dialect = plain.assign(chosen=plain["chosen"] - 1)
    result = audit_judgments(group={"plain": plain, "dialect": dialect})
    within = result.to_frame().query("criterion == 'within'").iloc[0]
    assert (within["group"], within["reference"]) == ("plain", "dialect")
    right = [(frame["chosen"] > frame["rejected"]).mean() for frame in (plain, dialect)]
    assert within["estimate"] == pytest.approx(right[0] - right[1])
    assert result.to_text().startswith("group plain, group dialect: 800 judgments; 200 clusters")
    assert [file["group"] for file in result.about["files"]] == ["plain", "dialect"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"y_score": "unknown"}, "predictions: there is no column `unknown`; it has "),
        ({"alpha": 2}, "alpha must lie between 0 and 1"),
        ({"winner_by": "x"}, "winner_by must be one of 'auto', 'id', 'side'; it is 'x'."),
        ({"ties_in_outcome": "x"}, "ties_in_outcome must be one of 'drop', 'half'; it is 'x'."),
        ({"ties": "x"}, "ties must be "),
        ({"correction": "x"}, "correction must be one of "),
        ({"order": "yes"}, "order must be True or False; it is 'yes'."),
        ({"intersections": True}, "intersections: there is one attribute only: name another"),
        ({"sensitive_features": ()}, "sensitive_features: name the column of the groups."),
        ({"judgments": [1, 2]}, "judgments must be a path or a table, not "),
        ({"judgments": tables()[0].head(0)}, "judgments: the table has no rows: give at least one"),
        ({"judgments": "absent.csv"}, "absent.csv: cannot be read (No such file or directory)"),
        ({"judges": "winner", "judgments": tables()[0].assign(winner="p1")}, ""),
    ],
)
def test_bad_input_is_one_sentence_about_the_argument(change, words):
    judgments, items = tables()
    given = {"judgments": judgments, **COLUMNS, "y_score": "fair", "sensitive_features": "area"}
    given |= change
    with pytest.raises(InputError) as error:
        audit_judgments(given.pop("judgments"), items, **given)
    assert str(error.value).startswith(words)
    assert "--" not in str(error.value)


def test_options_are_called_as_arguments():
    named = "item_cluster: a (judge), left too; a--b"
    with (
        pytest.raises(InputError, match=f"^{re.escape(named)}$"),
        options_as_arguments(str),
    ):
        raise InputError("--item-cluster: a (--judge), --left too; a--b")
