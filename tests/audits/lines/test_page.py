"""The page of an answer: what its first screen shows, and what it folds."""

import re

import pytest

from fairpairs.audits.lines.answer import Answer, Finding
from fairpairs.audits.lines.page import MOST_LINES, page
from fairpairs.base.document import Grid, Heading, Notes
from tests.page import Page

PARTS = ["Of 2 lines", Heading("sex"), Grid(["a"], [["x"]]), Notes(["a note"])]


def shown(findings, parts=PARTS):
    """The page of some findings, and the texts before its first fold."""
    answer = Answer("Alike?", "no", "they are not", False, "4 rows", findings)
    text = page(answer, "title", parts, "foot", whole=True)
    return text, text.partition("<details")[0]


def test_the_first_screen_has_the_gravest_groups_in_the_order_of_the_lines():
    findings = [
        Finding("g, against z", f"group{i:02}", "TPR", "open" if i < 20 else "differs", 0.01 * i)
        for i in range(MOST_LINES + 19)
    ]
    text, first = shown(findings)
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
    text, first = shown(findings)
    assert len(re.findall(r"group\d\d", first)) == MOST_LINES - 3
    assert "<summary>4 more pairs of groups</summary>" in text


@pytest.mark.parametrize(("state", "opened"), [("within", False), ("beyond", True)])
def test_measures_for_specialists_are_folded_unless_they_say_more(state, opened):
    findings = [
        Finding("g, against z", "a", "xAUC", "within", 0.0, -0.01, 0.01, 0.1),
        Finding("g, against z", "a", "xAUC_1", state, 0.2, 0.1, 0.3, 0.1),
    ]
    text, first = shown(findings)
    assert "xAUC_1" not in first
    opening = "<details open>" if opened else "<details>"
    assert f"{opening}<summary>xAUC_1, which counts too</summary>" in text


def test_every_part_is_folded_below_its_heading_and_the_first_texts_with_the_notes():
    page = Page(shown([])[0])
    assert page.headings == ["No: they are not.", "sex", "What the numbers mean"]
    assert page.text.index("x") < page.text.index("Of 2 lines") < page.text.index("a note")


def test_a_wide_interval_of_a_small_group_flattens_no_other_one():
    small = Finding("g, against z", "a", "TPR", "open", 0.1, -0.9, 0.9, 0.1)
    large = Finding("g, against z", "b", "TPR", "within", 0.0, -0.05, 0.05, 0.1)
    text, _ = shown([small, large])
    ends = re.findall(r'class="ends" d="M([\d.]+) \d+H([\d.]+)"', text)
    (left, right), (low, high) = [tuple(map(float, pair)) for pair in ends]
    assert (left, right) == (6, 154)  # of 160 pixels
    assert high - low > 50
