"""A monitor of rows that all have a cheap label, and of which some have a human one."""

import json

import jsonschema
import numpy as np
import pandas as pd
import pytest

import fairpairs as fp
from fairpairs.mathematics.sequential.cheap_looks import (
    FEWEST,
    PSEUDO,
    CheapItems,
    CheapLooks,
    block_difference,
)
from tests.audits.monitor.streams import people
from tests.audits.monitor.test_bad_input import one_sentence

ROWS = {"y_true": "y", "y_pred": "yhat", "sensitive_features": "sex", "reference": {"sex": "m"}}
CHEAP = {**ROWS, "cheap_label": "judge"}


def judged(n=2000, gap=0.2, seed=0, right=(0.7, 0.95), chance=0.1):
    """Rows of `people` with a judge who is right so often of f and of m, and few human labels."""
    rng, rows = np.random.default_rng([seed, 1]), people(n, gap, seed)
    accurate = rng.random(n) < np.where(rows["sex"] == "f", *right)
    judge = np.where(accurate, rows["y"], 1 - rows["y"])
    labels = rows["y"].where(rng.random(n) < chance).astype("Int64")
    return rows.assign(judge=judge, y=labels, chance=chance).drop(columns="s")


def one_block(rows, key="TPR"):
    """The rows up to the end of the first block of a line."""
    counts = rows["y"].eq(1).fillna(False) if key == "TPR" else rows["y"].notna()
    ends = [np.flatnonzero(counts & (rows["sex"] == sex))[FEWEST - 1] for sex in ("f", "m")]
    return rows[: max(ends) + 1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("criterion", "key"), [("equal_opportunity", "TPR"), ("accuracy", "accuracy")]
)
def test_a_block_is_estimated_as_by_the_audit(tmp_path, criterion, key):
    rows = one_block(judged(right=(0.6, 0.7), chance=0.3), key)
    ours = fp.monitor(tmp_path / "s", rows, **CHEAP, criterion=criterion).lines.iloc[0]
    columns = {name: rows[name] for name in ("y", "yhat", "sex", "judge")}
    audit = fp.audit(
        columns["y"], columns["yhat"], sensitive_features=columns["sex"].rename("sex"),
        cheap_label=columns["judge"], criterion=criterion, reference={"sex": "m"},
    )  # fmt: skip
    theirs = audit.to_frame().query("measure == @key").iloc[0]
    assert ours["estimate"] == pytest.approx(theirs["estimate"], abs=1e-9)
    assert (ours["items"], ours["items_reference"]) >= (FEWEST, FEWEST)


def test_with_a_human_label_in_each_row_the_cheap_one_does_not_count(tmp_path):
    rows = one_block(judged(chance=1))
    tpr = rows[rows["y"] == 1].groupby("sex")["yhat"].mean()
    for name, judge in {"right": rows["y"], "wrong": 1 - rows["y"], "other": rows["judge"]}.items():
        result = fp.monitor(tmp_path / name, rows.assign(judge=judge), **CHEAP)
        assert result.lines["estimate"][0] == pytest.approx(tpr["f"] - tpr["m"], abs=1e-9)


@pytest.mark.slow
def test_results_do_not_depend_on_how_rows_are_divided(tmp_path):
    rows = judged(3000)
    whole = fp.monitor(tmp_path / "one", rows, **CHEAP, chance="chance", margin=0.1)
    for start, end in ((0, 1000), (1000, 1010), (1010, 3000)):
        part = rows[start:end]
        cut = fp.monitor(tmp_path / "three", part, **CHEAP, chance="chance", margin=0.1)
    columns = ["estimate", "ci_low", "ci_high", "pvalue", "pvalue_beyond", "pvalue_within", "items"]
    pd.testing.assert_frame_equal(whole.lines[columns], cut.lines[columns])


def test_a_cell_without_human_labels_is_taken_for_those_of_its_group_and_cheap_label():
    rows, number = np.full((2, 2, 2), 100), np.arange(16.0).reshape(2, 2, 2, 2)
    number[0, 1, 1] = 0
    _, (weight, total, _) = block_difference(rows, np.stack([number] * 3), whole=True)
    share = number[..., 1] / np.maximum(number.sum(axis=-1), 1)
    share[0, 1, 1] = (number[0, 0, 1, 1] + PSEUDO) / (number[0, 0, 1].sum() + 2 * PSEUDO)
    assert total / weight == pytest.approx(share[0].mean() - share[1].mean())


def test_chances_weigh_human_labels():
    rng, n = np.random.default_rng(0), 200_000
    group, decision, label = rng.random((3, n)) < 0.5
    chance = np.where(decision == label, 0.05, 0.4)  # the wrong ones are looked at more often
    outcome = np.where(rng.random(n) < chance, label, np.nan)
    # correct as often as wrong, in both groups
    for side in (group, ~group):
        looks = CheapLooks(whole=True)
        value = np.where(np.isnan(outcome), np.nan, outcome == decision)
        value = np.where(side, value, np.where(np.isnan(outcome), np.nan, rng.random(n) < 0.5))
        looks.append(CheapItems(side, decision, ~decision, value, 1 / chance))
        assert looks.estimate == pytest.approx(0, abs=5 * looks.variance**0.5)


