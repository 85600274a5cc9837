"""The tutorial on judgments and the guide to power go on as they stand: Python and commands."""

import re
import shlex

import pytest
from typer.testing import CliRunner

from fairpairs.cli import app
from tests.cli.doc_pages import misplaced, run_pages

COMMAND = re.compile(r"^    fairpairs (audit-judgments .*\\\n.*)$", re.M)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("doc")


@pytest.fixture(scope="module")
def blocks(folder):
    return run_pages(["tutorials/judgments.md", "how-to/power.md"], folder)


def test_the_python_of_the_pages_gives_what_stands_there(blocks):
    assert [block.out for block in blocks if block.kind == "python"] == [""] * 3


def test_the_commands_of_the_pages_print_what_stands_there(blocks):
    commands = [block for block in blocks if block.kind == "sh"]
    assert len(commands) == 8
    for block in commands:
        shown = [line for line in block.shown.splitlines() if line.strip() not in ("", "…")]
        assert shown
        assert misplaced(shown, block.out.splitlines()) == [], block.code


def test_the_commands_of_the_pages_write_what_they_name(blocks, folder):
    assert sorted(path.name for path in folder.iterdir()) == [
        "audit", "curve.svg", "judgments.csv", "pilot.csv", "predictions.csv",
    ]  # fmt: skip


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_first_pages_audit_the_files_of_the_tutorial(request, folder, monkeypatch, page):
    monkeypatch.chdir(folder)
    (command,) = COMMAND.findall((request.config.rootpath / page).read_text("utf-8"))
    result = CliRunner().invoke(app, shlex.split(command.replace("\\\n", " ")))
    assert result.exit_code == 0, result.output
    assert (
        "LEANS to north: the model agrees more often with judgments that prefer north"
        in result.output
    )
