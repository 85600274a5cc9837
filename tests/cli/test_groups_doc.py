"""docs/how-to/groups.md: its Python and its commands, run in order on ProPublica's file."""

import pytest

from tests.cli.doc_pages import misplaced, run_pages

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("doc")


@pytest.fixture(scope="module")
def blocks(folder, mirror):
    (found,) = mirror.glob("compas/**/compas-scores-two-years.csv")
    target = folder / "data/raw/compas/compas-scores-two-years.csv"
    target.parent.mkdir(parents=True)
    target.write_bytes(found.read_bytes())
    return run_pages(["how-to/groups.md"], folder)


def test_the_python_of_the_page_gives_what_stands_there(blocks):
    assert [block.out for block in blocks if block.kind == "python"] == [""] * 2


def test_the_commands_of_the_page_print_what_stands_there(request, blocks):
    page = (request.config.rootpath / "docs/how-to/groups.md").read_text("utf-8")
    commands = [block for block in blocks if block.kind == "sh"]
    assert len(commands) == 2
    for block in commands:
        following = page[page.index(block.code) :].split("```\n", 1)[1]
        parts = following.split("\n\n")
        shown = [line for part in parts for line in part.split("\n")]
        start = next(i for i, line in enumerate(shown) if line.startswith("    "))
        lines = []
        for line in shown[start:]:
            if line and not line.startswith("    "):
                break
            lines += [line[4:].rstrip()] if line.strip() not in ("", "…") else []
        printed = [line.rstrip() for line in block.out.splitlines()]
        assert len(lines) > 8
        assert misplaced(lines, printed) == []


def test_the_commands_of_the_page_write_what_it_names(blocks, folder):
    assert sorted(path.name for path in (folder / "report").iterdir()) == [
        "groups.csv", "groups.html", "groups.json",
    ]  # fmt: skip
