"""groups.json keeps its schema, and the files of a folder hold the lines."""

import json
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pandas as pd
import pytest

import fairpairs as fp
from fairpairs.audits.groups.fields import OF_CONTROL, TESTS, VERDICTS
from fairpairs.audits.groups.settings import CRITERIA
from fairpairs.audits.lines.files import FILES
from tests.audits.groups.test_audit import ATTRIBUTES, audited, people


@pytest.fixture(scope="module")
def validator():
    validator = jsonschema.Draft202012Validator(fp.GroupAuditResult.SCHEMA)
    validator.check_schema(validator.schema)
    return validator


@pytest.mark.parametrize(
    "options", [{}, {"margin": 0.1}, {"criterion": [*CRITERIA][1:], "smallest": 200}, {"depth": 1}]
)
def test_the_json_keeps_its_schema(validator, options):
    frame = people(800)
    frame.loc[frame["area"] == "west", "y"] = 0
    text = json.dumps(audited(frame, **options).to_dict(), allow_nan=False)
    validator.validate(json.loads(text))


def test_the_json_of_files_and_without_labels_keeps_its_schema(validator, tmp_path):
    people(300).to_csv(tmp_path / "p.csv", index=False)
    result = fp.audit_groups(None, "p", sensitive_features=ATTRIBUTES, data=tmp_path / "p.csv")
    validator.validate(json.loads(json.dumps(result.to_dict(), allow_nan=False)))
    assert result.about["source"]["file"] == "p.csv" and not result.about["label"]


def test_the_schema_names_all_columns_and_verdicts(validator):
    parts = validator.schema["properties"]
    assert set(parts["verdicts"]["required"]) == set(VERDICTS)
    rows = parts["tests"]["items"]
    assert set(rows["required"]) == set(TESTS) - set(OF_CONTROL)
    assert set(rows["properties"]["verdict"]["enum"]) == set(VERDICTS)
    assert set(rows["properties"]["criterion"]["enum"]) == set(CRITERIA)
    measures = {measure for of in CRITERIA.values() for measure in of}
    assert set(rows["properties"]["measure"]["enum"]) == measures


def test_a_folder_holds_all_lines(tmp_path):
    result = audited(people(), margin=0.2)
    result.write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FILES["audit-groups"])
    read = pd.read_csv(tmp_path / "groups.csv")
    assert list(read["group"]) == list(result.to_frame()["group"])
    content = json.loads((tmp_path / "groups.json").read_text("utf-8"))
    assert [row["estimate"] for row in content["tests"]] == list(read["estimate"])
    page = (tmp_path / "groups.html").read_text("utf-8")
    assert page.count("<tr class=") == len(read)
    assert "aria-sort" in page and "http://" not in page.replace("http://www.w3.org", "")


@pytest.mark.slow
def test_the_page_draws_the_worst_groups_whatever_their_names():
    frame = people().replace({"area": {"north": "<b>$x$ & {n}"}})
    result = audited(frame)
    page = result.to_html()
    assert "<b>$x$" not in page and "&lt;b&gt;$x$ &amp; {n}" in page
    start = page.index("<svg", page.index("<figure"))
    figure = ElementTree.fromstring(page[start : page.index("</svg>", start) + 6])
    drawn = ["".join(text.itertext()) for text in figure.iter("{http://www.w3.org/2000/svg}text")]
    assert "TPR, sex=b & area=<b>$x$ & {n}" in drawn
    assert "<html" not in result._repr_html_() and "<script" not in result._repr_html_()


def test_lines_beyond_those_of_the_page_are_counted():
    rng = np.random.default_rng(0)
    y, groups = rng.integers(0, 2, 30_000), rng.integers(0, 1500, 30_000)
    result = fp.audit_groups(y, rng.permutation(y), sensitive_features=groups, smallest=5)
    page = result.to_html()
    assert "2,000 more rows</summary>" in page
    assert f"groups.csv has {len(result.tests) - 20:,} more" in result.to_text()
