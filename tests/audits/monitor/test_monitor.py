"""What a monitor finds, and that it does not depend on how rows are batched."""

import json
import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp
from fairpairs.audits.monitor import storage
from fairpairs.audits.monitor.figures import _periods, over_time
from fairpairs.audits.monitor.plan import Shown, grid
from fairpairs.audits.monitor.state import Held, History, Line
from fairpairs.audits.monitor.storage import plain
from fairpairs.mathematics.sequential.evidence import limits, pvalue
from fairpairs.mathematics.sequential.rate_bets import RateBets, log_evidence_of_difference
from tests.audits.monitor.streams import GROUPS, JUDGED, ROWS, SCORED, judged, kept, people

pytestmark = pytest.mark.slow


def appended(path, frame, cuts, **arguments):
    """Append a stream that is cut into batches."""
    for start, stop in zip([0, *cuts], [*cuts, len(frame)], strict=True):
        result = fp.monitor(path, frame[start:stop], again=True, **arguments)
    return result


def tracks(path):
    """What a state keeps of rows, but for changes, which know of batches."""
    state = kept(path)
    for track in state.tracks.values():
        vars(track).pop("changes", None)
    return plain([state.plan, state.rows, state.sizes, state.tracks])


@pytest.mark.parametrize(
    ("frame", "arguments"),
    [
        (people(400), {**SCORED, "groups": GROUPS, "margin": 0.1}),
        (people(400),
         {**ROWS, "groups": GROUPS, "criterion": ["separation", "differential_parity"],
          "margin": {"differential_parity": 0.2}}),
        (judged(200), {**JUDGED, "groups": {"dialect": ["x", "y"]}}),
    ],
    ids=["scores", "errors", "judgments"],
)  # fmt: skip
def test_the_state_is_the_same_however_rows_are_batched(tmp_path, frame, arguments):
    arguments["reference"] = {name: of[1] for name, of in arguments["groups"].items()}
    rng = np.random.default_rng(1)
    lines = []
    for i, cuts in enumerate([
        [], sorted(rng.choice(np.arange(1, len(frame)), 6, replace=False).tolist()),
        [1, 2, 3, *range(50, len(frame), 61)],
    ]):  # fmt: skip
        result = appended(tmp_path / str(i), frame, cuts, **arguments)
        lines.append(
            result.to_frame().drop(
                columns=["since", "since_name", "since_rows", "now", "now_since", "periods"]
            )
        )
    assert tracks(tmp_path / "0") == tracks(tmp_path / "1") == tracks(tmp_path / "2")
    for other in lines[1:]:
        pd.testing.assert_frame_equal(lines[0], other)


def test_a_line_is_what_the_bets_say(tmp_path):
    frame = people(1500)
    result = fp.monitor(tmp_path / "s", frame, **ROWS, margin=0.05)
    bets = RateBets.new(grid(0.05), 0.1)
    positives = frame[frame["y"] == 1]
    bets.append((positives["sex"] == "f").to_numpy(), (positives["yhat"] == 1).to_numpy())
    (row,) = result.lines[(result.lines["measure"] == "TPR") & (result.lines["group"] == "f")]\
        .to_dict("records")  # fmt: skip
    rates = positives.groupby("sex")["yhat"].mean()
    assert row["estimate"] == pytest.approx(rates["f"] - rates["m"])
    assert (row["ci_low"], row["ci_high"]) == limits(bets.log_wealth, bets.differences, 0.05)
    assert row["pvalue"] <= float(
        pvalue(log_evidence_of_difference(bets.log_wealth, bets.differences))
    ) * (1 + 1e-9)
    assert row["items"] == (positives["sex"] == "f").sum()
    assert row["verdict"].startswith("violated") and result.violated is not None
    adjusted = result.lines["pvalue_adjusted"]
    assert result.pvalue == adjusted.min() < adjusted.max()


