"""The audits in the tutorial, the guides and the README: their Python and commands, in order."""

import re
import shlex

import pytest
from typer.testing import CliRunner

from fairpairs.cli import app
from tests.cli.doc_pages import misplaced

COMMAND = re.compile(r"^    fairpairs (audit compas\.csv .*\\\n.*)$", re.M)
WARD = re.compile(r"^    fairpairs (audit ward\.csv (?:.*\\\n)?.*)$", re.M)
RELEASE = re.compile(r"^    fairpairs (audit (?:pilot|loans)\.csv .*\\\n.*)$", re.M)

WRITTEN = {"audit.html", "audit.json", "audit.csv", "rates.csv"}
TUTORIAL, CLASSES, MARGIN = (
    "docs/tutorials/audit.md", "docs/how-to/classes.md", "docs/how-to/margin.md",
)  # fmt: skip


@pytest.fixture(scope="module")
def pages(request):
    root = request.config.rootpath
    return {
        name: (root / name).read_text("utf-8") for name in (TUTORIAL, CLASSES, MARGIN, "README.md")
    }


def printed(page, blocks, command=COMMAND):
    """The lines of each block that follows the command, but for what stands for more lines."""
    following = [part.strip("\n") for part in page[command.search(page).end() :].split("\n\n")]
    shown = [part for part in following if part.startswith("    ")][:blocks]
    return [[line[4:] for line in part.splitlines() if line != "    …"] for part in shown]


def check_blocks(shown, lines, output):
    """Assert that each block is printed, its lines in their order."""
    assert sum(map(len, shown)) == lines
    assert [misplaced(block, output.splitlines()) for block in shown] == [[]] * len(shown)


@pytest.fixture(scope="module")
def out(pages, mirror, tmp_path_factory):
    """What the command prints on ProPublica's file, and with --details."""
    page = pages[TUTORIAL]
    folder = tmp_path_factory.mktemp("audit")
    target = folder / "data/raw/compas/compas-scores-two-years.csv"
    target.parent.mkdir(parents=True)
    (found,) = mirror.glob("compas/**/compas-scores-two-years.csv")
    target.write_bytes(found.read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        first, second = re.findall(r"```python\n(import.*?)```", page, re.S)
        names: dict[str, object] = {}
        exec(first, names)
        exec(second, names)  # the same in Python
        assert names["result"].violated
        assert {path.name for path in (folder / "report").iterdir()} == WRITTEN
        arguments = shlex.split(COMMAND.search(page)[1].replace("\\\n", " "))
        answer = CliRunner().invoke(app, arguments)
        result = CliRunner().invoke(app, [*arguments, "--details"])
    assert result.exit_code == 0, result.output
    return answer.output + result.output


@pytest.mark.slow
@pytest.mark.parametrize(("page", "blocks", "lines"), [(TUTORIAL, 8, 40), ("README.md", 4, 17)])
def test_the_command_prints_what_the_page_shows(pages, out, page, blocks, lines):
    check_blocks(printed(pages[page], blocks), lines, out)


def test_both_pages_show_the_same_command(pages):
    first, second = (shlex.split(COMMAND.search(pages[p])[1]) for p in (TUTORIAL, "README.md"))
    assert {"--sensitive", "race"} <= set(second) <= set(first)


def test_a_release_is_decided_as_the_page_shows(pages, folder):
    page = pages[MARGIN]
    exec(re.search(r"```python\n(import numpy[^`]*?loans\.to_csv.*?)```", page, re.S)[1], {})
    statuses, without_margin = [], []
    for command, lines in zip(RELEASE.findall(page), (12, 9), strict=True):
        arguments = shlex.split(command.replace("\\\n", " "))
        result = CliRunner().invoke(app, arguments)
        statuses.append(result.exit_code)
        plain = [*arguments[: arguments.index("--margin")], "--fail-on-violation"]
        without_margin.append(CliRunner().invoke(app, plain).exit_code)
        check_blocks(printed(page, 4, re.compile(re.escape(command))), lines, result.output)
    assert statuses == [1, 0]
    assert without_margin == [0, 1]


@pytest.mark.slow
def test_classes_are_audited_as_the_page_shows(pages, folder):
    page = pages[CLASSES]
    exec(re.search(r"```python\n(import numpy[^`]*?ward\.to_csv.*?)```", page, re.S)[1], {})
    for command, blocks, lines in zip(WARD.findall(page), (4, 1), (17, 4), strict=True):
        arguments = shlex.split(command.replace("\\\n", " "))
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, result.output
        check_blocks(printed(page, blocks, re.compile(re.escape(command))), lines, result.output)
