"""fairpairs example: files and commands for the first minute."""

import hashlib
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fairpairs.cli import app

pytestmark = pytest.mark.usefixtures("folder")

ANSWERS = (
    "FAIL: female and male differ by 24 points in TPR (margin: 10 points).",
    "1 GROUP DIFFERS from everyone else: most of all ",
    "LEANS to male: the model agrees more often with judgments that prefer male over female than "
    "with the reverse.",
)


def run(*arguments):
    return CliRunner().invoke(app, arguments)


@pytest.mark.slow
def test_each_command_that_is_printed_answers_on_the_files():
    out = run("example", "my first").stdout
    assert sorted(path.name for path in Path("my first").iterdir()) == [
        "judgments.csv", "loans.csv",
    ]  # fmt: skip
    commands = re.findall(r"^  fairpairs (.*)$", out, re.M)
    assert len(commands) == len(ANSWERS)
    for command, answer in zip(commands, ANSWERS, strict=True):
        said = run(*shlex.split(command))
        assert said.exit_code == 0 and answer in " ".join(said.stdout.split())


def test_the_files_are_the_same_everywhere():
    run("example", "a")
    digests = [hashlib.sha256(Path(f"a/{name}.csv").read_bytes()).hexdigest()[:12]
               for name in ("loans", "judgments")]  # fmt: skip
    assert digests == ["34c7dfd2792b", "a30c337f3e13"]


def test_nothing_is_overwritten():
    Path("loans.csv").write_text("mine")
    result = run("example", ".")
    assert result.exit_code == 2
    assert result.stderr == (
        "fairpairs: loans.csv: this file is there already: name another folder.\n"
    )
    assert Path("loans.csv").read_text() == "mine" and not Path("judgments.csv").exists()
    Path("file").write_text("")
    assert "cannot be written" in run("example", "file").stderr
