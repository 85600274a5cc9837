"""docs/judgments.md: its Python and its commands, run in order, give what stands there."""

import doctest
import re
import shlex

import pytest
from typer.testing import CliRunner

from fairpairs.cli import app

pytestmark = pytest.mark.slow

BLOCK = re.compile(r"```(python|sh)\n(.*?)```\n(?:\n((?:(?:    [^\n]*)?\n)+))?", re.S)


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """For each block in order: what it is, what was run, what stands there, what came out."""
    import os
    from pathlib import Path

    text = (Path(__file__).parents[2] / "docs/judgments.md").read_text("utf-8")
    here = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("doc"))
    names, blocks = {}, []
    try:
        for kind, code, shown in BLOCK.findall(text):
            if kind == "python":
                out = []
                test = doctest.DocTestParser().get_doctest(code, names, "judgments.md", None, 0)
                doctest.DocTestRunner(verbose=False).run(test, out=out.append, clear_globs=False)
                names = test.globs
                blocks.append((kind, code, "", "".join(out)))
            else:
                program, *arguments = shlex.split(code)
                assert program == "fairpairs"
                result = CliRunner().invoke(app, arguments)
                assert result.exit_code in (0, 2), result.output
                expected = re.sub("^    ", "", shown, flags=re.M).strip()
                blocks.append((kind, code, expected, result.output.strip()))
        files = sorted(path.name for path in Path().iterdir())
    finally:
        os.chdir(here)
    return blocks, files


def test_the_python_of_the_page_gives_what_stands_there(said):
    blocks = [out for kind, _, _, out in said[0] if kind == "python"]
    assert blocks == [""] * 4


def test_the_commands_of_the_page_print_what_stands_there(said):
    blocks = [block for block in said[0] if block[0] == "sh"]
    assert len(blocks) == 7
    for _, code, expected, out in blocks:
        assert expected == out, code


def test_the_commands_of_the_page_write_what_it_names(said):
    assert said[1] == [
        "audit", "curve.svg", "judgments.csv", "pilot.csv", "pilot_judgments.csv",
        "predictions.csv",
    ]  # fmt: skip
