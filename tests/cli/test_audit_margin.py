"""`fairpairs audit --margin`: what it refuses, how it exits, and its JUnit XML."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import fairpairs as fp
from fairpairs.audits.audit.audit import audit_file
from fairpairs.audits.lines.files import FILES
from fairpairs.cli import app
from tests.cli.results import sentence_of

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_pages")]

FILE = "p.csv"
ROLES = ("--label", "y", "--prediction", "yhat", "--sensitive", "sex")
SHOWN = ("--fail-unless-shown", "--margin")
UNLESS, ON = ("--fail-unless-shown",), ("--fail-on-violation",)


@pytest.fixture
def write(folder):
    """A function that writes p.csv to the working folder: `more` errors of men's predictions."""

    def written(n=8000, more=0.0):
        rng = np.random.default_rng(0)
        sex, y = rng.choice(["f", "m"], n), rng.integers(0, 2, n)
        wrong = rng.random(n) < 0.2 + more * (sex == "m")
        frame = pd.DataFrame({"y": y, "yhat": np.where(wrong, 1 - y, y), "sex": sex})
        frame.to_csv(FILE, index=False)
        return frame

    return written


def run(*arguments):
    return CliRunner().invoke(app, ["audit", FILE, *ROLES, *arguments, "--details"])


def refused(*arguments):
    """The one sentence on stderr; nothing is written."""
    before = sorted(Path().rglob("*"))
    sentence = sentence_of(run(*arguments))
    assert sorted(Path().rglob("*")) == before
    return sentence.removeprefix("fairpairs: ")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--margin", "much"), "--margin much: write a number, such as --margin 0.05 or --margin "),
        (("--margin", ""), "--margin : write a number"),
        (("--margin", "=0.1"), "--margin =0.1: give one number for all, or one for each criterion"),
        (("--margin", "0.1,0.2"), "--margin 0.1: give one number for all, or one for each criteri"),
        (("--margin", "0.1", "--margin", "xauc=0.2"), "--margin 0.1: give one number for all, or"),
        (("--margin", "xauc=0.1,xauc=0.2"), "--margin xauc=0.2: give one number for all, or one"),
        (("--margin", "seperation=0.1"), "--margin: 'seperation' is not a criterion (did you mean"),
        (("--fail-unless-shown",), "--fail-unless-shown needs a margin: give one, such as --mar"),
        (("--figure", "gaps.pdf"), "gaps.pdf: give --figure a file that ends in .svg or .png."),
        (("--figure", "no/gaps.svg"), "no/gaps.svg: there is no folder no: make it first."),
        (("--junit", "a.md", "--card", "a.md"), "--card: a.md is written by --junit too: name "),
    ],
)  # fmt: skip
def test_a_bad_option_is_refused_in_one_sentence(write, options, sentence):
    write(n=200)
    assert refused(*options).startswith(sentence)


@pytest.mark.parametrize("name", ["report/audit.json", "report/../report/rates.csv", "report"])
def test_a_junit_file_is_none_of_the_folder(write, name):
    write(n=200)
    expected = f"--junit: {name} is written by --out too: name another one.\n"
    assert refused("--out", "report", "--junit", name) == expected
    Path("report").mkdir()
    assert refused("--out", "report", "--junit", name) == expected


def test_a_number_alone_is_no_margin_of_what_has_a_unit(write):
    write(n=200)
    predicted = np.arange(200) + np.tile([0, 1, 2], 67)[:200]
    data = pd.read_csv(FILE).assign(y=range(200), yhat=predicted)
    data.to_csv(FILE, index=False)
    criterion = ("--criterion", "differential_parity")
    assert refused(*criterion, "--margin", "0.5") == (
        "--margin: 0.5 is of rates, and differential_parity has a unit: give a margin by its name, "
        "differential_parity=NUMBER.\n"
    )
    assert "PASS: no two groups differ by more than 9.\n" in run(
        *criterion, "--margin", "differential_parity=9"
    ).stdout.replace("\n\n", "\n")
    assert "in the label's unit" in " ".join(run(*criterion).stdout.split())


def test_a_release_that_waits_for_a_tiny_group_may_do_without_it(write):
    write(n=4000)
    data = pd.read_csv(FILE)
    data.loc[:9, "sex"] = "other"
    data.to_csv(FILE, index=False)
    out = " ".join(run("--margin", "0.1").stdout.split())
    assert "or do without small groups: --smallest 11." in out
    assert run("--margin", "0.1", "--smallest", "11").stdout.startswith("PASS")


