"""Bad input of the monitor: one sentence each, and the state stays as it was."""

import re

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp
from tests.audits.monitor.streams import JUDGED, ROWS, SCORED, judged, people

FRAME = people(300)


def one_sentence(sentence, call):
    with pytest.raises(fp.InputError, match=sentence) as caught:
        call()
    text = str(caught.value)
    assert text.endswith((".", "?")) and len(text) < 450 and "\n" not in text


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda f: f.drop(columns="yhat"), "no column `yhat`, which the earlier batches have"),
        (lambda f: f.replace({"y": {0: "no", 1: "yes"}}),
         "column `y` holds 'no', and the earlier batches hold 0, 1: write it in the same values"),
        (lambda f: f.assign(yhat=f["s"]), r"column `yhat` holds '0\.\d+', and the earlier batches"),
        (lambda f: f.assign(y=f["y"] + 1), "column `y` holds '2', and the earlier"),
        (lambda f: f.assign(race=f["race"].replace("a", "z")),
         "the group 'z', which is none of the groups of this state .a, b, c.: correct"),
        (lambda f: f.assign(race=f["race"].where(f.index != 5)),
         "1 missing value.*or begin a new state with missing_group"),
        (lambda f: f.assign(y=f["y"].where(f.index != 5)), "column `y` has 1 missing value"),
        (lambda f: f.assign(s=f["s"] + 1), "scores of this state lie between 0 and 1: correct it"),
        (lambda f: f.assign(s="high"), "`s` holds 'high', and must hold numbers"),
        (lambda f: f[:0], "has no rows: give at least one"),
    ],
    ids=["column", "words", "numbers", "codes", "group", "no group", "no label", "range", "word",
         "empty"],
)  # fmt: skip
def test_batches_that_do_not_fit_are_refused(begun, change, sentence):
    path = begun(FRAME, **SCORED)
    before = path.read_bytes()
    one_sentence(sentence, lambda: fp.monitor(path, change(people(300, seed=1))))
    assert path.read_bytes() == before


def test_a_batch_that_was_seen_before_is_refused_unless_asked(tmp_path):
    path, other = tmp_path / "s", people(300, seed=1)
    other.to_csv(tmp_path / "b.csv", index=False)
    fp.monitor(path, FRAME, **ROWS)
    fp.monitor(path, tmp_path / "b.csv")
    for batch, number in ((FRAME, 1), (tmp_path / "b.csv", 2)):
        sentence = f"appended before, as batch {number} of 2: leave it out, or give again"
        one_sentence(sentence, lambda batch=batch: fp.monitor(path, batch))
    assert fp.monitor(path, FRAME, again=True).about["batches"] == 3


def test_a_batch_without_a_name_is_not_called_as_another_one(tmp_path):
    path = tmp_path / "s"
    fp.monitor(path, FRAME, **ROWS, batch_name="2")
    before = path.read_bytes()
    one_sentence(
        "batch_name 2: another batch has this name: give each a name of its own; one without has",
        lambda: fp.monitor(path, FRAME, again=True),
    )
    assert path.read_bytes() == before
    assert fp.monitor(path, FRAME, again=True, batch_name="b").about["batch_names"] == ["2", "b"]


@pytest.mark.parametrize(
    ("data", "name", "sentence"),
    [
        (FRAME, ["b", "c"], "batch_name: 2 name(s) for 1 batch(es)"),
        (None, "b", "batch_name: 1 name(s) for 0 batch(es)"),
        (FRAME, "a", "batch_name a: another batch has this name"),
        (["new.csv", "new.csv"], ["b", "b"], "batch_name b: another batch has this name"),
        (FRAME, "x\ny", "batch_name must be a name, or a list of names"),
    ],
)
def test_a_name_that_does_not_fit_is_refused(begun, data, name, sentence):
    path = begun(FRAME, **ROWS, batch_name="a")
    before = path.read_bytes()
    one_sentence(re.escape(sentence), lambda: fp.monitor(path, data, again=True, batch_name=name))
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("y_true", "yhat"), ("y_pred", "s"), ("y_score", "s"), ("sensitive_features", "sex"),
        ("positive", 0), ("label_kind", "number"), ("reference", {"sex": "f"}),
        ("groups", {"race": ["z"]}), ("criterion", "demographic_parity"), ("margin", 0.1),
        ("margin", {"separation": 0.1}), ("gap", 0.2), ("alpha", 0.01), ("score_range", (0, 2)),
        ("threshold", 0.5), ("missing_group", True), ("favourable", 0), ("judgments", True),
        ("outcome", "y"), ("reference", {"sex": "f", "race": "a"}),
        ("groups", {"sex": ["z"], "race": ["a"]}), ("margin", {"separation": 0.05}),
    ],
)  # fmt: skip
def test_another_config_is_refused(begun, option, value):
    path = begun(FRAME, **ROWS, margin=0.05, reference={"sex": "m"})
    before = path.read_bytes()
    sentence = f"the state was begun with {option} .*leave {option} out, or begin a new state"
    for data in (None, people(300, seed=1)):
        one_sentence(sentence, lambda data=data: fp.monitor(path, data, **{option: value}))
    assert path.read_bytes() == before


