"""Pairs that several judges judged are seen without being named."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import fairpairs as fp
from fairpairs.audits.judgments.read import read_judgments
from fairpairs.audits.judgments.settings import JudgmentColumns
from fairpairs.base.reading.table import Table
from fairpairs.cli import app

COLUMNS = {"score": ("score_a", "score_b"), "sensitive": ("group_a", "group_b")}


def pairs(n=300, judges=3, seed=0, digits=6, swapped=True):
    """Rows of each of `judges` people on the same pairs; they agree, but not with the groups."""
    rng = np.random.default_rng(seed)
    one = pd.DataFrame(
        {
            "score_a": rng.normal(size=n).round(digits),
            "score_b": rng.normal(size=n).round(digits),
            "group_a": rng.choice(["f", "m"], n), "group_b": rng.choice(["f", "m"], n),
            "pair": [f"q{i}" for i in range(n)],
        }
    )  # fmt: skip
    likes = rng.random(n) < 0.5
    rows = []
    for judge in range(judges):
        left = np.where(rng.random(n) < 0.95, likes, ~likes)
        part = one.assign(judge=f"j{judge}", winner=np.where(left, "left", "right"))
        if swapped and judge == 1:  # shown in the other order
            names = {"score_a": "score_b", "score_b": "score_a", "group_a": "group_b",
                     "group_b": "group_a"}  # fmt: skip
            part = part.rename(columns=names)
            part["winner"] = np.where(left, "right", "left")
        rows.append(part)
    return pd.concat(rows, ignore_index=True).sample(frac=1, random_state=seed)


def read(frame, **more):
    columns = {name: (",".join(value),) for name, value in COLUMNS.items()} | more
    return read_judgments(JudgmentColumns(**columns), Table.of(frame, "data"))


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("judges", [2, 3, 5])
def test_rows_of_one_pair_are_a_cluster(judges, swapped):
    frame = pairs(judges=judges, swapped=swapped)
    found, named = read(frame, judge="judge"), read(frame, judge="judge", cluster="pair")
    assert pd.crosstab(found.cluster, named.cluster).gt(0).sum().eq(1).all()
    (note,) = found.tables[0].notes.values()
    assert f"{300 * judges:,} rows judge 300 pairs" in note


@pytest.mark.parametrize(
    "frame",
    [
        pairs(judges=1),
        pairs(judges=1, digits=0),  # few different scores make equal rows
        pairs(n=900, judges=1, digits=1),
    ],
)
def test_other_rows_are_left_apart(frame):
    judged = read(frame)
    assert judged.cluster is None
    assert not judged.tables[0].notes


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("order", ["shuffled", "by pair"])
def test_pairs_of_few_scores_are_seen(order, seed):
    frame = pairs(n=160, digits=0, seed=seed, swapped=order == "shuffled")
    if order == "by pair":  # some judgments are missing
        frame = frame.sort_values("pair").drop(index=range(0, 480, 47))
    found = read(frame)
    assert found.cluster.nunique() >= 10
    assert pd.crosstab(found.cluster, frame["pair"].to_numpy()).gt(0).sum().eq(1).all()
    assert "rows judge at least" in found.tables[0].notes["pairs"]


@pytest.mark.parametrize("by", [["score_a"], ["group_a", "score_a"], list(pairs(n=2).columns[:4])])
def test_sorted_rows_are_left_apart(by):
    assert read(pairs(n=400, judges=1, digits=0).sort_values(by)).cluster is None


@pytest.mark.parametrize("scores", [{"verdict": ("likes",), "score": ()}, {}])
def test_ids_that_repeat_are_noted(scores):
    frame = pairs(n=60, judges=8).rename(columns={"pair": "question_id"})
    frame = frame.assign(likes=frame["winner"].to_numpy()[::-1])
    if not scores:
        frame["score_a"], frame["score_b"] = np.random.default_rng(0).normal(size=(2, 480))
    (note,) = read(frame, **scores).tables[0].notes.values()
    assert "`question_id` repeats" in note
    assert "give --cluster question_id" in note
    assert not read(frame, **scores, cluster="question_id").tables[0].notes


@pytest.mark.parametrize("seed", [0, 1])
def test_items_that_rows_share_are_noted_or_refused(seed):
    rng = np.random.default_rng(seed)
    arena = pairs(n=100, judges=6, seed=seed, swapped=False).assign(
        score_b=rng.normal(size=600).round(3)
    )
    with pytest.raises(fp.InputError, match=r"the left item, .* repeats, 6\.0 rows .* --left"):
        read(arena)
    assert not read(arena, cluster="pair").tables[0].notes
    chosen = arena.rename(columns={"score_a": "chosen", "score_b": "rejected"})
    with pytest.raises(fp.InputError, match=r"the left item, .* repeats, 6\.0 rows"):
        read_judgments(JudgmentColumns(sensitive=("group_a",)), Table.of(chosen, "data"))
    by_chance = arena.assign(winner=rng.choice(["left", "right"], 600))
    with pytest.raises(fp.InputError, match=r"about 0\.(19|2\d) of fair models"):
        read(by_chance)  # simulated without the refusal: 0.19 (standard error 0.03)
    apart = by_chance.assign(score_a=arena["score_a"] / 100)  # that of the other side decides
    assert "600 rows share 100 items" in read(apart).tables[0].notes["sides"]


def asked(n=100, each=8, seed=0, alike=True):
    """Judgments of answers to questions, of which some are easy if they are `alike`."""
    rng = np.random.default_rng(seed)
    frame = pairs(n=n * each, judges=1, seed=seed).reset_index(drop=True)
    question = np.arange(n).repeat(each)
    for side in ("group_a", "group_b"):
        frame[side] = rng.choice(["f", "m"], n)[question]
    right = np.where(frame["group_a"] == "f", 0.8, 0.6)
    if alike:
        right = rng.choice([0.15, 0.95], n)[question]
    first = (frame["score_a"] > frame["score_b"]) == (rng.random(n * each) < right)
    return frame.assign(question_id=question, winner=np.where(first, "left", "right"))


GIVEN = {"outcome": "winner", "y_score": "score_a,score_b", "sensitive_features": "group_a,group_b"}


@pytest.mark.parametrize("seed", [0, 1])
def test_judgments_of_one_question_that_agree_beyond_doubt_are_refused(seed, tmp_path):
    frame = asked(seed=seed)
    with pytest.raises(fp.InputError, match=r"`question_id` .* give clusters question_id"):
        fp.audit_judgments(frame, **GIVEN)
    assert "question_id" not in str(fp.audit_judgments(frame, **GIVEN, clusters="question_id"))
    frame.to_csv(tmp_path / "j.csv", index=False)
    command = ["audit-judgments", str(tmp_path / "j.csv"), "--outcome", "winner"]
    command += ["--score", "score_a,score_b", "--sensitive", "group_a,group_b"]
    ran = CliRunner().invoke(app, command)
    assert ran.exit_code == 2
    assert "give --cluster question_id, or drop the column" in ran.output
    assert CliRunner().invoke(app, [*command, "--cluster", "question_id"]).exit_code == 0
    given = {**GIVEN, "judgments": True}
    with pytest.raises(fp.InputError, match="append one row of each"):
        fp.monitor(tmp_path / "m.state", frame, **given)


@pytest.mark.parametrize("seed", range(5))
def test_judgments_that_agree_by_their_groups_alone_are_not(seed):
    checks = fp.audit_judgments(asked(seed=seed, alike=False), **GIVEN).answer.checks
    assert "`question_id` repeats" in checks[0]


@pytest.mark.parametrize("judges", [2, 3])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_pairs_of_few_scores_are_seen_by_their_judges(judges, seed):
    """Rows are shuffled, and one of ten is missing."""
    frame = pairs(n=160, judges=judges, digits=0, seed=seed).sample(frac=0.9, random_state=seed)
    found = read(frame, judge="judge")
    assert pd.crosstab(found.cluster, frame["pair"].to_numpy()).gt(0).sum().eq(1).all()
    rng = np.random.default_rng(seed)
    apart = pairs(n=480, judges=1, digits=0, seed=seed)
    apart["judge"] = rng.choice([f"j{i}" for i in range(judges)], len(apart))
    assert read(apart, judge="judge").cluster is None


def test_what_is_named_is_believed():
    frame = pairs()
    assert read(frame, cluster="pair").cluster.iloc[0].startswith("q")
    frame["left"], frame["right"] = np.arange(900), np.arange(900) + 900
    assert read(frame, left="left", right="right").cluster is None


def test_a_monitor_asks_for_one_row_of_each_pair(tmp_path):
    given = {"y_score": "score_a,score_b", "outcome": "winner", "judgments": True}
    given["sensitive_features"] = "group_a,group_b"
    with pytest.raises(
        fp.InputError, match=r"900 rows judge 300 pairs, .* append one of each pair"
    ):
        fp.monitor(tmp_path / "m.state", pairs(), **given)


def test_an_audit_is_that_of_the_named_pairs():
    frame, given = pairs(seed=1), {"y_score": "score_a,score_b", "outcome": "winner"}
    given |= {"sensitive_features": "group_a,group_b", "judges": "judge"}
    found = fp.audit_judgments(frame, **given)
    named = fp.audit_judgments(frame, **given, clusters="pair")
    columns = ["estimate", "ci_low", "ci_high", "pvalue", "verdict"]
    pd.testing.assert_frame_equal(found.tests[columns], named.tests[columns])
    assert "900 rows judge 300 pairs" in str(found)
