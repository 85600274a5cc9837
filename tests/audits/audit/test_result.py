"""The forms in which an audit is written."""

import html
import json

import jsonschema
import pytest

import fairpairs as fp
from fairpairs.audits.audit.criteria import ALL_CRITERIA
from fairpairs.audits.audit.fields import TESTS
from fairpairs.audits.lines.verdicts import MEANINGS


@pytest.mark.slow
def test_the_json_keeps_its_schema_and_holds_everything(full, data):
    validator = jsonschema.Draft202012Validator(fp.AuditResult.SCHEMA)
    validator.check_schema(validator.schema)
    empty = fp.audit([1, 1, 0, 1], [1, 0, 1, 1], sensitive_features=[0, 0, 1, 1])
    real = fp.audit(data["points"], data["score"], sensitive_features=data["sex"])
    classes = fp.audit(list("abcabc"), list("abcbca"), sensitive_features=[0, 0, 0, 1, 1, 1])
    ratings = fp.audit(
        [1, 2, 3] * 2, [2, 1, 3] * 2, sensitive_features=[0, 0, 0, 1, 1, 1], label_kind="ordinal"
    )
    for result in (full, empty, real, classes, ratings):
        content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        validator.validate(content)
        assert len(content["tests"]) == len(result.tests)
        assert sum(content["verdicts"].values()) == len(result.tests)
    assert set(validator.schema["properties"]["verdicts"]["required"]) == set(MEANINGS)
    kinds = validator.schema["properties"]["tests"]["items"]["properties"]
    assert list(kinds) == list(TESTS)
    assert kinds["criterion"]["enum"] == list(ALL_CRITERIA)


@pytest.mark.slow
def test_a_notebook_explains_every_verdict_of_the_lines(full, data):
    real = fp.audit(data["points"], data["score"], sensitive_features=data["race"], margin=0.2)
    margin = fp.audit(data["y"], data["yhat"], sensitive_features=data["race"], margin=0.1)
    few = fp.audit([1, 1, 0, 1], [1, 0, 1, 1], sensitive_features=[0, 0, 1, 1])
    explained = set()
    for result in (full, real, margin, few):
        page = html.unescape(result._repr_html_())
        for verdict in set(result.tests["verdict"]):
            assert MEANINGS[verdict] in page
            explained.add(verdict)
    assert len(explained) >= 6