def test_the_same_config_is_taken(tmp_path):
    path = tmp_path / "s"
    arguments = {
        **SCORED, "margin": 0.05, "reference": {"sex": "m"}, "groups": {"race": ["z"]},
        "positive": 1, "criterion": ["xauc", "separation"], "gap": 0.2, "alpha": 0.1,
        "score_range": (0, 2), "label_kind": "binary", "missing_group": True, "favourable": 0,
    }  # fmt: skip
    fp.monitor(path, FRAME, **arguments)
    assert fp.monitor(path, people(300, seed=1), **arguments).about["batches"] == 2


@pytest.mark.parametrize(
    ("change", "arguments", "sentence"),
    [
        (None, {"sensitive_features": None}, "the columns are not named"),
        (None, {"y_pred": None}, "the columns are not named"),
        (None, {"y_true": "nothing"}, "no column `nothing`"),
        (None, {"y_true": "yhat"}, "is named by y_true and by y_pred"),
        (None, {"y_true": None, "y_score": "s"}, "y_score needs a label"),
        (None, {"outcome": "y"}, "outcome is of judgments"),
        (None, {"criterion": "fairness"}, "'fairness' is no criterion of a monitor"),
        (None, {"criterion": "xauc"}, "xauc does not apply to these columns: name one of sep"),
        (None, {"criterion": []}, "criterion names none"),
        (None, {"criterion": ["equal_opportunity", "equalized_odds"]},
         "criterion: separation has the comparisons of equal_opportunity: name one of them"),
        (None, {"criterion": "mean_absolute_error"}, "does not apply to these columns: name one"),
        (None, {"margin": {"separation": 0.1, "equalized_odds": 0.2}},
         "margin names separation twice, once by another name: give one margin"),
        (None, {"margin": 2}, "margin must lie between 0 and 1"),
        (None, {"margin": "x"}, "margin: 'x' is no margin"),
        (None, {"margin": {"xauc": 0.1}}, "xauc is not monitored: name one of separation"),
        (lambda f: f.assign(y=f["s"], yhat=f["s"] / 2), {"margin": 0.1},
         "margin 0.1: one number is for rates, and none is monitored"),
        (None, {"alpha": 0.7}, "alpha must be below 0.5"),
        (None, {"score_range": (0, 1)}, "score_range is of scores that are ranked, and none are"),
        (None, {"threshold": 0.5}, "threshold makes decisions of a score: give y_score, and leave"),
        (None, {"y_pred": None, "y_score": "s", "threshold": 9}, "threshold 9: no score reaches"),
        (None, {"y_pred": None, "y_score": "s", "threshold": "x"}, "threshold must be a finite"),
        (None, {"gap": 0}, "gap must lie between 0.001 and 1"),
        (None, {"positive": "yes"}, "has the values 0, 1, and 'yes' is none of them"),
        (None, {"favourable": "yes"}, "favourable: 'yes' is no value of column `y`: name"),
        (lambda f: f.assign(y=f["s"], yhat=f["s"] / 2), {"favourable": 1},
         "column `y` has no value that is good or bad: leave it out"),
        (None, {"reference": {"age": "old"}}, "reference: `age` is no sensitive attribute"),
        (None, {"reference": {"sex": "x"}}, "'x' is no group of `sex`: name one of f, m"),
        (None, {"groups": {"age": ["old"]}}, "groups: `age` is no sensitive attribute"),
        (None, {"y_score": "race"}, "`race` is named by"),
        (lambda f: f.assign(s=f["s"] * 9 + 1), {"y_score": "s"}, "such as score_range"),
        (lambda f: f.assign(y="yes"), {}, "is yes in every row"),
        (lambda f: f.replace({"y": {0: "no", 1: "yes"}}), {}, "name the positive one"),
        (lambda f: f.assign(y=f["y"] + 1), {}, "`y` has the values 1, 2: name the positive one"),
        (lambda f: f.assign(y=np.arange(len(f)) % 5), {}, "5 values, all whole numbers"),
        (lambda f: f.assign(yhat="maybe"), {}, "`yhat` is maybe in every row"),
        (lambda f: f.assign(sex="f"), {}, "only one group, 'f': a test compares two"),
        (lambda f: f.assign(sex=np.arange(len(f)) % 25), {}, "25 groups, more than 20"),
        (lambda f: f[:0], {}, "has no rows"),
    ],
)  # fmt: skip
def test_what_cannot_begin_a_state_is_refused(tmp_path, change, arguments, sentence):
    frame = FRAME if change is None else change(FRAME)
    path = tmp_path / "s"
    one_sentence(sentence, lambda: fp.monitor(path, frame, **{**ROWS, **arguments}))
    assert not path.exists()


