"""New groups, resets, windows, and persons with several rows."""

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp
from fairpairs.audits.monitor.figures import strip
from fairpairs.audits.monitor.plan import Groups, Plan
from fairpairs.audits.monitor.rows import codes
from fairpairs.mathematics.inference.contrasts.score import ScoreContrast
from fairpairs.mathematics.sequential.rate_bets import log_factors
from tests.audits.monitor.streams import JUDGED, ROWS, SCORED, judged, kept, people
from tests.audits.monitor.test_bad_input import one_sentence

pytestmark = pytest.mark.slow
#: What a line shows that does not depend on batches before it.
SHOWN = ["measure", "group", "estimate", "ci_low", "ci_high", "pvalue", "items", "items_reference"]
REFERENCE = {"race": "a"}


def new_group(seed, **change):
    frame = people(900, seed=seed)
    return frame.assign(race=frame["race"].replace("c", "new"), **change)


def appended(path, batches, names=None, **options):
    for i, batch in enumerate(batches):
        name = names and names[i]
        result = fp.monitor(path, batch, batch_name=name, **(options if not i else {}))
    return result


def lines(result, group=None):
    rows = result.lines if group is None else result.lines[result.lines["group"] == group]
    return rows[SHOWN].reset_index(drop=True)


@pytest.mark.parametrize("arguments", [SCORED, {**ROWS, "y_true": None}])
def test_the_lines_of_a_new_group_are_those_of_a_state_that_begins_with_it(tmp_path, arguments):
    path, batches = tmp_path / "s", [new_group(seed) for seed in (1, 2)]
    options = {**arguments, "reference": REFERENCE}
    fp.monitor(path, people(900), **options, new_groups="add")
    for batch in batches:
        result = fp.monitor(path, batch)
        fresh = fp.monitor(
            tmp_path / "t", batch[batch["race"].isin(["a", "new"])],
            **options | {"sensitive_features": "race"},
        )  # fmt: skip
    pd.testing.assert_frame_equal(lines(result, "new"), lines(fresh, "new"))
    assert fp.monitor(path).about["attributes"]["race"]["groups"]["new"] > 500
    first = result.history.query("group == 'new'").groupby("measure").first()
    assert first["estimate"].notna().all() or "xauc" in set(result.lines["criterion"])
    kept = fp.monitor(tmp_path / "u", pd.concat([people(900), *batches]).query("race != 'new'"),
                      **options)  # fmt: skip
    pd.testing.assert_frame_equal(lines(result, "b"), lines(kept, "b"))
    joined = appended(tmp_path / "v", [people(300), new_group(1)], **options, new_groups="add")
    assert joined.about["notes"][0] == "data: the group new of race is new, compared from here on."


def test_the_levels_of_all_who_join_sum_to_that_of_the_state(tmp_path):
    shares = [Plan.share(_adding(), cohort) for cohort in range(10_000)]
    assert sum(shares) < 1 and sum(shares) == pytest.approx(1, abs=1e-4)
    options = {**ROWS, "reference": REFERENCE, "sensitive_features": "race"}
    batches = [people(900), new_group(1)]
    result = appended(tmp_path / "s", batches, **options, new_groups="add")
    plain = fp.monitor(tmp_path / "t", batches[0], **options)
    for row in plain.lines.query("group == 'c'").to_dict("records"):
        ours = result.lines.query(f"group == 'c' and measure == '{row['measure']}'")
        assert ours["pvalue"].item() <= row["pvalue"]
    with_z = fp.monitor(tmp_path / "u", people(900), **options, new_groups="add")
    counted = plain.lines["pvalue_adjusted"]
    expected = np.minimum(counted / 0.8, 1)
    assert with_z.lines["pvalue_adjusted"].to_list() == pytest.approx(expected.to_list(), rel=1e-8)
    thresholds = {of.changes.threshold for of in kept(tmp_path / "s").changes()}
    assert thresholds == {1000 * result.lines["counts"].sum()}
    new = result.lines.query("group == 'new' and counts")
    smallest = new["pvalue"].min()
    assert new["pvalue_adjusted"].min() == pytest.approx(min(2 * smallest / 0.1, 1))


def _adding():
    return Plan({}, False, None, None, {}, (), (), {}, 0.1, 0.05, new_groups=True)


def test_new_groups_of_judgments_join(tmp_path):
    path = tmp_path / "s"
    options = {**JUDGED, "reference": {"dialect": "x"}}
    fp.monitor(path, judged(400), **options, new_groups="add")
    batch = judged(400, seed=1).replace({"dialect_a": {"y": "z"}, "dialect_b": {"y": "z"}})
    result = fp.monitor(path, batch)
    fresh = fp.monitor(tmp_path / "t", batch, **options)
    pd.testing.assert_frame_equal(lines(result, "z"), lines(fresh))


