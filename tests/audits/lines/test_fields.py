"""The JSON schema of a result follows from its fields."""

import jsonschema
import pytest

import fairpairs as fp
from fairpairs.audits.lines import fields

RESULTS = (
    fp.AuditResult, fp.ComparisonResult, fp.GroupAuditResult, fp.JudgmentsResult, fp.MonitorResult,
)  # fmt: skip
ROW = {
    "group": fields.text("the group"),
    "p": fields.number("p-value", least=0, most=1),
    "alpha": fields.number(missing=False, above=0, below=1),
    "n": fields.whole(least=1),
    "counts": fields.flag(),
    "verdict": fields.one_of(["violated", "not shown", None]),
}
SCHEMA = fields.document(
    "x.json",
    "An example.",
    3,
    {"alpha": fields.ALPHA, "order": fields.flag("of ordinal classes")},
    {
        "tests": fields.rows(ROW, "the lines", optional=["counts"]),
        "margin": fields.by_name(fields.number(missing=False), "by criterion", missing=True),
        "criteria": fields.several(fields.text(), "those that count", least=1, different=True),
        "verdicts": fields.counts(["violated"]),
    },
    optional=["order"],
)
ABOUT = {"version": "2.0", "alpha": 0.05}
ANSWER = dict.fromkeys(("question", "headline", "sentence", "open", "next"), "") | {
    "verdict": "PASS", "reasons": [], "checks": [],
}  # fmt: skip
GOOD = {"group": "a", "p": 0.5, "alpha": 0.05, "n": 1, "counts": True, "verdict": None}


def whole(**changed):
    row = {key: value for key, value in (GOOD | changed.pop("row", {})).items() if value != "gone"}
    return {
        "format": 3, "about": ABOUT, "answer": ANSWER, "tests": [row], "margin": None,
        "criteria": ["a", "b"], "verdicts": {"violated": 0},
    } | changed  # fmt: skip


@pytest.mark.parametrize(
    "content",
    [
        whole(), whole(row={"p": None, "counts": "gone"}), whole(tests=[]),
        whole(margin={"a": 0.1}), whole(row={"verdict": "violated", "p": 1}),
        whole(about=ABOUT | {"order": True}),
    ],
)  # fmt: skip
def test_what_follows_its_fields_is_accepted(content):
    jsonschema.validate(content, SCHEMA)


@pytest.mark.parametrize(
    "content",
    [
        whole(format=2), whole(row={"group": "gone"}), whole(row={"more": 1}), whole(more=1),
        whole(row={"group": None}), whole(row={"p": 1.1}), whole(row={"p": -0.1}),
        whole(row={"alpha": 0}), whole(row={"alpha": 1}), whole(row={"alpha": None}),
        whole(row={"n": 0}), whole(row={"n": 1.5}), whole(row={"counts": 1}),
        whole(row={"verdict": "fair"}), whole(margin={"a": "b"}), whole(margin=1),
        whole(criteria=[]), whole(criteria=["a", "a"]), whole(criteria=[1]),
        whole(about={"alpha": 0.05}), whole(about=ABOUT | {"order": 1}), whole(answer={}),
        whole(verdicts={}), whole(verdicts={"violated": -1}), whole(tests=None),
    ],
)  # fmt: skip
def test_what_does_not_is_refused(content):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(content, SCHEMA)


def described(schema):
    """Yield each key of a schema, and its description."""
    for name, part in schema.get("properties", {}).items():
        yield name, part.get("description") or part.get("const")
        yield from described(part)
        yield from described(part.get("items", {}))


@pytest.mark.parametrize("result", RESULTS)
def test_the_schema_of_a_result_is_one_and_describes_its_columns(result):
    jsonschema.Draft202012Validator.check_schema(result.SCHEMA)
    assert set(result.SCHEMA["properties"]["verdicts"]["properties"]) == set(result.VERDICTS)
    for key, _ in result.TABLES:
        rows = result.SCHEMA["properties"][key]["items"]
        assert [name for name, words in described(rows) if not words] == []
