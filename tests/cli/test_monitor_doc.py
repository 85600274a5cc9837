"""docs/how-to/monitor.md: its Python and its commands, run in order."""

import pytest

from tests.cli.doc_pages import run_pages

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("doc")


@pytest.fixture(scope="module")
def blocks(folder):
    return run_pages(["how-to/monitor.md"], folder)


def test_the_python_of_the_page_runs(blocks):
    assert [block.out for block in blocks if block.kind == "python"] == [""] * 3


def test_the_commands_of_the_page_print_what_stands_there(request, blocks):
    page = (request.config.rootpath / "docs/how-to/monitor.md").read_text("utf-8")
    shell = [block for block in blocks if block.kind == "sh"]
    assert len(shell) == 4
    for block in shell:
        following = page[page.index(block.code) :].split("```\n", 1)[1]
        lines = following.split("\n")
        start = next(i for i, line in enumerate(lines) if line.startswith("    "))
        shown = []
        for line in lines[start:]:
            if line and not line.startswith("    "):
                break
            shown.append(line[4:].rstrip())
        printed = "\n".join(line.rstrip() for line in block.out.splitlines())
        assert len(shown) > 10
        assert "\n".join(shown).strip() in printed


def test_the_commands_of_the_page_write_what_it_names(blocks, folder):
    assert sorted(path.name for path in (folder / "report").iterdir()) == [
        "history.csv", "monitor.csv", "monitor.html", "monitor.json",
    ]  # fmt: skip
