"""Labels that come after the predictions, by the ids of rows."""

import json
import re

import jsonschema
import numpy as np
import pandas as pd
import pytest

import fairpairs as fp
from fairpairs.audits.monitor.figures import strip
from fairpairs.audits.monitor.ids import Ids, hashed
from fairpairs.base.columns import Column
from fairpairs.base.words import words
from tests.audits.monitor.streams import ROWS, SCORED, people
from tests.audits.monitor.test_bad_input import one_sentence
from tests.audits.monitor.test_life import lines, with_persons

pytestmark = pytest.mark.slow
#: What ids become: states hold these numbers.
GOLDEN = [-8706490900293774590, 5456753389339821987, 809684001799216889, 5456753389339821987]


def batch(seed=0, first=0):
    return people(600, 0.3, seed=seed).assign(id=[f"r{first + i}" for i in range(600)])


@pytest.mark.parametrize("arguments", [SCORED, {**SCORED, "y_pred": None, "threshold": 0.5}])
def test_lines_are_those_of_rows_in_the_order_in_which_labels_came(tmp_path, arguments):
    one, two, arguments = batch(), batch(1, 600), {**arguments, "reference": {"race": "a"}}
    path, came = tmp_path / "s", [two.iloc[::3], one.iloc[::-2], two.iloc[1::3]]
    fp.monitor(path, one.drop(columns="y"), **arguments, ids="id")
    partly = two.assign(y=two["y"].where(np.arange(600) % 3 == 0).astype("Int64"))
    fp.monitor(path, partly)
    for labels in came[1:]:
        result = fp.monitor(path, labels[["id", "y"]])
    for rows in came:
        plain = fp.monitor(tmp_path / "t", rows, **arguments)
    unlabelled = result.lines["criterion"] == "demographic_parity"
    expected = lines(plain)[~unlabelled]
    pd.testing.assert_frame_equal(lines(result)[~unlabelled], expected)
    fp.monitor(tmp_path / "u", one, **arguments)
    both = fp.monitor(tmp_path / "u", two)
    pd.testing.assert_frame_equal(lines(result)[unlabelled], lines(both)[unlabelled])
    assert result.about["held"] == {
        "rows": [600, 600, 0, 0], "labels": [0, 200, 300, 200], "missing": [300, 200, 0, 0],
    }  # fmt: skip
    drawn = strip(result.about, prefix="b")
    bars = re.findall(r'd="([^"]*)"[^>]* style="fill: var', drawn)
    steps = np.array([re.findall(r"[ML] (\S+) (\S+)", path) for path in bars], dtype=float)
    down, held = steps[:, 1::2, 1] - steps[:, :1, 1], result.about["held"]
    rows = np.array([held["rows"], np.subtract(held["rows"], held["missing"]), held["labels"]])
    (left, width), *_ = re.findall(r'<rect x="(\S+)" .* width="(\S+)"', drawn)
    assert steps[0, [0, -1], 0] == pytest.approx([float(left), float(left) + float(width)])
    assert down[:, :-1] / down[0, 0] == pytest.approx(rows / 600 * [[1], [1], [-1]], abs=1e-6)
    missing = pd.concat([one.iloc[::2], two.iloc[2::3]])["sex"].value_counts()
    assert result.about["missing_labels"]["sex"] == missing[["f", "m"]].to_dict()
    assert "Open: the labels of 500 of 1,200 rows have not come (" in " ".join(str(result).split())
    assert "sex, rows whose label has not come: f " in result.to_text()
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    jsonschema.Draft202012Validator(fp.MonitorResult.SCHEMA).validate(content)
    assert not any("has no row" in note for note in result.about["notes"])


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (batch(1, 599), "column `id` holds 'r599', which batch 1 has already: an id is of one row"),
        (batch(1, 600).assign(id="r600"), "column `id` holds 'r600' twice: an id is of one row"),
        (batch(1, 600).assign(id=None), "column `id` has 600 missing value"),
        ({"id": ["r1", "r9999"], "y": [1, 1]}, "holds 'r9999', which no earlier batch has: append"),
        ({"id": ["r1", "r1"], "y": [1, 1]}, "holds 'r1' twice"),
        ({"id": ["r1", "r2"], "y": [1, None]}, "column `y` has 1 missing value"),
        ({"id": ["r1"], "y": [3]}, "column `y` holds '3', and the earlier batches hold 0, 1"),
        ({"id": ["r1"], "label": [1]}, "no column `y`, which the earlier batches have"),
        ({"id": ["r0"], "y": [1 - batch()["y"][0]]}, "label of 'r0' is another one than before"),
        ({"id": ["r0"], "y": [batch()["y"][0]]}, "all its labels were appended before: leave it"),
        (batch(1, 600).drop(columns="sex"), "there is no column `sex`"),
    ],
    ids=["again", "twice", "none", "unknown", "label twice", "no label", "value", "column",
         "changed", "nothing new", "no group"],
)  # fmt: skip
def test_what_does_not_fit_is_refused(begun, frame, sentence):
    first = batch()
    path = begun(first.assign(y=first["y"].where(first.index == 0)), **ROWS, ids="id")
    before = path.read_bytes()
    one_sentence(sentence, lambda: fp.monitor(path, pd.DataFrame(frame)))
    assert path.read_bytes() == before


