"""Data sets with a text, a number to predict and a split of their own; the Jira items."""

import copy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairpairs.datasets.card import read_card
from fairpairs.datasets.integrity import check_sha256
from fairpairs.datasets.prepare import prepare
from fairpairs.datasets.prepared import PreparedDataset
from fairpairs.errors import InputError

RAW = (
    'key,words,more,points,part,a\nK-1,do this,now,1,train,x\nK-2,"do, that",later,3,test,y\n'
    "K-3,see,it,1,train,y\nK-4,ask,him,3,test,x\n"
)
XY = {"one": "X", "zero": "Y"}
CARD = {
    "title": "Items", "citation": "", "licence": "", "files": [],
    "features": {"words": "text", "more": "text"},
    "label": {"column": "points", "numeric": True},
    "sensitive": {"a": {"column": "a", "one": ["x"], "zero": ["y"], "names": XY}},
    "split": {"column": "part", "test": ["test"]},
    "keep": ["key"],
}  # fmt: skip
YES_NO = {
    "column": "points", "one": [1], "zero": [3], "names": {"one": "Little", "zero": "Much"}
}  # fmt: skip


def prepared(tmp_path, raw=RAW, **changes):
    path = tmp_path / "items.csv"
    path.write_text(raw, "utf-8")
    frame, about = prepare(path, {**copy.deepcopy(CARD), **changes}, name="items")
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
        (RAW.replace("do this", " "), {}, "column `words` has 1 missing value|empty text in row 1"),
        (
            RAW.replace(",1,train", ",many,train"),
            {},
            "`points` is numeric .* holds 'many' in row 1",
        ),
        (RAW.replace(",x\n", ",y\n"), {}, "only one group"),
        (
            RAW.replace("test,x", "test,y"),
            {},
            r"items\.csv: the test half of the data set items, split by the column `part`, has no "
            r"item of group 1 \(X\) of `sensitive\.a`: correct `split\.test`, or remove `split` "
            "from the card so that the halves are drawn at random with every group in both",
        ),
        (
            RAW.replace("train,y", "train,x"),
            {},
            r"the training half of .* has no item of group 0 \(Y\) of `sensitive\.a`: correct",
        ),
        (
            RAW.replace("test,x", "test,x")
            .replace(",3,", ",1,")
            .replace(",1,train,y", ",3,train,y"),
            {"label": YES_NO},
            r"the test half of .* has no item of label 0 \(Much\) of `label`: correct",
        ),
        (RAW.replace("train", "test"), {}, "puts 100% of the rows into the test part"),
        (RAW, {"keep": ["nokey"]}, "there is no column `nokey`"),
    ],
)
def test_bad_input_is_explained(tmp_path, raw, changes, message):
    with pytest.raises(InputError, match=message):
        prepared(tmp_path, raw, **changes)


def test_a_feature_may_be_kept_too(tmp_path):
    dataset, _ = prepared(tmp_path, keep=["key", "words"])
    pd.testing.assert_frame_equal(dataset.frame, prepared(tmp_path)[0].frame)


def test_the_jira_items_are_those_of_the_project_less_the_repeated_ones(mirror):
    root = Path(__file__).parents[2]
    card = read_card(
        root / "config/datasets/jira.yaml", root / "workflow/schemas/dataset.schema.yaml"
    )
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
