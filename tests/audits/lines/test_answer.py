"""The answers of all audits: short, in agreement with what is tested, and right in words."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
import yaml

import fairpairs as fp
from fairpairs.audits.criteria import MEASURES
from fairpairs.audits.criteria.sentences import brief, compared_in_words
from fairpairs.audits.groups.result import unexplained
from fairpairs.audits.lines.about import lower
from fairpairs.audits.lines.answer import COLUMNS, Answer, of_groups
from fairpairs.audits.lines.findings import (
    FOUND,
    STATES,
    Finding,
    open_groups,
    reasons,
    times_as_many,
)
from fairpairs.audits.lines.words import called, difference, percents
from fairpairs.mathematics.power.equivalence import power_within
from fairpairs.mathematics.power.items import items_from_rates

#: Words for the size of an effect, which only the tables of a paper have.
ADJECTIVES = re.compile(
    r"negligible|huge|\b(small|medium|large) (effect|difference|gap|change)"
    r"|, (small|medium|large)\b"
)


def people(n=2000, *, gap=0.2, groups=("f", "m"), seed=0):
    rng = np.random.default_rng(seed)
    sex, y = rng.choice(groups, n), rng.integers(0, 2, n)
    wrong = rng.random(n) < np.where(sex == groups[0], 0.1 + gap, 0.1)
    other = rng.choice(["a", "b", "c"], n)
    return pd.DataFrame({"y": y, "p": np.where(wrong, 1 - y, y), "sex": sex, "area": other})


def audited(frame, names=("sex",), **options):
    return fp.audit(frame["y"], frame["p"], sensitive_features=frame[[*names]], **options)


ONE = Finding(
    "sex, against m", "f", "TPR", "open", 0.1, 0.0, 0.2, 0.05, "A.", 100, 4.0, attribute="sex"
)


@pytest.mark.parametrize("n_groups", [1, 3, 15, 200])
@pytest.mark.parametrize("measures", [1, 4, 9])
def test_an_answer_fits_a_window_and_cuts_no_sentence(n_groups, measures):
    findings = [
        Finding(f"attribute {i % 7}", f"group {i} " + "x" * (i % 90), f"measure {k}",
                STATES[(i + k) % len(STATES)], 0.1 * k, 0.0, 0.5, 0.1, "word " * 20 + "end.", 10**9)
        for i in range(n_groups) for k in range(measures)
    ]  # fmt: skip
    answer = Answer(
        "?", "FAIL", "FAIL", "long " * 20 + "end", "subject " * 50, findings,
        reasons(findings, STATES), "open " * 20, "next", "basis " * 20,
    )  # fmt: skip
    lines = answer.to_text(24).split("\n")
    assert len(lines) <= 24 and max(map(len, lines)) <= COLUMNS
    # what the answer rests on leaves first
    assert ("subject" in "".join(lines)) is (n_groups == 1 and measures < 9)
    assert all(text in " ".join(" ".join(lines).split()) for text in ("long end.", "word end."))
    whole = answer.to_text()
    assert whole.count("subject") == 50
    assert sum(line.startswith("  group") for line in whole.split("\n")) == n_groups
    assert "--details" not in whole
    assert f"<pre>{whole[:7]}" in answer._repr_html_()


def test_a_window_shows_the_gravest_groups_and_counts_the_others():
    findings = [
        Finding("g", f"group {i}", "TPR", "beyond" if i == 77 else "within", 0.1) for i in range(90)
    ]
    answer = Answer("?", "FAIL", "FAIL", "so", "s", findings)
    text = answer.to_text(20)
    assert "group 77" in text and "more groups: --details" in text
    few = Answer("?", "FAIL", "FAIL", "so", "s", findings[:3])
    assert "more group" not in few.to_text(9)  # a row instead of a line that counts it


NAMES = {"label": "repaid", "prediction": "approved", "score": "points", "positive": "yes",
         "group": "women", "reference": "men"}  # fmt: skip
SENTENCES = yaml.safe_load(Path(__file__).with_name("sentences.yaml").read_text("utf-8"))


@pytest.mark.parametrize("measure", SENTENCES)
def test_each_measure_has_a_sentence(measure):
    text = compared_in_words(MEASURES[measure], NAMES, (-0.2, -0.3, -0.1), (0.7, 0.9))
    assert text == SENTENCES[measure]


LACKING = Finding(
    "sex, against m", "x", "TPR", "open", math.nan, lacks=["no row of x has y 1"], attribute="sex"
)
DIFFERS = replace(ONE, state="differs", low=0.04, brief="f and m differ", attribute="")
#: (findings, margin, violated, shown, batches so far) → what is answered.
ANSWERS = [
    ([DIFFERS], "", True, None, "", "DIFFERENCE FOUND: f and m differ"),
    ([ONE], "", False, None, "", "NO DIFFERENCE FOUND: this does not show that there is none"),
    ([LACKING], "", None, None, "", "UNDECIDED: no row of x has y 1"),
    ([ONE], "", None, None, "", "UNDECIDED: too few rows to test any difference"),
    ([DIFFERS], "5 points", True, False, "", "FAIL: f and m differ (margin: 5 points)"),
    ([ONE], "5 points", False, True, "", "PASS: no two groups differ by more than 5 points"),
    ([ONE, LACKING], "5 points", False, None, "",
     "UNDECIDED: too little data for sex=f and sex=x"),
    ([DIFFERS, LACKING], "5 points", False, None, "",
     "UNDECIDED: f and m differ, which may be more or less than the margin of 5 points"),
    ([DIFFERS], "", True, None, " after 3 batches", "GAP since week 2: f and m differ"),
    ([ONE], "", False, None, " after 3 batches",
     "NO GAP FOUND so far: this does not show that there is none"),
    ([DIFFERS], "5 points", True, None, " after 3 batches",
     "FAIL since week 2: f and m differ (margin: 5 points)"),
    ([ONE], "5 points", False, True, " after 3 batches",
     "PASS so far: no two groups differ by more than 5 points after 3 batches"),
]  # fmt: skip


@pytest.mark.parametrize(("findings", "margin", "violated", "shown", "after", "expected"), ANSWERS)
def test_each_answer_has_its_word(findings, margin, violated, shown, after, expected):
    told = of_groups(
        findings, margin, violated=violated, shown=shown, after=after,
        since=" since week 2" * bool(after),
    )  # fmt: skip
    assert f"{told.headline}: {told.sentence}" == expected
    good = {"PASS": True, "FAIL": False, "DIFF": False, "GAP ": False}
    assert Answer(*told, "").good is good.get(expected[:4])


def test_what_comes_next_fits_what_decides():
    one = {name: [replace(ONE, measure=name)] for name in ("TPR", "xAUC", "balanced, across")}
    assert lower(one["TPR"] + one["xAUC"]) == (
        "Next: reweight the training data, or change thresholds, or apply equalize_xauc to the "
        "scores: docs/how-to/lower-gaps.md."
    )
    wanted = "Next: reweight the training data: docs/how-to/lower-gaps.md."
    assert lower(one["balanced, across"]) == wanted
    row = {"estimate": 0.16, "attribute": "race", "group": "black", "reference": "white"}
    assert brief({"label": "wage", "prediction": "pay"}, MEASURES["balanced, across"], row) == (
        "for the same wage, pay tends to be higher for black than for white (16 points of pairs)"
    )


def test_reasons_are_the_gravest_then_the_largest():
    lines = [
        Finding("h", "g", "m", state, size, sentence=f"{state} {size}", margin=0.1, cost=cost)
        for state, size, cost in (
            ("open", 0.9, None), ("differs", 0.3, None), ("beyond", 0.2, False),
            ("beyond", -0.5, False), ("beyond", 0.15, True),
        )
    ]  # fmt: skip
    assert reasons(lines, ("beyond", "differs")) == ["beyond 0.15", "beyond -0.5", "beyond 0.2"]
    assert reasons(lines, ("worse",)) == []


def test_reasons_are_ordered_by_the_end_of_the_interval_that_is_nearer_to_0():
    """Not by the size: that of three people is large, and hardly says anything."""
    ends = {
        "differs": [(-0.33, -0.6, -0.01), (0.1, 0.05, 0.15), (0.5, 0.02, 0.9)],
        "open": [(-0.33, -0.59, 0.64), (0.01, -0.01, 0.03), (0.2, -0.02, 0.42), (0.4, 0.01, 0.8)],
    }
    lines = [
        Finding("h", "g", "m", state, *gap, sentence=f"{state} {gap[0]}")
        for state, gaps in ends.items() for gap in gaps
    ]  # fmt: skip
    lines.append(Finding("h", "g", "m", "open", 0.9, sentence="open 0.9"))  # without an interval
    assert reasons(lines, ("differs",)) == ["differs 0.1", "differs 0.5", "differs -0.33"]
    first = reasons(lines, ("open",))
    assert first == ["open 0.4, not significant after correction.", "open 0.2", "open 0.01"]
    (third,) = reasons([lines[3], lines[-1]], ("open",))[:1]
    assert third == "open -0.33"


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "gap"), [(0, 0.08), (1, 0.3)])
def test_a_cost_is_stated_where_it_is_shown_and_nowhere_else(tmp_path, seed, gap):
    frame = people(400, gap=gap, seed=seed)
    frame.loc[:3, "area"] = "tiny"
    later = np.where(np.arange(len(frame)) % 9 == 0, 1 - frame["p"], frame["p"])
    columns, options = frame[["sex", "area"]], {"favourable": 1, "criterion": "separation"}
    results = [
        audited(frame, ["sex", "area"], **options),
        fp.audit_groups(frame["y"], frame["p"], sensitive_features=columns, **options),
        fp.monitor(
            tmp_path / "s", frame, y_true="y", y_pred="p", sensitive_features=["sex", "area"],
            **options,
        ),
    ]  # fmt: skip
    for result in results:
        for one in result.answer.findings:
            assert (" This " in one.sentence) is (one.state in FOUND)
    compared = fp.compare(frame["y"], frame["p"], later, sensitive_features=columns, **options)
    tests = compared.to_frame().query("criterion == 'separation'")
    for row, one in zip(tests.to_dict("records"), compared.answer.findings, strict=True):
        shown = [row[f"{model}_low"] > 0 or row[f"{model}_high"] < 0 for model in ("old", "new")]
        assert bool(re.search(" (harms|favours) ", one.sentence)) is shown[1]


def test_the_group_of_three_rows_is_not_the_reason():
    """The right reason is the line whose p is smallest."""
    n = 60
    frame = pd.DataFrame(
        {
            "y": [0] * (2 * n + 3),
            "p": [1] * 30 + [0] * 30 + [1] * 20 + [0] * 40 + [0] * 3,
            "sex": ["a"] * n + ["b"] * n + ["c"] * 3,
        }
    )
    frame = pd.concat([frame, frame.assign(y=1, p=1)])
    result = audited(frame, favourable=1)
    fpr = result.tests.query("measure == 'FPR' and reference == 'a'").set_index("group")
    assert abs(fpr["estimate"]["c"]) > abs(fpr["estimate"]["b"])
    (reason,) = result.answer.reasons
    assert "(sex=b)" in reason
    assert " This " not in reason


@pytest.mark.parametrize(
    ("estimate", "low", "high", "text"),
    [
        (0.214, 0.182, 0.245, "21 points more (18 to 24)"),
        (-0.2, -0.3, -0.1, "20 points less (10 to 30)"),
        (-0.02, -0.08, 0.03, "2 points less (8 less to 3 more)"),
        (0.01, math.nan, math.nan, "1 point more"),
        (0.0, -0.01, 0.01, "0 points more (1 less to 1 more)"),
        (-0.03, -0.052, -0.007, "3.0 points less (0.7 to 5.2)"),
    ],
)
def test_differences_are_written_with_the_interval_turned(estimate, low, high, text):
    assert difference(estimate, low, high, share=True, words=("more", "less")) == text


def test_shares_and_groups_are_written_so_that_they_say_something():
    assert percents(0.0, 0.5, 1.0) == ["0 %", "50 %", "100 %"]
    assert percents(0.004, 0.996) == ["0.4 %", "99.6 %"]
    assert [called("sex", x) for x in ("f", "1", "True", "65+", "male")] == [
        "sex=f", "sex=1", "sex=True", "sex=65+", "male",
    ]  # fmt: skip


def test_the_rows_wanted_are_about_those_of_the_planner():
    """Of two alike groups of one size, by the interval of one audit, against the exact planner."""
    frame = people(4000, gap=0.0)
    result = audited(frame, margin=0.02)
    line, *others = result.answer.findings
    wanted = line.items * max(one.times for one in (line, *others))
    total = wanted * len(frame) / (frame["sex"] == "f").sum()
    power = power_within(items_from_rates(tpr=0.9, fpr=0.1), 0.02, n_items=round(total))
    assert 0.7 < power < 0.92
    assert times_as_many(0.2, 0.1, 0.05, 1) < times_as_many(0.2, 0.1, 0.05, 2)
    assert times_as_many(0.2, 0.1, 0.05, 1) < times_as_many(0.2, 0.1, 0.05, 1, part=0.7)
    assert open_groups([]) == "" and open_groups([ONE]) == (
        "Too little data: sex=f needs about 400 rows (it has 100) for an 80 % chance to pass if "
        "the groups do not differ."
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gap", "margin", "verdict", "state"),
    [
        (0.2, None, "DIFFERENCE FOUND", "differs"),
        (0.0, None, "NO DIFFERENCE FOUND", "open"),
        (0.2, 0.05, "FAIL", "beyond"),
        (0.0, 0.2, "PASS", "within"),
        (0.1, 0.1, "UNDECIDED", "differs"),
        (0.0, 0.01, "UNDECIDED", "open"),
    ],
)
def test_the_answer_of_an_audit_is_that_of_its_tests(gap, margin, verdict, state):
    result = audited(people(gap=gap), margin=margin)
    answer = result.answer
    assert (answer.verdict, {one.state for one in answer.findings}) == (verdict, {state})
    found = result.violated if margin is None or result.violated else None
    assert (verdict in ("DIFFERENCE FOUND", "FAIL")) == bool(found)
    assert (verdict == "PASS") == bool(result.shown)
    assert str(result) == repr(result) == str(answer)
    assert answer.good is {True: False, False: True if result.shown else None}[result.violated]


def test_a_reason_has_the_rates_of_both_groups():
    frame = people(gap=0.3)
    rates = frame[frame["y"] == 1].groupby("sex")["p"].mean()
    text = " ".join(str(audited(frame)).split())
    both = f"{100 * rates['f']:.0f} % (sex=f) and {100 * rates['m']:.0f} % (sex=m)"
    assert f"of rows where y is 1, {both} have p 1: " in text
    assert f"{100 * (rates['m'] - rates['f']):.0f} points less (" in text


@pytest.mark.slow
def test_every_result_has_its_answer_in_the_json():
    frame = people()
    sensitive = frame[["sex", "area"]]
    rng = np.random.default_rng(0)
    better = np.where(rng.random(len(frame)) < 0.5, frame["y"], frame["p"])
    results = [
        audited(frame, margin=0.1),
        fp.compare(frame["y"], frame["p"], better, sensitive_features=frame["sex"]),
        fp.compare(frame["y"], better, frame["p"], sensitive_features=frame["sex"], margin=0.02),
        fp.audit_groups(frame["y"], frame["p"], sensitive_features=sensitive),
        fp.audit_groups(frame["y"], frame["p"], sensitive_features=sensitive, margin=0.05),
    ]
    for result in results:
        content = json.loads(json.dumps(result.to_dict()))
        jsonschema.validate(content, type(result).SCHEMA)
        assert content["answer"] == result.answer.to_dict()
        assert content["answer"]["sentence"] in " ".join(str(result).split())
        assert content["answer"]["next"].startswith("Next: ")
        page = result.to_html()
        assert page.count(result.answer.sentence) == 1
        for text in (str(result), result.to_text(), re.sub("<[^>]*>", " ", page)):
            assert not ADJECTIVES.search(text)
    assert [result.answer.verdict for result in results] == [
        "FAIL", "BETTER", "WORSE", "GROUPS DIFFER", "FAIL",
    ]  # fmt: skip
    assert "gaps are smaller" in results[1].answer.sentence
    assert "accuracy" in results[2].answer.reasons[-1]
    right = [float((frame["y"] == p).mean()) for p in (frame["p"], better)]
    assert list(results[1].about["overall"]["accuracy"].values()) == right


def test_groups_that_a_larger_one_explains_are_left_out():
    result = fp.audit_groups(
        (frame := people(6000))["y"], frame["p"], sensitive_features=frame[["sex", "area"]]
    )
    rows = result.tests.to_dict("records")
    found = [row for row in rows if row["verdict"] == "violated"]
    kept = [row for row in unexplained(rows) if row["verdict"] == "violated"]
    assert len(found) > 4
    assert {row["group"] for row in kept} == {"sex=f"}
    assert len(kept) == 2  # TPR and FPR
    assert result.answer.headline == "1 GROUP DIFFERS from everyone else"
    assert f"{len(found)} comparisons of groups.csv differ" in result.answer.basis


def test_a_group_with_an_ampersand_is_no_part_of_another():
    group, y = ["a", "a & b", "c", "c"] * 900, [1] * 1_800 + [0] * 1_800
    p = [
        label * (one == "c" or i // 4 % 20 > 6 + (one == "a"))
        for i, (one, label) in enumerate(zip(group, y, strict=True))
    ]
    result = fp.audit_groups(y, p, sensitive_features={"r": group})
    assert result.answer.headline == "3 GROUPS DIFFER from everyone else"


def test_a_group_that_is_open_in_several_classes_is_named_once():
    lines = [replace(ONE, heading=f"sex, class {k}, against m", times=k + 1.0) for k in range(3)]
    assert open_groups(lines).count("f needs about 300 rows (it has 100)") == 1
    named = [Finding("area", f"g{i}", "TPR", "open", 0.1, items=9) for i in range(4)]
    assert "1 more group." in open_groups(named)


def test_no_more_rows_are_asked_of_a_group_that_has_as_many_and_differs():
    line = replace(ONE, measure="FPR", estimate=-0.06, items=4531, times=0.9)
    told = "Too little data: sex=f may be within or beyond the margin in FPR (4,531 rows)."
    assert open_groups([line]) == told


def test_an_interval_that_denies_an_open_line_is_said_to_be_of_the_line_alone():
    """With a margin too; where a larger gap than a margin is looked for, only beyond that."""
    line = replace(ONE, low=0.02, sentence="Ten points more.")
    denied = ["Ten points more, not significant after correction."]
    assert reasons([line], ["open"]) == denied
    assert reasons([line], ["open"], of_margin=True) == ["Ten points more."]
    assert reasons([replace(line, low=0.06)], ["open"], of_margin=True) == denied


def test_a_long_state_leaves_room_for_all_measures():
    findings = [
        Finding("marital, against Married", f"{i} Not married", measure, "not worse", -0.1 * i)
        for i in (1, 2)
        for measure in ("TPR", "FPR", "AUC", "xAUC", "xAUC_1")
    ]
    shown = Answer("?", "NOT WORSE", "NOT WORSE", "they are", "", findings)
    assert "TPR             FPR             AUC             xAUC\n" in str(shown)
    assert "-0.10 not worse -0.10 not worse -0.10 not worse -0.10 not worse\n" in str(shown)
    assert "1 more measure: --details" in str(shown)


@pytest.mark.parametrize(("alpha", "covered"), [(1e-6, "99.9999 %"), (2e-9, "99.9999998 %")])
def test_what_is_certain_is_found_at_small_levels_too(alpha, covered):
    """Of 1,000 none is selected, and 250 of 5,000: by Fisher's test, p is 9e-21."""
    sex = ["a"] * 1000 + ["b"] * 5000
    predicted = np.r_[np.zeros(1000, int), np.arange(5000) % 20 == 0]
    label = np.tile([1, 0, 0, 1], 1500)
    options = {"alpha": alpha, "criterion": "demographic_parity"}
    columns = pd.DataFrame({"sex": sex})
    results = [
        fp.audit(label, predicted, sensitive_features=columns, **options),
        fp.audit_groups(None, predicted, sensitive_features=columns, **options),
    ]
    for result in results:
        assert result.violated
        low, high = sorted(abs(result.to_frame()[["ci_low", "ci_high"]].iloc[0]))
        assert 0 < low < high < 0.2
        for text in (result.to_text(), result.to_card()):
            assert covered in text
