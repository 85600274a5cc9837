"""The page of an audit: its tables and figures."""

import re

import numpy as np
import pandas as pd
import pytest

import fairpairs
from fairpairs.audits.lines.answer import Answer
from fairpairs.audits.lines.figures import LONGEST, forest
from fairpairs.audits.lines.findings import Finding
from fairpairs.audits.lines.page import MOST_LINES, page
from fairpairs.audits.lines.tables import common, count, denied, limits, shown
from fairpairs.base.document import Grid, Heading, Notes
from tests.audits.monitor.streams import ROWS, people
from tests.page import Page

PARTS = ["Of 2 lines", Heading("sex"), Grid(["a"], [["x"]]), Notes(["a note"])]


def page_shown(findings, parts=PARTS):
    """The page of some findings, and the texts before its first fold."""
    answer = Answer("Who?", "FAIL", "FAIL", "they differ", "4 rows", findings)
    text = page(answer, "title", parts, "foot", whole=True)
    return text, text.partition("<details")[0]


def test_the_first_screen_has_the_gravest_groups_in_the_order_of_the_lines():
    findings = [
        Finding("g, against z", f"group{i:02}", "TPR", "open" if i < 20 else "differs", 0.01 * i)
        for i in range(MOST_LINES + 19)
    ]
    text, first = page_shown(findings)
    names = re.findall(r"group\d\d", first)
    assert names == [f"group{i:02}" for i in range(20, MOST_LINES + 19)]
    assert "<summary>20 more groups</summary>" in text
    assert len(set(re.findall(r"group\d\d", text))) == len(findings)


def test_each_heading_of_the_first_screen_takes_the_place_of_a_group():
    findings = [
        Finding(f"g, against {j:02}", f"group{i:02}", "TPR", "differs", 1 - 0.1 * j - 0.01 * i)
        for j in range(4)
        for i in range(3)
    ]
    text, first = page_shown(findings)
    assert len(re.findall(r"group\d\d", first)) == MOST_LINES - 3
    assert "<summary>4 more pairs of groups</summary>" in text


@pytest.mark.parametrize(("state", "opened"), [("within", False), ("beyond", True)])
def test_measures_for_specialists_are_folded_unless_they_say_more(state, opened):
    findings = [
        Finding("g, against z", "a", "xAUC", "within", 0.0, -0.01, 0.01, 0.1),
        Finding("g, against z", "a", "xAUC_1", state, 0.2, 0.1, 0.3, 0.1),
    ]
    text, first = page_shown(findings)
    assert "xAUC_1" not in first
    opening = "<details open>" if opened else "<details>"
    assert f"{opening}<summary>xAUC_1, which counts too</summary>" in text


def test_every_part_is_folded_below_its_heading_and_the_first_texts_with_the_notes():
    page = Page(page_shown([])[0])
    assert page.headings == ["FAIL: they differ.", "sex", "What the numbers mean"]
    assert page.text.index("x") < page.text.index("Of 2 lines") < page.text.index("a note")


def test_a_wide_interval_of_a_small_group_flattens_no_other_one():
    small = Finding("g, against z", "a", "TPR", "open", 0.1, -0.9, 0.9, 0.1)
    large = Finding("g, against z", "b", "TPR", "within", 0.0, -0.05, 0.05, 0.1)
    text, _ = page_shown([small, large])
    ends = re.findall(r'class="ends" d="M([\d.]+) \d+H([\d.]+)"', text)
    (left, right), (low, high) = [tuple(map(float, pair)) for pair in ends]
    assert (left, right) == (6, 154)  # of 160 pixels
    assert high - low > 50
    arrows = text.count('l6 -5v10z"') + text.count('l-6 -5v10z"')
    assert arrows == 2  # of the small group, whose interval goes on


def test_orange_is_harm_or_failure_and_each_state_has_its_mark():
    lines = [
        Finding("g, against z", name, "TPR", state, 0.1, 0.05, 0.2, cost=cost)
        for name, state, cost in (("a", "differs", True), ("b", "differs", None),
                                  ("c", "beyond", None), ("d", "open", True))
    ]  # fmt: skip
    text, _ = page_shown(lines)
    classes = re.findall(r'<svg class="([^"]+)"', text)
    assert classes == ["differs harm", "differs", "beyond harm", "open"]
    assert (text.count('class="mark"'), text.count("<circle")) == (3, 1)


@pytest.mark.parametrize(
    ("n", "text"),
    [(999_999, "999,999"), (4_000_000, "4.00 M"), (8_890_000, "8.89 M"), (12 * 10**9, "12.0 bn"),
     (123_000_000, "123 M")],
)  # fmt: skip
def test_a_count_has_three_digits_from_a_million_on(n, text):
    assert count(n) == text