def test_ids_need_labels_and_labels_that_were_appended_are_left_out(tmp_path):
    sentence = "ids is for labels that come later: give y_true too"
    one_sentence(
        sentence, lambda: fp.monitor(tmp_path / "s", batch(), **{**ROWS, "y_true": None}, ids="id")
    )
    rows = batch()
    fp.monitor(tmp_path / "s", rows.drop(columns="y"), **ROWS, ids="id")
    fp.monitor(tmp_path / "s", rows.loc[:9, ["id", "y"]])
    result = fp.monitor(tmp_path / "s", rows.loc[5:19, ["id", "y"]])
    assert result.about["notes"][0] == "data: 5 label(s) are left out, as each was appended before."
    assert result.about["held"]["labels"] == [0, 10, 10]


def test_labels_of_rows_before_a_reset_are_left_out(tmp_path):
    path, old, new = tmp_path / "s", batch(), batch(1, 600)
    options = {**ROWS, "reference": {"race": "a"}}
    fp.monitor(path, old.drop(columns="y"), **options, ids="id")
    fp.monitor(path, new, reset="new model")
    result = fp.monitor(path, pd.concat([old, new])[["id", "y"]])
    assert result.about["notes"] == [
        "data: 600 label(s) are left out, as each was appended before.",
        "data: 600 label(s) are left out, as each is of a row before the reset.",
    ]
    pd.testing.assert_frame_equal(lines(result), lines(fp.monitor(tmp_path / "t", new, **options)))
    assert result.about["missing_labels"]["sex"] == {"f": 0, "m": 0}


def test_persons_are_known_when_their_labels_come(tmp_path):
    rows = with_persons(0).assign(id=range(800))
    path, options = tmp_path / "s", {**SCORED, "ids": "id", "clusters": "person"}
    fp.monitor(path, rows.drop(columns="y"), **options)
    fp.monitor(path, rows.loc[rows["person"] < 200, ["id", "y"]])
    result = fp.monitor(path, rows.loc[rows["person"] >= 100, ["id", "y"]].drop_duplicates())
    left_out = len(rows[rows["person"].between(100, 199)])
    note = f"data: {left_out} label(s) are left out, as each was appended before."
    assert result.about["notes"] == [note]
    plain = fp.monitor(tmp_path / "t", rows[rows["person"] < 200], **SCORED, clusters="person")
    plain = fp.monitor(tmp_path / "t", rows[rows["person"] >= 200])
    counted = result.lines["criterion"] != "demographic_parity"
    pd.testing.assert_frame_equal(lines(result)[counted], lines(plain)[counted])


def test_a_new_group_with_late_labels_joins_with_its_predictions(tmp_path):
    path, one = tmp_path / "s", batch()
    two = batch(1, 600).assign(race=lambda f: f["race"].replace("c", "new"))
    fp.monitor(path, one, **ROWS, ids="id", reference={"race": "a"}, new_groups="add")
    fp.monitor(path, two.drop(columns="y"))
    result = fp.monitor(path, two[["id", "y"]])
    fresh = fp.monitor(tmp_path / "t", two, **ROWS, reference={"race": "a"})
    pd.testing.assert_frame_equal(lines(result, "new"), lines(fresh, "new"))


@pytest.mark.parametrize("arguments", [{"ids": "id"}, {"clusters": "id"}])
def test_a_kill_while_ids_are_written_changes_nothing(tmp_path, monkeypatch, arguments):
    path, write = tmp_path / "s", Ids.write
    fp.monitor(path, batch(), **ROWS, **arguments)
    before = path.read_bytes()

    def killed(self, base):
        write(self, base)
        raise KeyboardInterrupt

    monkeypatch.setattr(Ids, "write", killed)
    for data in ({"reset": "new"}, {}):
        with pytest.raises(KeyboardInterrupt):
            fp.monitor(path, batch(1, 600), **data)
    assert path.read_bytes() == before
    monkeypatch.undo()
    assert fp.monitor(path, batch(1, 600)).about["rows"] == 1200


def test_ids_are_the_same_numbers_in_all_files_and_versions():
    texts = Column(np.array(["1", "é", "x"], dtype=object), np.array([2, 0, 1, 0]))
    assert hashed(texts.kinds, texts).tolist() == GOLDEN
    for numbers in (np.array([1, 5]), np.array([1.0, 5.0])):
        assert hashed(words(numbers, "id"), Column(numbers)).tolist()[0] == GOLDEN[1]


def test_ids_that_are_written_in_another_way_are_refused(tmp_path):
    batches = {
        "floats": [f"{i}.0" for i in range(600)],
        "zeros": [f"{i:05}" for i in range(600)],
        "whole": [str(600 + i) for i in range(600)],
    }
    first = batch().drop(columns="id").assign(who=np.arange(600))
    state = tmp_path / "whole.state"
    given = {"y_true": "y", "y_pred": "yhat", "sensitive_features": "race", "clusters": "who"}
    fp.monitor(state, first, **given)
    again = fp.monitor(state, first.assign(who=batches["floats"]))
    assert "600 row(s) of persons of earlier batches are left out" in str(again)
    fp.monitor(state, first.assign(who=batches["whole"]))
    with pytest.raises(fp.InputError, match="holds '00000', and ids of earlier batches are numb"):
        fp.monitor(state, first.assign(who=batches["zeros"]))
    zeros = tmp_path / "zeros.state"
    fp.monitor(zeros, first.assign(who=batches["zeros"]), **given)
    with pytest.raises(fp.InputError, match="have 5 digits or more"):
        fp.monitor(zeros, first)