def test_accuracy_equal_opportunity_and_absolute_errors_are_monitored(tmp_path):
    """As selection rates of right predictions, the TPR of separation, and mean distances."""
    frame = people(1500).assign(right=lambda f: (f["y"] == f["yhat"]).astype(int))
    frame["number"], frame["guess"] = np.arange(1500) % 37 / 7, np.arange(1500) % 41 / 7
    frame["distance"] = (frame["guess"] - frame["number"]).abs()
    columns = ["estimate", "ci_low", "ci_high", "pvalue", "pvalue_within", "items"]
    sex = {"sensitive_features": "sex"}
    cases = [
        ("accuracy", {}, {"y_pred": "right", "criterion": "demographic_parity"}),
        ("equal_opportunity", {}, {"criterion": "equalized_odds"}),
        (
            "mean_absolute_error",
            {"y_true": "number", "y_pred": "guess"},
            {"y_true": None, "y_pred": "distance", "criterion": "demographic_parity"},
        ),
    ]
    for name, change, other in cases:
        margin = {"margin": {name: 0.2}}
        ours = fp.monitor(
            tmp_path / name, frame, **{**ROWS, **sex, **change, **margin, "criterion": name}
        )
        margin = {"margin": {other["criterion"]: 0.2}}
        theirs = fp.monitor(tmp_path / f"{name} 2", frame, **{**ROWS, **sex, **margin, **other})
        assert ours.about["criterion"] == [name]
        (ours, theirs) = (
            result.lines[result.lines["counts"]][columns].head(1) for result in (ours, theirs)
        )
        pd.testing.assert_frame_equal(ours, theirs.reset_index(drop=True))
        assert ours["pvalue_within"].notna().all()


def test_a_violation_stays_and_says_since_when(tmp_path):
    early, late = people(3000, gap=0.3), people(30_000, gap=0.0, seed=1)
    path = tmp_path / "s"
    fp.monitor(path, people(100, gap=0, seed=2), **ROWS)
    assert fp.monitor(path, early).violated
    result = fp.monitor(path, late)
    (row,) = result.lines.query("measure == 'TPR' and group == 'f'").to_dict("records")
    assert result.violated and row["verdict"] == "violated"
    assert (row["since"], row["since_rows"]) == (2, 3100)
    assert abs(row["estimate"]) < 0.06


def _weeks(path, weeks, gap, **arguments):
    for week in weeks:
        result = fp.monitor(path, people(1000, gap, seed=week), batch_name=f"W{week}", **arguments)
    return result


def test_a_change_is_dated_and_may_end_while_the_violation_stays(tmp_path):
    path = tmp_path / "s"
    quiet = _weeks(path, range(1, 11), 0, **ROWS)
    assert quiet.differs_now is False and not quiet.violated
    assert set(quiet.lines["now"]) == {"no change", ""}  # selection rates do not count
    first = _weeks(path, [11], 0.3)
    assert first.new_gap and first.answer.reasons[0].startswith("New since W11: the TPR of sex=f")
    result = _weeks(path, range(12, 21), 0.3)
    assert result.new_gap is False
    (row,) = result.lines.query("measure == 'TPR' and group == 'f'").to_dict("records")
    assert (row["now"], row["now_since"], row["periods"]) == ("differs", 11, "11-")
    assert result.differs_now
    since = pd.concat([people(1000, 0.3, seed=week) for week in range(11, 21)])
    since = since[since["y"] == 1].groupby("sex")["yhat"].mean()
    assert row["now_estimate"] == pytest.approx(since["f"] - since["m"])
    points = f"{100 * (since['m'] - since['f']):.0f} points"
    told = f"Since W11 (reported before): the TPR of sex=f is {points} lower than that of sex=m."
    assert result.answer.reasons[0] == told
    assert str(result).startswith("GAP since W11 (batch 11 of 20): sex=f and sex=m differ by ")
    early = fp.monitor(tmp_path / "e", people(20_000, 0), **ROWS, batch_name="W0")
    early = _weeks(tmp_path / "e", [11], 0.3)
    assert early.differs_now and early.new_gap and not early.violated
    assert early.answer.headline == "UNDECIDED so far"
    ended = _weeks(path, range(21, 31), 0)
    (row,) = ended.lines.query("measure == 'TPR' and group == 'f'").to_dict("records")
    assert (row["now"], row["now_since"], row["periods"]) == ("no longer", 21, "11-20")
    assert ended.answer.reasons[0] == "No gap now, since W21; there was one from W11 to W20."
    assert ended.differs_now is False and ended.violated
    short = replace(ended, lines=ended.lines.replace("11-20", "11-11"))
    assert short.answer.reasons[0] == "No gap now, since W21; there was one in W11."
    assert str(ended).startswith("GAP from W11 to W20: sex=f and sex=m differed in TPR; no gap ")
    assert "11-20" in ended.to_text() and ended.about["run_length"] == "1,000 batches"