@pytest.mark.slow
def test_a_judge_who_errs_in_one_group_does_not_mislead(tmp_path):
    fair = [judged(6000, 0, seed) for seed in range(12)]
    both = [fp.monitor(tmp_path / f"{i}", rows, **CHEAP).violated for i, rows in enumerate(fair)]
    alone = [
        fp.monitor(tmp_path / f"judge {i}", rows, **{**ROWS, "y_true": "judge"}).violated
        for i, rows in enumerate(fair[:5])
    ]
    assert sum(both) <= 2
    assert all(alone)


@pytest.mark.slow
def test_cheap_labels_find_a_gap_that_human_labels_alone_do_not_find_yet(tmp_path):
    streams = [judged(6000, 0.15, seed, right=(0.95, 0.95)) for seed in range(12)]
    human = [rows[rows["y"].notna()] for rows in streams]
    both = [fp.monitor(tmp_path / f"{i}", rows, **CHEAP).violated for i, rows in enumerate(streams)]
    alone = [fp.monitor(tmp_path / f"h{i}", rows, **ROWS).violated for i, rows in enumerate(human)]
    assert sum(both) >= sum(alone) + 3


@pytest.mark.slow
def test_answer_tables_and_changes(tmp_path):
    for seed in range(4):
        rows = judged(2000, 0.4, seed).assign(place=["a", "b"] * 1000)
        result = fp.monitor(tmp_path / "s", rows, **CHEAP, new_groups="add", run_length=10)
        drawn = fp.monitor(tmp_path / "t", rows, **CHEAP, drawn_within="place")
    held = result.about["held"]["labels"]
    assert f"Human labels of {sum(held):,} of 8,000 rows decide" in " ".join(str(result).split())
    assert "Rates of labels: human labels stand for all rows" in " ".join(result.to_text().split())
    assert result.differs_now and drawn.differs_now is None
    assert "paler without a human label" in result.to_html()
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    jsonschema.Draft202012Validator(fp.MonitorResult.SCHEMA).validate(content)
    few = fp.monitor(tmp_path / "u", judged(100), **CHEAP)
    assert few.lines["note"][0] == "fewer than 30 human labels of each group that count"
    more = fp.monitor(tmp_path / "s", judged(500, seed=9).replace({"sex": {"m": "x"}}))
    assert {*more.lines["group"]} == {"f", "x"}


FRAME = judged(600)


@pytest.mark.parametrize(
    ("change", "arguments", "sentence"),
    [
        ({}, {"cheap_label": None, "chance": "chance"}, "chance goes with cheap_label: give it"),
        ({}, {"ids": "judge"}, "does not go with ids: append a batch when its human labels have"),
        ({}, {"clusters": "judge"}, "does not go with clusters: append one row of each person"),
        ({}, {"y_score": "chance"}, "does not go with y_score: leave it out, or give threshold"),
        ({}, {"y_true": None}, "cheap_label goes with human labels: give y_true too"),
        ({}, {"cheap_label": "none"}, "there is no column `none`"),
        ({}, {"criterion": "xauc"}, "xauc does not apply"),
        ({"y": None}, {}, "column `y` has no value: begin with a batch in which rows drawn at"),
        ({"y": FRAME["y"].where(FRAME["y"] == 1)}, {}, "column `y` has only '1': begin with a"),
        ({"judge": 0.3}, {}, "column `judge` holds '0.3', and `y` only 0, 1: write both in the"),
        (dict.fromkeys(("y", "judge", "yhat"), FRAME.index / 2), {}, "is here for labels and pred"),
        ({"judge": None}, {}, "column `judge` has 600 missing value"),
        ({"chance": 0}, {"chance": "chance"}, "column `chance` holds 0 in row 1: a chance to get"),
        ({"chance": 0.9}, {"chance": "chance"}, "all rows have .* human labels, and by their chan"),
        ({"y": FRAME["judge"].where(FRAME["yhat"] == 1)}, {}, "decision .* name how they were"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_one_sentence(tmp_path, change, arguments, sentence):
    path = tmp_path / "s"
    rows = FRAME.assign(**change)
    one_sentence(sentence, lambda: fp.monitor(path, rows, **{**CHEAP, **arguments}))
    assert not path.exists()


@pytest.mark.parametrize("option", ["cheap_label", "chance", "drawn_within"])
def test_a_state_keeps_its_columns(tmp_path, option):
    fp.monitor(tmp_path / "s", FRAME, **ROWS | {"y_true": "judge"})
    sentence = f"the state was begun with {option} not given, and now it is sex: leave {option} out"
    one_sentence(
        sentence, lambda: fp.monitor(tmp_path / "s", **{"cheap_label": None, option: "sex"})
    )
