"""docs/tutorials/few-labels.md: its Python and its commands, run in order on ProPublica's file."""

import pytest

from tests.cli.doc_pages import misplaced, run_pages


@pytest.mark.slow
def test_the_tutorial_prints_what_stands_there(mirror, tmp_path):
    (found,) = mirror.glob("compas/**/compas-scores-two-years.csv")
    target = tmp_path / "data/raw/compas/compas-scores-two-years.csv"
    target.parent.mkdir(parents=True)
    target.write_bytes(found.read_bytes())
    blocks = run_pages(["tutorials/few-labels.md"], tmp_path)
    assert [block.out for block in blocks if block.kind == "python"] == [""] * 4
    commands = [block for block in blocks if block.kind == "sh"]
    assert len(commands) == 6
    for block in commands:
        shown = block.shown.splitlines()
        assert len(shown) > 3
        assert misplaced(shown, block.out.splitlines()) == [], block.code