def test_a_run_length_may_be_in_rows_and_judgments_are_watched(tmp_path):
    path = tmp_path / "s"
    result = _weeks(path, range(1, 6), 0.5, **ROWS, run_length="500000 rows")
    assert result.about["run_length"] == "500,000 rows" and result.differs_now
    assert kept(path).changes()[0].changes.batch == 5
    assert fp.monitor(path, run_length="500000rows").about["rows"] == 5000
    with pytest.raises(
        fp.InputError, match="begun with run_length 500,000 rows, and now it is 50 "
    ):
        fp.monitor(path, run_length=50)
    halves = [judged(2000, seed=seed) for seed in (0, 1)]
    for half in halves:
        result = fp.monitor(tmp_path / "j", half, **JUDGED)
    assert result.differs_now
    scores = {**ROWS, "y_pred": "s", "y_score": None}
    assert fp.monitor(tmp_path / "x", people(300), **scores).differs_now is None


@pytest.mark.parametrize(("good", "cost"), [(1, True), ("0", False), (None, None)])
def test_what_is_to_the_cost_of_a_group_follows_the_favourable_outcome(tmp_path, good, cost):
    result = fp.monitor(tmp_path / "s", people(3000), **ROWS, favourable=good)
    assert result.about["positive"] == "1"
    assert result.about["favourable"] == (None if good is None else str(good))
    (tpr,) = (o for o in result.answer.findings if (o.group, o.measure) == ("f", "TPR"))
    assert tpr.cost is cost
    end = {True: " This harms sex=f.", False: " This favours sex=f.", None: "since batch 1."}
    assert tpr.sentence.endswith(end[cost])
    looked = fp.monitor(tmp_path / "s")
    assert looked.answer.reasons[1:] == result.answer.reasons[1:] and not looked.new_gap


def test_batches_are_called_by_their_names_or_numbers(tmp_path):
    path = tmp_path / "s"
    for i, name in enumerate(["2026-W01", None, "2026-W03"]):
        result = fp.monitor(path, people(2000, gap=0.4 * (i == 2), seed=i), **ROWS, batch_name=name)
    assert result.about["batch_names"] == ["2026-W01", "", "2026-W03"]
    (row,) = result.lines.query("measure == 'TPR' and group == 'f'").to_dict("records")
    assert (row["since"], row["since_name"]) == (3, "2026-W03")
    assert "in 3 batches, 2026-W01 to 2026-W03" in result.answer.subject
    assert result.answer.headline == "GAP since 2026-W03 (batch 3 of 3)"
    assert result.answer.reasons[1].endswith("; shown since 2026-W03.")
    assert result.history["batch_name"].drop_duplicates().tolist() == ["2026-W01", "2", "2026-W03"]
    assert "2026-W03" in result.to_text()
    looks = result.history.query("measure == 'TPR' and group == 'f'")
    third = people(2000, gap=0.4, seed=2).query("y == 1").groupby("sex")["yhat"].mean()
    assert looks["between"].iloc[-1] == pytest.approx(third["f"] - third["m"], abs=1e-6)
    drawn = re.findall(r"<text[^>]*>([^<]*)</text>", over_time(row, looks, prefix="m"))
    assert drawn[:3] == ["2026-W01", "2", "2026-W03"]
    pd.testing.assert_frame_equal(fp.monitor(path).history, result.history)


def test_the_figure_of_a_line_reaches_as_far_as_its_late_estimates_and_last_interval():
    looks = pd.DataFrame(
        {"rows": [5, 500, 1000], "estimate": [0.9, 0.04, 0.01], "ci_low": [-1, -0.2, -0.05],
         "ci_high": [1, 0.3, 0.08], "batch_name": ["1", "2", "3"], "batch": [1, 2, 3],
         "between": [np.nan, -0.02, 0.01]}
    )  # fmt: skip
    row = {"margin": np.nan, "since": 0, "periods": ""}
    drawn = over_time(row, looks, prefix="m")
    shaded = over_time(row | {"periods": "1-1, 3-"}, looks, prefix="m")
    assert shaded.count("<path") == drawn.count("<path") + 2
    assert list(_periods("1-1, 3-", 3)) == [(0.5, 1.5), (2.5, 3.5)]
    ticks = re.findall(r"<text[^>]*>([^<]*)</text>", drawn)
    assert "−0.05" in ticks and not {"−0.1", "−0.2", "0.5"} & set(ticks)


