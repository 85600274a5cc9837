"""docs/how-to/harnesses.md: its commands, on files that the tools wrote."""

import shutil
from pathlib import Path

import pytest

from tests.cli.doc_pages import misplaced, run_pages

FILES = Path(__file__).parents[1] / "base/harnesses/files"


@pytest.mark.slow
def test_the_page_on_harnesses_prints_what_stands_there(tmp_path):
    for file in FILES.iterdir():
        shutil.copy(file, tmp_path)
    blocks = run_pages(["how-to/harnesses.md"], tmp_path)
    assert len(blocks) == 4
    for block in blocks:
        shown = [line for line in block.shown.splitlines() if line]
        assert misplaced(shown, block.out.splitlines()) == []
