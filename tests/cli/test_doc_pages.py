"""Pages of the documentation: their Python and their commands, run in order."""

import shutil
from pathlib import Path

import pytest

from fairpairs.audits.lines.card import BEGIN
from tests.cli.doc_pages import misplaced, run_pages

FILES = Path(__file__).parents[1] / "base/harnesses/files"
#: Page → its blocks of Python and of commands, and the files that the last command writes.
PAGES = {
    "how-to/groups.md": (2, 2, "groups.csv groups.html groups.json"),
    "how-to/harnesses.md": (0, 4, None),
    "how-to/model-card.md": (1, 1, None),
    "how-to/monitor.md": (2, 3, "history.csv monitor.csv monitor.html monitor.json"),
    "how-to/reward-models.md": (2, 3, None),
    "how-to/table.md": (3, 4, None),
    "tutorials/few-labels.md": (4, 5, None),
}


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_a_page_prints_what_stands_there(mirror, tmp_path, page):
    (compas,) = mirror.glob("compas/**/compas-scores-two-years.csv")
    target = tmp_path / "data/raw/compas/compas-scores-two-years.csv"
    target.parent.mkdir(parents=True)
    for source, to in ((compas, target), *((file, tmp_path) for file in FILES.iterdir())):
        shutil.copy(source, to)
    blocks = run_pages([page], tmp_path)
    python, commands, written = PAGES[page]
    assert [block.out for block in blocks if block.kind == "python"] == [""] * python
    run = [block for block in blocks if block.kind == "sh"]
    assert len(run) == commands
    for block in run:
        shown = [
            line.rstrip() for line in block.shown.splitlines() if line.strip() not in ("", "…")
        ]
        printed = [line.rstrip() for line in block.out.splitlines()]
        assert shown
        assert misplaced(shown, printed) == [], block.code
    if written is not None:
        assert " ".join(sorted(file.name for file in (tmp_path / "report").iterdir())) == written
    if page == "how-to/model-card.md":
        assert (tmp_path / "README.md").read_text("utf-8").count(BEGIN) == 1
    if page == "how-to/reward-models.md":
        first = (tmp_path / "hasty.jsonl").read_text("utf-8").splitlines()[0]
        text = (Path(__file__).parents[2] / "docs" / page).read_text("utf-8")
        assert f"\n    {first}\n" in text


@pytest.mark.slow
def test_the_page_on_controls_prints_what_stands_there(tmp_path):
    plain, controlled, groups = (
        b for b in run_pages(["how-to/control.md"], tmp_path) if b.kind == "sh"
    )
    assert plain.out.split("\n\n")[0] == plain.shown
    assert controlled.shown in " ".join(controlled.out.split())
    assert "points lower without the control" in " ".join(controlled.out.split())
    assert controlled.out.startswith("PASS: ")
    assert groups.out.split("\n\n")[0] == groups.shown