@pytest.mark.parametrize("scale", [1, 1e3, 1e5, 1e7, 1e11])
def test_a_row_of_the_table_is_one_line_however_large_the_numbers(scale):
    rng = np.random.default_rng(0)
    group = rng.choice(["a", "b"], 300)
    label = rng.normal(size=300) * scale
    prediction = label + (0.3 * (group == "b") + rng.normal(size=300)) * scale
    result = fairpairs.audit(label, prediction, sensitive_features=group)
    lines = result.to_text().splitlines()
    assert max(map(len, lines)) <= 100
    (mean,) = [line for line in lines if line.startswith("mean error")]
    (heading,) = [line for line in lines if line.startswith("measure")]
    assert mean.index("● violated") == heading.index("verdict")


def test_repeated_measures_are_shown_where_they_count_and_special_ones_come_last():
    measures = ["xAUC_1", "TPR", "FNR", "I_sep", "precision"]
    rows = pd.DataFrame({"measure": measures, "criterion": ["xauc", "a", "error_rates", "b", "c"]})
    rows.index += 5
    assert list(shown(rows, ["a"])["measure"]) == ["TPR", "precision", "xAUC_1", "I_sep"]
    counting = shown(rows, ["error_rates"])
    assert list(counting["measure"]) == ["TPR", "FNR", "precision", "xAUC_1", "I_sep"]
    assert common(counting.to_dict("records")) == 3


@pytest.mark.parametrize(
    ("verdict", "low", "high", "denies"),
    [
        ("violated", 0.02, 0.2, False), ("violated", -0.002, 0.205, True),
        ("not shown", 0.018, 0.188, True), ("not shown", -0.1, 0.2, False),
        ("violated beyond the margin", 0.12, 0.2, False),
        ("violated beyond the margin", -0.3, -0.09, True),
        ("violated within the margin", 0.01, 0.05, False),
        ("shown within the margin", 0.01, 0.05, False),
        ("cannot be tested", np.nan, np.nan, False), ("measured", 0.1, 0.2, False),
    ],
)  # fmt: skip
def test_an_interval_that_denies_its_verdict_is_told(verdict, low, high, denies):
    row = {"verdict": verdict, "ci_low": low, "ci_high": high, "margin": 0.1}
    assert denied(row) is denies
    assert limits(row, decides="p decides").endswith(", p decides") is denies


def test_a_violation_that_the_interval_of_now_does_not_show_says_so(tmp_path):
    path = tmp_path / "s"
    fairpairs.monitor(path, people(3000, gap=0.15), **ROWS)
    result = fairpairs.monitor(path, people(9000, gap=0, seed=1))
    (row,) = result.lines.query("measure == 'TPR' and group == 'f'").to_dict("records")
    assert row["verdict"] == "violated" and denied(row)
    (line,) = [
        line for line in result.to_text().splitlines() if line.startswith("sex: f minus m, TPR")
    ]
    assert ", now " in line
    reason = result.answer.reasons[1]
    assert "than that of sex=m; shown since batch 1 by the rows until then." in reason


def row(estimate, low, high, verdict="not shown"):
    return {
        "estimate": estimate, "ci_low": low, "ci_high": high, "verdict": verdict,
        "margin": np.nan,
    }  # fmt: skip


def words(svg):
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def test_each_row_has_its_name_and_the_axis_its_sides():
    rows = [row(-0.2, -0.3, -0.1, "violated"), row(0.1, -0.1, 0.3), row(np.nan, np.nan, np.nan)]
    names = ["a", "Skywork-Reward-Llama-3.1-8B-v0.2", "c"]
    svg = forest(rows, names, "← north | south →", prefix="x")
    drawn = words(svg)
    assert {"a", "← north | south →"} <= set(drawn) and "c" not in drawn
    (long,) = [text for text in drawn if "…" in text]
    assert long.startswith("Skywork") and long.endswith("8B-v0.2") and len(long) == LONGEST
    assert 'id="x-' in svg
    assert forest(rows, names, "← north | south →", prefix="x") == svg


def test_nothing_estimated_is_nothing_drawn():
    assert forest([row(np.nan, np.nan, np.nan)], ["a"], "", prefix="x") == ""


def test_seventeen_models_fit_a_phone():
    """An inch of the drawing is 72 points; a phone is 400 wide, with a margin of 20."""
    rows = [row(0.01 * i, 0.01 * i - 0.1, 0.01 * i + 0.1) for i in range(17)]
    svg = forest(rows, [f"model {i}" for i in range(17)], "", prefix="x")
    width, height = (float(size) for size in re.search(r'viewBox="0 0 (\S+) (\S+)"', svg).groups())
    assert width <= 360 and height < 1.5 * width
    assert sum(text.startswith("model ") for text in words(svg)) == 17
