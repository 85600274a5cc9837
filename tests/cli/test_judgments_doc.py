"""The tutorial on judgments and the guide to power go on as they stand: Python and commands."""

import pytest

from tests.cli.doc_pages import run_pages

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("doc")


@pytest.fixture(scope="module")
def blocks(folder):
    return run_pages(["tutorials/judgments.md", "how-to/power.md"], folder)


def test_the_python_of_the_pages_gives_what_stands_there(blocks):
    assert [block.out for block in blocks if block.kind == "python"] == [""] * 4


def test_the_commands_of_the_pages_print_what_stands_there(blocks):
    commands = [block for block in blocks if block.kind == "sh"]
    assert len(commands) == 7
    for block in commands:
        assert block.shown == block.out, block.code


def test_the_commands_of_the_pages_write_what_they_name(blocks, folder):
    assert sorted(path.name for path in folder.iterdir()) == [
        "audit", "curve.svg", "judgments.csv", "pilot.csv", "pilot_judgments.csv",
        "predictions.csv",
    ]  # fmt: skip
