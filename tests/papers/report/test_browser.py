"""The page in Chromium: what axe-core finds, and what search, filters and links do.

AXE names axe.min.js, as of `npm pack axe-core`: `AXE=package/axe.min.js pytest
tests/papers/report`.
REPORT names the report of a finished run, to try that one.
"""

import os
from pathlib import Path

import pytest

from tests import browser
from tests.papers.report.test_report import CLAIMS, write  # noqa: F401  (a fixture)

AXE = os.environ.get("AXE", "")
#: Another report, as that of a finished run.
REPORT = Path(os.environ["REPORT"]).read_text("utf-8") if "REPORT" in os.environ else None
#: What keeps people from using a page.
SERIOUS = {"serious", "critical"}

needs_axe = pytest.mark.skipif(
    not AXE, reason="AXE does not name axe.min.js of axe-core: nothing to run."
)
pytestmark = [browser.needs_chromium, pytest.mark.slow]


@pytest.fixture
def browse(tmp_path, write):  # noqa: F811
    """A function that runs a script at the end of the page, and returns what it hands to `done`."""

    def browse(script, *, report=None, **at):
        return browser.browse(tmp_path, report or write(ours=0.9, claims=CLAIMS), end=script, **at)

    return browse


AXE_RUN = (
    "\n;document.querySelectorAll('details').forEach(d => { d.open = true; });"
    "axe.run(document, {exclude: [['svg']]}).then(r => done(r.violations.map("
    "v => [v.impact, v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))])));"
)


@pytest.fixture
def serious(browse):
    """A function that returns the serious faults of a page that axe-core finds."""

    def serious(width, report=None):
        script = Path(AXE).read_text("utf-8").replace("</script", "<\\/script") + AXE_RUN
        return [row for row in browse(script, width=width, report=report) if row[0] in SERIOUS]

    return serious


@pytest.mark.slow
@needs_axe
@pytest.mark.parametrize("width", [400, 1400])
def test_axe_finds_nothing_serious(serious, width):
    assert serious(width, REPORT) == []


@pytest.mark.slow
def test_search_and_filters_show_what_matches(browse):
    opened, before, words, verdict, cleared = browse("""
        const shown = () => [...document.querySelectorAll("[data-item]:not([hidden])")]
          .filter(e => !e.closest("[hidden]") && !e.closest(".short")).map(e => e.id);
        const set = (id, value) => { document.getElementById(id).value = value;
          document.getElementById(id).dispatchEvent(new Event("input", {bubbles: true})); };
        const all = [document.getElementById("first-table_3").open, shown()];
        set("query", "small SECTION"); all.push(shown());
        set("query", ""); set("verdict", "differs"); all.push(shown());
        set("verdict", ""); all.push(shown());
        done(all);
    """)
    assert opened is False  # which a link opens
    assert words == ["claim-first-two"]
    assert verdict == ["first-table_3"]
    assert {"claim-first-one", "first-table_3", "experiment-classification"} <= set(before)
    assert cleared == before


@pytest.mark.slow
def test_a_filter_leaves_what_matches_alone_and_a_button_leads_there(browse):
    script = """
        const by = id => document.getElementById(id), seen = e => e.getClientRects().length > 0;
        const titles = () => [...document.querySelectorAll("main h2, main h3, .answer")]
          .filter(seen).map(e => e.textContent.trim());
        const set = (id, value) => { by(id).value = value;
          by(id).dispatchEvent(new Event("input", {bubbles: true})); };
        by("menu").click();
        set("verdict", "does not hold");
        const one = [titles(), by("matches").textContent, by("show").textContent];
        by("show").click();
        one.push(seen(by("parts")));
        set("query", "no such word");
        const none = [titles(), by("matches").textContent];
        by("show").click();
        done([one, none, by("show").hidden, titles().length]);
    """
    one, none, hidden, after = browse(script, width=400)
    assert one == [
        ["The first", "The first", "Conclusions of the paper"],
        "1 part matches.", "1 part matches: show", False,
    ]  # fmt: skip
    assert none == [[], "Nothing matches."]
    assert hidden is True
    assert after > 8


@pytest.mark.slow
def test_a_link_opens_the_part_that_it_leads_into(browse):
    script = "done(document.getElementById('first-table_3').open)"
    assert browse(script, anchor="#first-table_3") is True


@pytest.mark.slow
def test_a_narrow_page_has_a_menu_and_nothing_wider_than_it(browse):
    script = """
        const parts = document.getElementById("parts");
        const folded = () => getComputedStyle(parts).display === "none", before = folded();
        document.getElementById("menu").click();
        document.querySelectorAll("details").forEach(d => { d.open = true; });
        done([before, folded(), document.documentElement.scrollWidth <= innerWidth]);
    """
    assert browse(script, width=400, report=REPORT) == [True, False, True]
    assert browse(script, report=REPORT) == [False, False, True]


@pytest.mark.slow
def test_no_script_of_another_one_runs(browse, write):  # noqa: F811
    text = write().replace("</h1>", "<script>window.strange = 1</script></h1>")
    assert browse("done(window.strange ?? 0)", report=text) == 0
