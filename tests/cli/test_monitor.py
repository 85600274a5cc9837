"""fairpairs monitor."""

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pandas as pd
import pytest
from typer.testing import CliRunner

import fairpairs as fp
from fairpairs.audits.lines.files import FILES
from fairpairs.audits.monitor.fields import LINES, VERDICTS
from fairpairs.audits.monitor.tables import HISTORY
from fairpairs.cli import app
from tests.audits.monitor.streams import JUDGED, ROWS, SCORED, judged, people

pytestmark = pytest.mark.slow

NAMED = ("--label", "y", "--prediction", "yhat", "--sensitive", "sex,race")


@pytest.fixture(scope="module")
def streams(tmp_path_factory):
    folder = tmp_path_factory.mktemp("streams")
    people(3000).to_csv(folder / "a.csv", index=False)
    people(2000, seed=1).to_csv(folder / "b.csv", index=False)
    people(30_000, gap=0, seed=2).to_csv(folder / "fair.csv", index=False)
    return folder


@pytest.fixture(autouse=True)
def files(streams, folder):
    shutil.copytree(streams, folder, dirs_exist_ok=True)


@pytest.fixture(scope="module")
def validator():
    validator = jsonschema.Draft202012Validator(fp.MonitorResult.SCHEMA)
    validator.check_schema(validator.schema)
    return validator


def test_batches_are_appended_and_written(ran, validator):
    out = ran("monitor", "m.state", "a.csv", *NAMED).splitlines()
    assert out[0].startswith("GAP since batch 1 of 1: ") and "m.state: 3,000 rows in 1 batch" in out
    out = ran("monitor", "m.state", "b.csv", "--out", "o", "--junit", "j.xml").splitlines()
    assert "m.state: 5,000 rows in 2 batches" in out
    assert any(line.startswith("sex: f minus m, TPR ") and " violated " in line for line in out)
    assert out[-2:] == [f"Written to o: {', '.join(FILES['monitor'])}", "Written: j.xml"]
    content = json.loads(Path("o/monitor.json").read_text("utf-8"))
    validator.validate(content)
    assert content["violated"] is True
    assert list(pd.read_csv("o/monitor.csv").columns) == list(LINES)
    assert list(pd.read_csv("o/history.csv").columns) == list(HISTORY)
    suite = ElementTree.parse("j.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("6", "1")
    assert "; estimate " in suite.find(".//failure").get("message")


def test_several_batches_are_those_one_by_one(ran):
    ran("monitor", "one", "a.csv", *NAMED)
    ran("monitor", "one", "b.csv")
    ran("monitor", "two", "a.csv", "b.csv", *NAMED)
    assert Path("one").read_bytes() == Path("two").read_bytes()
    looked = ran("monitor", "one")
    assert looked.replace("one:", "two:") == ran("monitor", "two")
    python = fp.monitor("three", ["a.csv", "b.csv"], **ROWS)
    assert Path("three").read_bytes() == Path("one").read_bytes()
    assert python.to_text().replace("three:", "one:") in looked


@pytest.mark.parametrize(
    ("batch", "options", "status"),
    [
        ("a.csv", ("--fail-on-violation",), 1),
        ("a.csv", ("--fail-on-violation", "--margin", "0.5"), 0),
        ("a.csv", ("--fail-on-violation", "--margin", "0.05"), 1),
        ("fair.csv", ("--fail-on-violation",), 0),
        ("fair.csv", ("--fail-unless-shown", "--margin", "0.1"), 0),
        ("a.csv", ("--fail-unless-shown", "--margin", "0.1"), 1),
        ("fair.csv", ("--fail-unless-shown",), 2),
        ("a.csv", ("--fail-now",), 1),
        ("fair.csv", ("--fail-now",), 0),
        ("fair.csv", ("--fail-now", "--score", "s", "--criterion", "xauc"), 2),
        ("a.csv", ("--fail-on-new",), 1),
        ("fair.csv", ("--fail-on-new",), 0),
        ("fair.csv", ("--fail-on-new", "--score", "s", "--criterion", "xauc"), 2),
    ],
)
def test_the_exit_status_says_what_was_found(batch, options, status):
    result = CliRunner().invoke(app, ["monitor", "m.state", batch, *NAMED, *options])
    assert result.exit_code == status, result.output
    looked = CliRunner().invoke(app, ["monitor", "m.state", *options])
    again = 0 if options == ("--fail-on-new",) else status
    assert looked.exit_code == again, "no gap is new without a batch"


def test_nothing_that_can_be_tested_is_no_pass():
    people(40).to_csv("few.csv", index=False)
    options = ("--score", "s", "--criterion", "xauc", "--fail-on-violation")
    result = CliRunner().invoke(app, ["monitor", "m.state", "few.csv", *NAMED, *options])
    assert result.exit_code == 2
    assert result.stderr.startswith("fairpairs: --fail-on-violation: nothing that counts can be")
    assert fp.monitor("m.state").violated is None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("m.state", "a.csv"), "--threshold), --sensitive"),
        (("m.state", "a.csv", *NAMED, "--groups", "race"), "write the attribute and its groups"),
        (("m.state", "a.csv", *NAMED, "--score-range", "1"), "give two numbers, such as 0,1"),
        (("m.state", "a.csv", *NAMED, "--run-length", "5"), "--run-length: '5' is none: give a n"),
        (("m.state", "a.csv", *NAMED, "--run-length", "9 weeks"), "or of rows, such as '500000 "),
        (("m.state", "a.csv", *NAMED, "--score-range", "2,1"), "smallest and the largest"),
        (("m.state", "a.csv", *NAMED, "--junit", "./m.state"), "m.state: would overwrite its in"),
        (("a.csv", "b.csv", *NAMED), "fairpairs: a.csv: not the state of a monitor"),
    ],
)
def test_bad_arguments_are_one_sentence(refused, arguments, sentence):
    assert sentence in refused("monitor", *arguments)
    assert not Path("m.state").exists()


