"""docs/how-to/control.md: its Python and its commands, run in order."""

import pytest

from tests.cli.doc_pages import run_pages


@pytest.mark.slow
def test_the_page_on_controls_prints_what_stands_there(tmp_path):
    plain, controlled, groups = (
        b for b in run_pages(["how-to/control.md"], tmp_path) if b.kind == "sh"
    )
    assert plain.out.split("\n\n")[1] == plain.shown
    assert controlled.shown in " ".join(controlled.out.split())
    assert "points lower without the control" in " ".join(controlled.out.split())
    assert controlled.out.split("\n\n")[1].startswith("YES: ")
    assert groups.out.split("\n\n")[1] == groups.shown