def test_judgments_that_do_not_fit_are_refused(tmp_path):
    path, frame = tmp_path / "s", judged(200)
    for arguments, sentence in (
        ({"y_pred": "p"}, "y_pred is of rows, not of judgments"),
        ({"criterion": "separation"}, "of judgments only comparative_separation"),
        ({"y_score": ()}, "y_score is .*name a column"),
    ):
        one_sentence(sentence, lambda a=arguments: fp.monitor(path, frame, **{**JUDGED, **a}))
    fp.monitor(path, frame, **JUDGED)
    other = judged(200, seed=1)
    for change, sentence in (
        (other.assign(dialect_a="z"), "the group 'z', which is none"),
        (other.drop(columns="score_b"), "score"),
        (other.assign(winner="tie"), "holds ties alone"),
    ):
        one_sentence(sentence, lambda c=change: fp.monitor(path, c))
    assert fp.monitor(path, other).about["batches"] == 2


def test_paths_that_are_no_state_or_batch_are_refused(tmp_path):
    cases = (
        (tmp_path, FRAME, "a folder, not a file"),
        (tmp_path / "no/s", FRAME, "there is no folder"),
        (tmp_path / "s", None, "there is no state yet: name a batch that begins it"),
        (tmp_path / "s", tmp_path / "none.csv", "none.csv"),
        (tmp_path / "s", 5, "data must be a path or a table"),
        (7, FRAME, "state must be a path"),
    )
    for path, data, sentence in cases:
        one_sentence(sentence, lambda p=path, d=data: fp.monitor(p, d, **ROWS))
    assert not (tmp_path / "s").exists()


def test_empty_files_and_broken_ones_are_refused(tmp_path):
    (tmp_path / "empty.csv").write_text("y,yhat,sex,race\n")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 no")
    FRAME[:0].to_parquet(tmp_path / "none.parquet")
    for name in ("empty.csv", "broken.parquet", "none.parquet"):
        one_sentence(name, lambda n=name: fp.monitor(tmp_path / "s", tmp_path / n, **ROWS))


def test_of_several_batches_those_before_a_bad_one_are_appended(tmp_path):
    FRAME.to_csv(tmp_path / "a.csv", index=False)
    people(300, seed=1).assign(sex="x").to_csv(tmp_path / "b.csv", index=False)
    path = tmp_path / "s"
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    one_sentence("b.csv.*the group 'x'.*a.csv is appended", lambda: fp.monitor(path, files, **ROWS))
    assert fp.monitor(path).about["batches"] == 1


def test_a_group_that_is_to_come_can_be_named(tmp_path):
    path = tmp_path / "s"
    result = fp.monitor(path, FRAME, **ROWS, groups={"race": ["z"]})
    of_z = result.lines.query("group == 'z'")
    assert set(of_z["verdict"]) == {"cannot be tested"}
    assert set(of_z["note"]) == {"no row of the group yet"}
    result = fp.monitor(path, people(300, seed=1).assign(race="z"))
    assert result.about["attributes"]["race"]["groups"]["z"] == 300


def test_missing_values_may_be_a_group(tmp_path):
    frame = FRAME.assign(race=FRAME["race"].where(FRAME.index % 3 > 0))
    result = fp.monitor(tmp_path / "s", frame, **ROWS, missing_group=True)
    assert result.about["attributes"]["race"]["groups"]["missing"] == 100
    assert pd.notna(result.lines.query("group == 'missing'")["estimate"]).all()