def test_the_figure_alone_has_every_row_and_the_same_bytes_again(write):
    write(n=200)
    result = run("--margin", "0.1", "--figure", "gaps.SVG")
    assert result.exit_code == 0 and result.stdout.endswith("Written: gaps.SVG\n")
    first = Path("gaps.SVG").read_bytes()
    run("--margin", "0.1", "--figure", "gaps.SVG")
    assert Path("gaps.SVG").read_bytes() == first
    assert b">TPR, " in first and b">FPR, " in first and b">difference and its interval<" in first


def test_a_junit_file_may_lie_in_the_folder_that_out_makes(write):
    write(n=200)
    assert run("--out", "new/report", "--junit", "new/report/audit.xml").exit_code == 0
    assert Path("new/report/audit.xml").is_file() and Path("new/report/audit.json").is_file()


@pytest.mark.parametrize(
    ("more", "margin", "violated", "statuses"),
    [
        (0.0, "0.05", False, {UNLESS + ON: 0}),  # shown within the margin
        (0.0, "0.01", False, {UNLESS: 1, ON: 0, UNLESS + ON: 1}),  # not shown
        (0.04, "0.1", False, {UNLESS + ON: 0}),  # differs, and is shown within
        (0.04, "0.04", False, {UNLESS: 1, ON: 0}),  # differs; whether beyond is not shown
        (0.2, "0.05", True, {UNLESS: 1, ON: 1, (): 0}),  # beyond
    ],
)
def test_the_exit_status(write, more, margin, violated, statuses):
    write(more=more)
    for flags, status in statuses.items():
        result = run("--margin", margin, *flags, "--junit", "audit.xml")
        assert (result.exit_code, result.stderr) == (status, "")
        assert result.stdout.endswith("Written: audit.xml\n")
        suite = ET.parse("audit.xml").getroot().find("testsuite")
        assert (int(suite.get("failures")) > 0) is bool(status or violated)


def test_everything_is_written_when_a_build_fails(write):
    write(more=0.2)
    result = run(*SHOWN, "0.05", "--out", "report", "--junit", "audit.xml")
    assert result.exit_code == 1
    assert sorted(path.name for path in Path("report").iterdir()) == sorted(FILES["audit"])
    content = json.loads(Path("report/audit.json").read_text("utf-8"))
    jsonschema.validate(content, fp.AuditResult.SCHEMA)
    assert (content["violated"], content["shown"]) == (True, False)
    assert content["format"] == 4
    text = Path("audit.xml").read_text("utf-8")
    assert 'type="violated beyond the margin"' in text
    assert 'name="fairpairs audit p.csv"' in text
    result = audit_file(
        Path(FILE), label="y", prediction="yhat", sensitive=["sex"], margin={"separation": 0.05}
    )  # fmt: skip
    assert result.about["margin"] == {"separation": 0.05}
    before = Path("audit.xml").read_bytes()
    run(*SHOWN, "0.05", "--junit", "audit.xml")
    assert Path("audit.xml").read_bytes() == before


def test_a_build_does_not_pass_when_nothing_can_be_tested_against_the_margin(write):
    """All labels of women are positive, so no line of theirs can be compared by the FPR."""
    frame = write(n=200)
    one_group = frame["y"].where(frame["sex"] == "m", 1)
    frame.assign(y=one_group).to_csv(FILE, index=False)
    result = run(*SHOWN, "0.9", "--junit", "audit.xml")
    assert result.exit_code == 1
    assert "UNDECIDED: too little data for sex=f." in result.stdout
    suite = ET.parse("audit.xml").getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("errors"), suite.get("failures")) == ("2", "1", "0")
    without = run(*SHOWN, "average_odds=0.1")
    assert (without.exit_code, without.stderr) == (
        2,
        "fairpairs: --fail-unless-shown: separation counts without a margin: give --margin "
        "separation=NUMBER, or name what counts with --criterion.\n",
    )
    nothing = run(*SHOWN, "0.1", "--criterion", "average_odds")
    assert (nothing.exit_code, nothing.stderr) == (
        2,
        "fairpairs: --fail-unless-shown: average_odds cannot be tested against the margin: every "
        "row of sex=f has y 1. Next: join such groups with others, or collect what "
        "they lack.\n",
    )
