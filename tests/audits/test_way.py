"""The way of one p-value from the command line to the printed line, as the page tells it."""

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/fairpairs"
PAGE = (ROOT / "docs/explanation/architecture.md").read_text("utf-8")
TOLD = PAGE.partition("## The way of one p-value")[2].partition("\n## ")[0]
#: The nouns that a newcomer meets on the way: classes of the package.
NOUNS = {*re.findall(r"`([A-Z]\w*)`", TOLD)}
#: Calls that the way is deep at most, functions of the package that it goes through, and nouns.
DEEPEST, FUNCTIONS, MOST_NOUNS = 13, 286, 25


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """The functions that a plain audit of two groups calls, with their depth, in their order."""
    from typer.testing import CliRunner

    from fairpairs.cli import app

    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 2000)
    approved = np.where(rng.random(2000) < 0.8, label, 1 - label)
    sex = rng.choice(["f", "m"], 2000)
    path = tmp_path_factory.mktemp("way") / "loans.csv"
    loans = pd.DataFrame({"repaid": label, "approved": approved, "sex": sex})
    loans.to_csv(path, index=False)
    arguments = ["audit", str(path), "--label", "repaid", "--prediction", "approved"]
    called, within = [], []

    def seen(frame, event, _):
        code = frame.f_code
        own = code.co_filename.startswith(str(PACKAGE)) and not code.co_name.startswith("<")
        if own and event == "call":
            within.append(frame)
            called.append((Path(code.co_filename), code.co_name, code.co_firstlineno, len(within)))
        elif own and event == "return" and within and within[-1] is frame:
            within.pop()

    runner = CliRunner()
    assert runner.invoke(app, [*arguments, "--sensitive", "sex"]).exit_code == 0  # all is loaded
    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        runner.invoke(app, [*arguments, "--sensitive", "sex"])
    finally:
        sys.setprofile(before)
    return called


def test_the_way_is_as_the_page_tells_it(calls):
    rows = re.findall(r"^\| `(audits/\S+)`.*?\| (.*?) \|", TOLD, re.MULTILINE)
    steps = [(Path(file).parent, name) for file, run in rows for name in re.findall(r"\w+", run)]
    assert len(steps) == 12
    here = ((path.relative_to(PACKAGE).parent, name) for path, name, *_ in calls)
    for step in steps:
        assert step in here, step


def test_its_files_and_nouns_exist():
    for file in re.findall(r"`((?:audits|mathematics)/[\w/]+\.py)`", TOLD):
        assert (PACKAGE / file).is_file(), file
    text = "".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
    for noun in NOUNS:
        assert re.search(rf"^class {noun}\b", text, re.MULTILINE), noun
    assert len(NOUNS) <= MOST_NOUNS
    assert TOLD.count("\n") <= 25  # one screen


def test_it_is_no_deeper_and_no_wider(calls):
    assert max(depth for *_, depth in calls) <= DEEPEST
    assert len({(path, line) for path, _, line, _ in calls}) <= FUNCTIONS
