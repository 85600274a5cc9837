"""The committed results of the full size, and the page that shows them."""

import pytest

from fairpairs.papers.display.tables import read_table, write_table
from fairpairs.papers.studies.register.measure import TEXT
from fairpairs.papers.studies.register.tables import display, gather, lost
from fairpairs.papers.studies.register.tools import chosen_tools
from fairpairs.papers.studies.register.worlds import REGISTER_WORLDS
from tests.made_results import ROOT

FOLDER = ROOT / "docs/explanation/register"


@pytest.fixture(scope="module")
def full():
    return read_table(FOLDER / "levels.csv", text=TEXT)


@pytest.fixture(scope="module")
def page():
    return (ROOT / "docs/explanation/register.md").read_text("utf-8")


def test_eight_tools_and_twelve_worlds_are_measured(full):
    """One that is added need not be measured at once."""
    tools, worlds = set(full["tool"]), set(full["world"])
    assert tools <= set(chosen_tools(ROOT / "workflow/tools", {}))
    assert worlds <= set(REGISTER_WORLDS)
    assert len(tools) >= 8
    assert len(worlds) >= 12


@pytest.mark.slow
def test_the_committed_table_is_that_of_the_numbers(full, tmp_path):
    write_table(tmp_path / "levels", full, display(full))
    committed = (FOLDER / "levels.md").read_text("utf-8")
    assert (tmp_path / "levels.md").read_text("utf-8") == committed
    assert gather([full.drop(columns=["keeps", "best", "best_tool"])]).equals(full)


def test_the_page_shows_where_ours_is_worse_and_each_level_that_is_broken(full, page):
    worse = page[page.index("## Where") : page.index("## What to take")]
    for row in lost(full).itertuples():
        assert f"| {row.world} | " in worse
        assert f"| {row.ours:.3f} ± " in worse
        assert f"| {row.best_tool}: " in worse
    levels = full[(full["promise"] == "level") & ~full["keeps"].astype(bool)]
    for row in levels.itertuples():
        shown = f"| {row.tool} | {row.world} | {row.measured:.3f} ± {row.standard_error:.3f} |"
        assert shown in page


def test_the_page_names_each_tool_with_its_version(full, page):
    for tool, version in full[["tool", "version"]].drop_duplicates().to_numpy():
        assert f"| {tool} | {version} | " in page
