"""The audit of COMPAS in docs/audit.md and the README: its Python and its command, in order."""

import re
import shlex

import pytest
from typer.testing import CliRunner

from fairpairs.cli import app

COMMAND = re.compile(r"^    fairpairs (audit compas\.csv .*\\\n.*)$", re.M)


@pytest.fixture(scope="module")
def pages(request):
    root = request.config.rootpath
    return {name: (root / name).read_text("utf-8") for name in ("docs/audit.md", "README.md")}


def printed(page, blocks):
    """The lines of the blocks that follow the command, but for what stands for more lines."""
    following = [part.strip("\n") for part in page[COMMAND.search(page).end() :].split("\n\n")]
    shown = [part for part in following if part.startswith("    ")][:blocks]
    return [line[4:] for part in shown for line in part.splitlines() if line != "    …"]


@pytest.fixture(scope="module")
def out(pages, mirror, tmp_path_factory):
    """What the command prints on ProPublica's file."""
    page = pages["docs/audit.md"]
    folder = tmp_path_factory.mktemp("audit")
    target = folder / "data/raw/compas/compas-scores-two-years.csv"
    target.parent.mkdir(parents=True)
    (found,) = mirror.glob("compas/**/compas-scores-two-years.csv")
    target.write_bytes(found.read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(re.search(r"```python\n(import pandas.*?)```", page, re.S)[1], {})
        arguments = shlex.split(COMMAND.search(page)[1].replace("\\\n", " "))
        result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return result.output.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "blocks", "lines"), [("docs/audit.md", 3, 20), ("README.md", 1, 7)]
)
def test_the_command_prints_what_the_page_shows(pages, out, page, blocks, lines):
    shown = printed(pages[page], blocks)
    assert len(shown) == lines
    assert [line for line in shown if line not in out] == []


def test_both_pages_show_the_same_command(pages):
    first, second = (shlex.split(COMMAND.search(page)[1]) for page in pages.values())
    assert {"--sensitive", "race"} <= set(second) <= set(first)