def test_what_is_monitored_follows_from_the_columns(tmp_path):
    frame = people(300).assign(number=np.arange(300) % 37 / 7, guess=np.arange(300) % 41 / 7)
    cases = {
        "labels": (ROWS, ["TPR", "FPR", "selection rate"], ["separation"]),
        "scores": (SCORED, ["TPR", "FPR", "AUC", "xAUC", "selection rate"], ["separation", "xauc"]),
        "score": ({**ROWS, "y_pred": "s"}, ["AUC", "xAUC", "mean prediction"], ["xauc"]),
        "numbers": (
            {**ROWS, "y_true": "number", "y_pred": "guess"},
            ["mean error", "mean prediction"], ["differential_parity"],
        ),
        "decisions": ({**ROWS, "y_true": None}, ["selection rate"], ["demographic_parity"]),
    }  # fmt: skip
    for name, (arguments, measures, counted) in cases.items():
        result = fp.monitor(tmp_path / name, frame, **arguments)
        assert list(dict.fromkeys(result.lines["measure"])) == measures, name
        assert result.about["criterion"] == counted
        in_blocks = name in ("scores", "score", "numbers")
        assert ("are compared within blocks of time" in str(result)) == in_blocks
        assert len(result.lines) == 3 * len(measures)  # sex: f; race: two others


def test_judgments_are_compared_across_and_within(tmp_path):
    frame = judged(6000)
    result = fp.monitor(tmp_path / "s", frame, **JUDGED)
    lines = result.lines.set_index("measure")
    assert list(lines.index) == ["comparative, across", "comparative, within"]
    assert set(lines["verdict"]) == {"violated"}
    won = frame["winner"] == "model_a"
    hit = won == (frame["score_a"] > frame["score_b"])
    winner = frame["dialect_a"].where(won, frame["dialect_b"])
    loser = frame["dialect_b"].where(won, frame["dialect_a"])
    rate = hit.groupby([winner, loser]).mean()
    assert lines.loc["comparative, across", "estimate"] == pytest.approx(
        rate["x", "y"] - rate["y", "x"]
    )
    assert lines.loc["comparative, within", "estimate"] == pytest.approx(
        rate["x", "x"] - rate["y", "y"]
    )
    assert result.about["judgments"]


def test_judgments_without_a_winner_are_left_out(tmp_path):
    frame = judged(100)
    frame.loc[:9, "winner"] = "tie"
    result = fp.monitor(tmp_path / "s", frame, **JUDGED)
    assert "10 judgment(s) without a winner are left out" in result.about["notes"][0]
    assert result.lines["items"].sum() + result.lines["items_reference"].sum() == 90


def test_ten_thousand_batches_of_a_hundred_lines_take_about_a_megabyte(tmp_path):
    frame = people(60)
    frame["race"] = [f"group {i % 20}" for i in range(60)]
    path = tmp_path / "s"
    fp.monitor(path, frame, **SCORED, margin=0.05)
    state, rng = kept(path), np.random.default_rng(0)
    assert len(state.since) == 20 * 5
    state.digests = [rng.bytes(6).hex() for _ in range(10_000)]
    state.names = [f"batch {i}" for i in range(10_000)]
    state.held = [Held(*rng.integers(0, 10**6, 3).tolist()) for _ in range(10_000)]
    batches = list(range(50, 50 * 201, 50))
    looks = rng.random((200, 100, 3), dtype=np.float32)
    counts = list(rng.integers(0, 10**5, (200, 100, 2, 2)).cumsum(axis=0).astype(float))
    state.history = History(50, batches, [1_000_000 * i for i in batches], list(looks), counts)
    storage.update(path, lambda *_: plain(state))
    assert path.stat().st_size < 1_100_000
    result = fp.monitor(path, people(40, seed=3).assign(race="group 1"))
    assert result.about["batches"] == 10_001 and len(result.history) == 100 * 201


def test_the_history_keeps_at_most_two_hundred_looks():
    history = History()
    for batch in range(1, 1001):
        shown = Shown(batch / 8, 0.0, math.nan, 0.0, 0.0, 0.0, (1, 1))
        history.add(batch, 10 * batch, [Line("sex", "f", "m", "separation", "TPR", shown)])
        assert len(history.batch) == len(history.lines) <= 200
    assert history.every == 8 and history.batch == list(range(8, 1001, 8))
    assert [look[0, 0] for look in history.lines] == list(range(1, 126))


