"""judgments.json keeps its schema, and the files of a folder hold the tables."""

import json

import jsonschema
import numpy as np
import pandas as pd
import pytest

import fairpairs as fp
from fairpairs.audits.judgments.audit import audit_judged
from fairpairs.audits.judgments.settings import JudgmentSettings
from fairpairs.audits.lines.files import FILES
from tests.audits.judgments.synthetic import synthetic

STRATA = pd.Series(np.arange(400) % 3).astype(str)
JUDGES = pd.Series(np.arange(400) % 20).astype(str)


TWO = {"fair": 0.0, "partial": 0.9}


@pytest.fixture(scope="module")
def validator():
    validator = jsonschema.Draft202012Validator(fp.JudgmentsResult.SCHEMA)
    validator.check_schema(validator.schema)
    return validator


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "settings"),
    [
        ({}, {}),
        ({"favours": {"only": 0.5}}, {"correction": "none", "alpha": 0.1}),
        ({"favours": TWO, "verdicts": ["fair"]}, {"intersections": True, "ties": "half"}),
        ({"favours": {"only": 0.5}, "judge": JUDGES, "cluster": JUDGES},
         {"ties_in_outcome": "half", "correction": "sidak"}),
        ({"favours": TWO, "judge": JUDGES, "stratum": STRATA, "verdicts": ["fair"]},
         {"order": True}),
        ({"m": 30}, {}),
    ],
)  # fmt: skip
def test_the_json_keeps_its_schema(validator, more, settings):
    content = audit_judged(synthetic(**{"m": 400, **more}), JudgmentSettings(**settings)).to_dict()
    text = json.dumps(content, allow_nan=False)
    validator.validate(json.loads(text))


def test_a_folder_holds_all_files_always(tmp_path):
    result = audit_judged(synthetic(), JudgmentSettings())
    result.write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FILES["audit-judgments"])
    read = pd.read_csv(tmp_path / "hypotheses.csv", keep_default_na=False)
    assert list(read["verdict"]) == list(result.to_frame()["verdict"])
    assert len(pd.read_csv(tmp_path / "rates.csv")) == len(result.rates())
    assert (tmp_path / "report.txt").read_text("utf-8") == (f"{result}\n\n{result.to_text()}\n")
    content = json.loads((tmp_path / "judgments.json").read_text("utf-8"))
    assert content == json.loads(json.dumps(result.to_dict()))