def test_a_reset_begins_anew_and_keeps_batches_and_reason(tmp_path):
    path = tmp_path / "s"
    options = {**SCORED, "clusters": "id", "groups": {"race": ["new"]}, "reference": REFERENCE}
    batches = [people(900, 0.4, seed=seed).assign(id=range(900)) for seed in range(3)]
    fp.monitor(path, batches[0], **options, batch_name="W1")
    result = fp.monitor(path, batches[1], reset="new model", batch_name="W2")
    fresh = fp.monitor(tmp_path / "t", batches[1], **options)
    pd.testing.assert_frame_equal(lines(result), lines(fresh))
    (reset,) = result.about["resets"]
    assert (reset["after"], reset["reason"], result.about["batches"]) == (1, "new model", 2)
    assert any(text.startswith("TPR of f (sex), since W1") for text in reset["violated"])
    assert result.about["rows"] == 900 and set(result.history["batch"]) == {2}
    assert "since the reset (new model)" in str(result)
    assert "reset after batch 1: new model; violated until then: TPR of f" in result.to_text()
    one_sentence("was appended before, as batch 1", lambda: fp.monitor(path, batches[0]))
    assert "<svg" in result.to_html() and "stroke-dasharray" in strip(result.about, prefix="b")


def test_a_window_shows_the_last_batches_alone(tmp_path):
    batches = [people(600, gap, seed=seed) for seed, gap in enumerate((0, 0, 0.3, 0.3))]
    for path, window, names in (
        ("s", 2, None),
        ("t", "14 days", ["2026-01-01", "2026-01-10", "2026-W04", "2026-02-01"]),
    ):
        result = appended(tmp_path / path, batches, names, **ROWS, window=window)
        rows = pd.concat(batches[-2:]).query("y == 1")
        hits = rows["yhat"].groupby(rows["sex"]).agg(["mean", "size"]).loc[["f", "m"]]
        contrast = ScoreContrast(
            hits["mean"].to_numpy(), hits["size"].to_numpy(), np.array([1.0, -1.0])
        )
        (row,) = result.lines.query("measure == 'TPR' and group == 'f'").to_dict("records")
        shown = [row[f"window_{name}"] for name in ("estimate", "low", "high")]
        assert shown == pytest.approx([contrast.estimate, *contrast.limits(0.05)], rel=1e-8)
        assert abs(row["estimate"]) < abs(row["window_estimate"])
        assert f"last {result.about['window']}" in result.to_text()
    first = fp.monitor(tmp_path / "u", batches[0], **ROWS, window=5).lines
    pd.testing.assert_series_equal(
        first["estimate"], first["window_estimate"], check_names=False, rtol=1e-8
    )


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ({"window": 0}, "window: 0 is none: give a number of batches, such as 13, or of days"),
        ({"window": "90 weeks"}, "window: '90 weeks' is none"),
        ({"window": 3}, "begun with window 14 days, and now it is 3 batches"),
        ({"data": 1, "batch_name": "week"}, "batch_name: 'week' is no date, and window is in days"),
        ({"data": 1, "batch_name": "2026-13-01"}, "'2026-13-01' is no date"),
        ({"data": 1, "batch_name": "2025-12-31"}, "date of 2025-12-31 is before that of the batch"),
        ({"new_groups": "add"}, "begun with new_groups refuse, and now it is add"),
        ({"new_groups": "join"}, "new_groups"),
        ({"clusters": "id"}, "begun with clusters not given, and now it is id"),
        ({"ids": "id"}, "begun with ids not given, and now it is id"),
        ({"reset": "x"}, "reset begins a state anew with the batch that follows: name a state"),
        ({"data": 1, "reset": " "}, "reset: ' ' is no reason: say why in one line"),
        ({"data": 1, "reset": 5}, "reset must say why, as a text; it is 5"),
    ],
)
def test_what_does_not_fit_is_refused(begun, call, sentence):
    path = begun(people(300), **ROWS, window="14 days", batch_name="2026-01-01")
    before = path.read_bytes()
    if call.get("data"):
        call = {"batch_name": "2026-01-03", **call, "data": people(300, seed=1)}
    one_sentence(sentence, lambda: fp.monitor(path, **call))
    assert path.read_bytes() == before


