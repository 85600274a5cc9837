"""judgments.md: its Python and its commands, run in order, give what stands there."""

import pytest

from tests.cli.doc_pages import run_page

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("doc")


@pytest.fixture(scope="module")
def blocks(folder):
    return run_page("tutorials/judgments.md", folder)


def test_the_python_of_the_page_gives_what_stands_there(blocks):
    assert [block.out for block in blocks if block.kind == "python"] == [""] * 4


def test_the_commands_of_the_page_print_what_stands_there(blocks):
    commands = [block for block in blocks if block.kind == "sh"]
    assert len(commands) == 7
    for block in commands:
        assert block.shown == block.out, block.code


def test_the_commands_of_the_page_write_what_it_names(blocks, folder):
    assert sorted(path.name for path in folder.iterdir()) == [
        "audit", "curve.svg", "judgments.csv", "pilot.csv", "pilot_judgments.csv",
        "predictions.csv",
    ]  # fmt: skip