def test_blocks_of_parquet_give_the_same_state(tmp_path, monkeypatch):
    frame = people(1000)
    frame.to_parquet(tmp_path / "p.parquet", row_group_size=300)
    fp.monitor(tmp_path / "a", tmp_path / "p.parquet", **SCORED)
    monkeypatch.setattr("fairpairs.audits.monitor.batches.BLOCK", 170)
    fp.monitor(tmp_path / "b", tmp_path / "p.parquet", **SCORED)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_group_that_is_absent_is_a_note(tmp_path):
    path = tmp_path / "s"
    fp.monitor(path, people(300), **ROWS)
    for seed in (1, 2):
        result = fp.monitor(path, people(300, seed=seed).query("race != 'c'"))
    assert result.about["notes"] == ["race: the group c has no row in the last 2 batches."]
    assert "race: the group c has no row in the last 2 batches." in result.to_text()


def test_ids_that_repeat_in_a_batch_are_a_note(tmp_path):
    frame = people(200).assign(user_id=np.arange(200) // 4, row_id=range(200))
    (note,) = fp.monitor(tmp_path / "s", frame, **ROWS).about["notes"]
    assert note.startswith("data: Column `user_id` repeats, 4.0 rows to a value on average")
    pairs = judged(100).assign(item_a=range(100), item_b=[0, 1, *range(102, 200)])
    (note,) = fp.monitor(tmp_path / "t", pairs, **JUDGED).about["notes"]
    assert note.startswith("data: 2 of the items of `item` were judged before in this batch")
    fresh = judged(100, seed=1).assign(item_a=range(100), item_b=range(100, 200))
    assert fp.monitor(tmp_path / "t", fresh).about["notes"] == []


def test_looking_changes_nothing(tmp_path):
    path = tmp_path / "s"
    first = fp.monitor(path, people(300), **ROWS)
    before = path.read_bytes()
    again = fp.monitor(path)
    assert path.read_bytes() == before
    pd.testing.assert_frame_equal(first.lines, again.lines)
    pd.testing.assert_frame_equal(first.history, again.history)


def test_the_page_draws_each_line_and_the_files_are_written(tmp_path):
    options = {**SCORED, "sensitive_features": "sex", "margin": 0.05}
    fp.monitor(tmp_path / "s", people(3000), **options)
    result = fp.monitor(tmp_path / "s", people(3000, seed=1))
    page = result.to_html()
    assert page.count("<figure") == 2 + len(result.lines) and page.startswith("<!DOCTYPE html>")
    assert not re.search(r'(src|href)="http', page)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    result.write(tmp_path / "out")
    written = pd.read_csv(tmp_path / "out/monitor.csv")
    assert len(written) == len(result.lines)
    assert len(pd.read_csv(tmp_path / "out/history.csv")) == 2 * len(result.lines)
    content = json.loads((tmp_path / "out/monitor.json").read_text("utf-8"))
    assert content["violated"] is True and content["format"] == 3
    assert "<svg" in result._repr_html_() and str(result) == str(result.answer)


def test_a_note_says_that_a_pooled_rate_is_not_in_its_interval(tmp_path):
    """The selection rate of both groups rises, and so does the share of one."""
    rng = np.random.default_rng(1)
    n = 6000
    when = np.arange(n) / n
    rows = pd.DataFrame({
        "yhat": (rng.random(n) < 0.2 + 0.6 * when).astype(int),
        "sex": np.where(rng.random(n) < 0.2 + 0.6 * when, "f", "m"),
    })  # fmt: skip
    result = fp.monitor(tmp_path / "s", rows, y_pred="yhat", sensitive_features="sex")
    row = result.lines.set_index("measure").loc["selection rate"]
    assert row["ci_low"] < 0 < row["ci_high"] < row["estimate"]
    assert "rates and shares drift" in row["note"]
    assert "rates and shares drift" in result.to_text()


def test_a_group_without_a_row_of_a_label_is_named(tmp_path):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"y": rng.integers(0, 2, 400), "p": rng.integers(0, 2, 400)})
    rows["g"] = np.where(np.arange(400) < 20, "c", rng.choice(["a", "b"], 400))
    rows.loc[rows["g"] == "c", "y"] = 0
    columns = {"y_true": "y", "y_pred": "p", "sensitive_features": "g"}
    result = fp.monitor(tmp_path / "s", rows, margin=0.2, **columns)
    assert "Cannot be tested: no row of g=c has y 1." in str(result.answer)