def test_more_groups_than_twenty_do_not_join(tmp_path):
    path = tmp_path / "s"
    fp.monitor(path, people(300), **ROWS, new_groups="add")
    frame = people(300, seed=1).assign(race=[f"g{i % 18}" for i in range(300)])
    one_sentence(
        "'g0', with which there are 21 groups, more than 20", lambda: fp.monitor(path, frame)
    )


def with_persons(seed, first=0):
    """Rows of which each person has one to four, all of one group."""
    frame = people(800, seed=seed)
    person = np.repeat(np.arange(800), 1 + np.arange(800) % 4)[:800]
    groups = frame[["sex", "race"]].iloc[person].reset_index(drop=True)
    shuffled = np.random.default_rng(seed).permutation(800)
    return frame.assign(**groups, person=person + first).iloc[shuffled]


def test_the_rows_of_a_person_are_one_item(tmp_path):
    frame = with_persons(0)
    result = fp.monitor(tmp_path / "s", frame, **SCORED, clusters="person")
    positive = frame[frame["y"] == 1].groupby("person").agg({"sex": "first", "yhat": "mean"})
    rates = positive.groupby("sex")["yhat"].agg(["mean", "size"])
    (row,) = result.lines.query("measure == 'TPR' and group == 'f'").to_dict("records")
    assert row["estimate"] == pytest.approx(rates["mean"]["f"] - rates["mean"]["m"], abs=1e-6)
    assert (row["items"], row["items_reference"]) == tuple(rates["size"])
    (row,) = result.lines.query("measure == 'AUC' and group == 'f'").to_dict("records")
    assert row["items"] + row["items_reference"] == frame["person"].nunique()
    assert "a person of an earlier batch is left out" in " ".join(result.to_text().split())


def test_persons_with_one_row_change_nothing_and_those_of_before_are_left_out(tmp_path):
    frame = people(600).assign(person=[f"p{i}" for i in range(600)])
    ours = fp.monitor(tmp_path / "s", frame, **SCORED, clusters="person")
    pd.testing.assert_frame_equal(lines(ours), lines(fp.monitor(tmp_path / "t", frame, **SCORED)))
    both = people(600, seed=1).assign(person=[f"p{i + 400}" for i in range(600)])
    ours = fp.monitor(tmp_path / "s", both)
    assert ours.about["notes"] == [
        "data: 200 row(s) of persons of earlier batches are left out: a person counts once."
    ]
    plain = fp.monitor(tmp_path / "t", both[200:])
    pd.testing.assert_frame_equal(lines(ours), lines(plain))
    assert ours.differs_now == plain.differs_now


def test_a_person_of_two_groups_and_judgments_with_persons_are_refused(tmp_path):
    frame = people(300).assign(person=np.arange(300) // 2)
    one_sentence(
        "the person of row .* has another group of `sex` in an earlier row",
        lambda: fp.monitor(tmp_path / "s", frame, **ROWS, clusters="person"),
    )
    assert not (tmp_path / "s").exists()
    one_sentence(
        "clusters is of rows, not of judgments",
        lambda: fp.monitor(tmp_path / "s", judged(100), **JUDGED, clusters="item"),
    )


def test_shares_of_a_hit_multiply_wealth_by_at_most_1_on_average():
    """By all outcomes of 2 + 3 persons with 0, 1/2 or 1, on the edge of the hypotheses."""
    values, chances = np.array([0, 0.5, 1]), np.array([[0.3, 0.4, 0.3], [0.2, 0.5, 0.3]])
    outcomes = np.stack(np.meshgrid(*[np.arange(3)] * 5, indexing="ij"), -1).reshape(-1, 5)
    chance = chances[0][outcomes[:, :2]].prod(axis=1) * chances[1][outcomes[:, 2:]].prod(axis=1)
    hits = np.stack([values[outcomes[:, :2]].sum(1), values[outcomes[:, 2:]].sum(1)], axis=-1)
    difference = chances[0] @ values - chances[1] @ values
    for before in ([30, 20], [20, 30]):
        items, earlier = np.array([60, 60]), np.array(before)
        factors = log_factors(
            items, earlier, np.array([2, 3]), hits, np.array([difference]), gap=0.1
        )
        assert (chance @ np.exp(factors[..., 0]) <= 1 + 1e-12).all()


def test_a_state_that_calls_groups_true_goes_on():
    groups = Groups(("false", "true"), 0)
    assert codes(["False", "True"], np.array([1, 0, 1]), groups, "a").tolist() == [1, 0, 1]
    with pytest.raises(fp.InputError, match="has the group 'maybe', which is none of the groups"):
        codes(["maybe"], np.array([0]), groups, "a")
