"""reward-models.md: its Python and its commands, run in order, print what stands there."""

import contextlib
import io
import re
import shlex

import pytest
from typer.testing import CliRunner

from fairpairs.cli import app
from tests.cli.doc_pages import misplaced

BLOCK = re.compile(r"```(python|sh)\n(.*?)```\n(?:\n((?:(?:    [^\n]*)?\n)+))?", re.S)


@pytest.fixture(scope="module")
def page(request):
    return (request.config.rootpath / "docs/how-to/reward-models.md").read_text("utf-8")


@pytest.fixture(scope="module")
def blocks(page):
    return BLOCK.findall(page)


def printed_by(kind, code, names):
    """Run a block and return what it prints."""
    if kind == "sh":
        program, *arguments = shlex.split(code.replace("\\\n", " "))
        assert program == "fairpairs"
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, result.output
        return result.output
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, names)
    return out.getvalue()


def lines_of(shown):
    """The lines that stand there, but for what stands for more."""
    lines = [line.removeprefix("    ") for line in shown.splitlines()]
    return [line for line in lines if line not in ("", "…")]


@pytest.mark.slow
def test_reward_models_doc_prints_what_stands_there(page, blocks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, commands = {}, 0
    for kind, code, shown in blocks:
        out = printed_by(kind, code, names).splitlines()
        if kind == "sh":
            commands += 1
            assert misplaced(lines_of(shown), out) == []
    assert commands == 3
    first = (tmp_path / "hasty.jsonl").read_text("utf-8").splitlines()[0]
    assert f"\n    {first}\n" in page
    files = ["arena.jsonl", "audit", "both.jsonl", "hasty.jsonl"]
    assert sorted(path.name for path in tmp_path.iterdir()) == files
