"""The JUnit XML of an audit keeps the schema that Jenkins reads, and says what fails."""

from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp

#: Element → its children, the attributes that it needs, and those that it may have, as in
#: junit-10.xsd of Jenkins' xUnit plugin.
SCHEMA = {
    "testsuites": ({"testsuite"}, set(), {"name", "time", "tests", "failures", "errors"}),
    "testsuite": (
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
        {"name", "tests", "failures", "errors"},
        {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log"},
    ),
    "properties": ({"property"}, set(), set()),
    "property": (set(), {"name", "value"}, set()),
    "testcase": ({"skipped", "error", "failure"}, {"name"}, {"time", "classname", "group"}),
    **{name: (set(), set(), {"type", "message"}) for name in ("skipped", "error", "failure")},
}


def read(text):
    """The suite of a JUnit file, whose elements and counts are checked."""
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ')
    root = ET.fromstring(text)
    assert root.tag == "testsuites"
    for element in root.iter():
        children, needed, allowed = SCHEMA[element.tag]
        assert {child.tag for child in element} <= children
        assert needed <= set(element.attrib) <= needed | allowed
    (suite,) = root
    cases = suite.findall("testcase")
    assert len({(case.get("classname"), case.get("name")) for case in cases}) == len(cases)
    assert suite.get("tests") == root.get("tests") == str(len(cases))
    for tag, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        assert suite.get(attribute) == str(len(suite.findall(f"testcase/{tag}")))
    return suite


def outcomes(suite):
    """Name of each case → its element and type; ("", "") where it passes."""
    return {
        case.get("name"): next(((of.tag, of.get("type")) for of in case), ("", ""))
        for case in suite.findall("testcase")
    }


def decided(n=4000, more=0.0, group=("a & <b>", "c\x01"), seed=0, **options):
    """Half of each group is positive; `more` of group a's negative ones are flagged than of c's."""
    rng = np.random.default_rng(seed)
    member, label = rng.integers(0, 2, n), rng.integers(0, 2, n)
    wrong = rng.random(n) < 0.2 + more * ((member == 0) & (label == 0))
    decision = np.where(wrong, 1 - label, label)
    names = {"g": np.array(group)[member]}
    return fp.audit(label, decision, sensitive_features=names, clusters=np.arange(n), **options)


NAMES = ["g: a & <b> minus c\\x01: TPR", "g: a & <b> minus c\\x01: FPR"]


def test_what_counts_is_a_case_and_a_violation_fails():
    reference = {"g": "c\x01"}
    suite = read(decided(more=0.2, reference=reference).to_junit())
    assert outcomes(suite) == {NAMES[0]: ("", ""), NAMES[1]: ("failure", "violated")}
    failure = suite.find("testcase/failure")
    assert failure.get("message").startswith("violated; estimate +0.")
    assert "; 95 % interval +0." in failure.get("message")
    assert "FPR(a & <b>) = FPR(c\\x01). violated" in failure.text
    result = decided(more=0.2, reference=reference, margin=0.05)
    expected = {NAMES[0]: ("", ""), NAMES[1]: ("failure", "violated beyond the margin")}
    assert outcomes(read(result.to_junit())) == expected
    assert {case.get("classname") for case in suite.findall("testcase")} == {"fairpairs.separation"}


def test_a_line_that_is_not_shown_fails_where_it_is_asked_for():
    result = decided(n=300, margin=0.05)
    assert set(outcomes(read(result.to_junit())).values()) == {("", "")}
    failed = read(result.to_junit(unless_shown=True))
    assert set(outcomes(failed).values()) == {("failure", "not shown within the margin")}
    assert "margin 0.05; 90 % interval -0." in failed.find("testcase/failure").get("message")
    (overall,) = failed.findall("properties/property[@name='overall']")
    assert overall.get("value").startswith("UNDECIDED: too little data for ")
    assert set(outcomes(read(decided(margin=0.2).to_junit(unless_shown=True))).values()) == {
        ("", "")
    }


@pytest.mark.parametrize("unless_shown", [False, True])
def test_a_line_that_cannot_be_tested_is_skipped_but_never_passes_for_shown(unless_shown):
    label = np.array([1, 0] * 40 + [1] * 40)
    group = np.array(["a"] * 80 + ["b"] * 40)
    rng = np.random.default_rng(0)
    decision = np.where(rng.random(120) < 0.3, 1 - label, label)
    result = fp.audit(label, decision, sensitive_features={"g": group}, margin=0.9)
    element = "error" if unless_shown else "skipped"
    suite = read(result.to_junit(unless_shown=unless_shown))
    assert outcomes(suite)["g: b minus a: FPR"] == (element, "cannot be tested")
    assert result.shown is not True


def test_nothing_that_can_be_tested_is_an_error():
    label = np.arange(40.0)
    result = fp.audit(label, label + 0.5, sensitive_features=np.repeat(["low", "high"], 20))
    assert {kind for kind, _ in outcomes(read(result.to_junit())).values()} == {"error"}


NAME = "g: c minus a & <b>: TPR"


def two_models(n=2000):
    rng = np.random.default_rng(2)
    label, group = rng.integers(0, 2, n), rng.choice(["a & <b>", "c"], n)
    old = np.where(rng.random(n) < 0.2, 1 - label, label)
    lost = (rng.random(n) < 0.4) & (group == "c") & (label == 1)
    return label, old, np.where(lost, 0, old), group


@pytest.mark.slow
def test_a_gap_that_grew_fails_a_comparison():
    label, old, new, group = two_models()
    result = fp.compare(label, old, new, sensitive_features={"g": group})
    suite = read(result.to_junit())
    assert outcomes(suite) == {NAME: ("failure", "worse"), NAME.replace("TPR", "FPR"): ("", "")}
    message = suite.find("testcase/failure").get("message")
    assert result.worse
    assert message.startswith("worse; gap ")
    assert "; 95 % interval -" in message
    assert suite.find("testcase/failure").text.startswith(f"The gap of {NAME} is not larger.")
    unchanged = fp.compare(label, old, old, sensitive_features={"g": group}, margin=0.1)
    assert {element for element, _ in outcomes(read(unchanged.to_junit())).values()} <= {
        "",
        "skipped",
    }
    shown = fp.compare(label, old, new, sensitive_features={"g": group}, margin=0.6)
    kinds = set(outcomes(read(shown.to_junit(unless_shown=True))).values())
    assert (kinds == {("", "")}) == shown.shown
    strict = fp.compare(label, old, new, sensitive_features={"g": group}, margin=0.01)
    kind = outcomes(read(strict.to_junit(unless_shown=True)))[NAME]
    assert kind == ("failure", "worse beyond the margin")
    label, old, new, group = two_models(100)
    few = fp.compare(label, old, new, sensitive_features={"g": group}, margin=0.3)
    assert set(outcomes(read(few.to_junit())).values()) == {("", "")}
    kind = outcomes(read(few.to_junit(unless_shown=True)))[NAME]
    assert kind == ("failure", "not shown not to be worse by the margin")


def test_a_group_that_differs_fails_an_audit_of_groups():
    label, _, decision, group = two_models()
    audit = {"sensitive_features": {"g": group}}
    suite = read(fp.audit_groups(label, decision, **audit).to_junit())
    found = outcomes(suite)
    assert found["g=c: TPR"] == ("failure", "violated")
    assert found["g=c: FPR"] == ("", "")
    message = suite.find("testcase/failure").get("message")
    assert "; simultaneous interval " in message
    assert "; p < 0.001" in message
    result = fp.audit_groups(label, decision, margin=0.05, **audit)
    found = outcomes(read(result.to_junit(unless_shown=True)))
    assert found["g=c: TPR"] == ("failure", "violated beyond the margin")
    assert found["g=c: FPR"] == ("failure", "not shown within the margin")


@pytest.mark.parametrize(("lean", "expected"), [(3.0, "failure"), (0.0, "")])
def test_a_lean_fails_an_audit_of_judgments(lean, expected):
    rng = np.random.default_rng(4)
    group = rng.choice(["a", "b"], 400)
    worth = rng.normal(size=400)
    left, right = rng.integers(0, 400, (2, 900))
    left, right = left[left != right], right[left != right]
    more = np.where(worth[left] > worth[right], left, right)
    items = pd.DataFrame({"id": np.arange(400), "s": worth + lean * (group == "a"), "g": group})
    judged = pd.DataFrame({"left": left, "right": right, "more": more})
    names = {"left": "left", "right": "right", "outcome": "more", "item": "id", "y_score": "s"}
    suite = read(fp.audit_judgments(judged, items, sensitive_features="g", **names).to_junit())
    elements = {element for element, _ in outcomes(suite).values()}
    assert expected in elements
    assert ("failure" in elements) == (lean > 0)
    assert "s: g: TPR(b,a) = TPR(a,b)" in outcomes(suite)