def test_other_options_and_batches_are_refused(ran, refused):
    ran("monitor", "m.state", "a.csv", *NAMED, "--reference", "sex=m")
    before = Path("m.state").read_bytes()
    assert "appended before, as batch 1 of 1: leave it out, or give --again" in refused(
        "monitor", "m.state", "a.csv"
    )
    assert "begun with --reference sex=m, and now it is sex=f" in refused(
        "monitor", "m.state", "b.csv", "--reference", "sex=f"
    )
    assert Path("m.state").read_bytes() == before
    ran("monitor", "m.state", "b.csv", *NAMED, "--reference", "sex=m")
    ran("monitor", "m.state", "b.csv", "--again")
    assert "fair.csv is appended: leave it out next time." in refused(
        "monitor", "m.state", "fair.csv", "b.csv"
    )
    assert "batch 4 of 4" in refused("monitor", "m.state", "fair.csv")
    without = "--fail-unless-shown: separation counts without a margin: begin the state with"
    assert without in refused("monitor", "m.state", "--fail-unless-shown")


def test_counts_are_refused(ran, refused):
    ran("count", "a.csv", *NAMED, "-o", "a.counts")
    assert "a counts file, whose rows have no order" in refused("monitor", "m", "a.counts", *NAMED)


def test_judgments_are_monitored(ran, validator):
    judged().to_json("j.jsonl", orient="records", lines=True)
    options = ("--judgments", "--outcome", "winner", "--score", "score_a,score_b")
    out = ran("monitor", "j.state", "j.jsonl", *options, "--sensitive", "dialect_a,dialect_b")
    assert "j.state: 2,000 judgments in 1 batch" in out.splitlines()
    assert "dialect: x minus y, comparative, across" in out
    validator.validate(json.loads(json.dumps(fp.monitor("j.state").to_dict())))
    again = ("--sensitive", "dialect_a,dialect_b")
    judged(500, seed=1).to_csv("k.csv", index=False)
    ran("monitor", "j.state", "k.csv", *options, *again)


@pytest.mark.parametrize(
    ("frame", "arguments"),
    [
        (people(40), {**SCORED, "margin": 0.1}),
        (people(400).assign(y=lambda f: f["s"] * 3), ROWS | {"y_pred": "s"}),
        (judged(30), JUDGED),
    ],
    ids=["few", "numbers", "judgments"],
)  # fmt: skip
def test_the_json_keeps_its_schema(validator, frame, arguments):
    result = fp.monitor("s", frame, **arguments)
    validator.validate(json.loads(json.dumps(result.to_dict(), allow_nan=False)))
    result.to_html()
    parts = validator.schema["properties"]
    assert set(parts["verdicts"]["required"]) == set(VERDICTS)
    assert set(parts["lines"]["items"]["required"]) == set(LINES)
    ElementTree.fromstring(result.to_junit(unless_shown=True).split("\n", 1)[1])
