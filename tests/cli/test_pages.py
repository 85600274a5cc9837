"""The pages of all commands in Chromium: nothing is cut off, the answer is on the first screen.

AXE names axe.min.js, as of `npm pack axe-core`; without it, axe-core is not run.
"""

import os
import shlex
import shutil

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from fairpairs.cli import app
from tests import browser

AXE = os.environ.get("AXE", "")
#: Width → height of a window.
SIZES = {1400: 1000, 400: 900}
COLUMNS = "--label repaid --prediction approved"
JUDGED = "--left one --right other --outcome more_reliable --item id --score score --judge officer"
#: Page → the arguments that make it, of files with long names and groups of a few people.
COMMANDS = {
    "audit": f"audit loans.csv {COLUMNS} --score score --sensitive region,sex --margin 0.1",
    "classes": "audit loans.csv --label grade --prediction predicted --sensitive sex",
    "numbers": "audit loans.csv --label score --prediction noisy --sensitive sex",
    "compare": f"compare loans.csv new.csv --item id {COLUMNS} --sensitive region --margin 0.1",
    "groups": f"audit-groups loans.csv {COLUMNS} --sensitive region,age --depth 2",
    "judgments": f"audit-judgments judgments.csv loans.csv {JUDGED} --sensitive age",
    "monitor": f"monitor a.state first.csv then.csv {COLUMNS} --sensitive region --margin 0.1",
    "table": "table loans.csv --form four-fifths --prediction approved --sensitive region,sex",
    "power": "power --tpr 0.8,0.75 --fpr 0.2",
    "bridge": "bridge first.csv then.csv --decision score --sensitive sex --features noisy",
}
#: How far a page is wider than its window, with all folds open, and where its answer ends; what
#: axe-core calls serious.
LOOK = """async (page, height) => {
  const document = page.document, end = e => e ? e.getBoundingClientRect().bottom : 0;
  const answer = [...document.querySelectorAll("h1, .why li:first-child")].map(end);
  const figure = end(document.querySelector("table.states, figure"));
  document.querySelectorAll("details").forEach(part => { part.open = true; });
  const wide = document.documentElement.scrollWidth - page.innerWidth;
  const cut = [...document.querySelectorAll("p, li, h1, h2, h3, summary, td.text, figure")]
    .filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline")
    .map(e => e.textContent.slice(0, 80));
  const found = page.axe ? await page.axe.run(document, {exclude: [["svg"]]}) : {violations: []};
  const heads = [...document.querySelectorAll("table:not(.states) thead th")];
  const sorts = heads.length > 0 && heads.every(head => head.hasAttribute("aria-sort"));
  const serious = found.violations.filter(v => ["serious", "critical"].includes(v.impact))
    .map(v => [v.id, v.nodes[0].html.slice(0, 200)]);
  return {answer: Math.max(...answer) / height, figure: figure / height, wide, cut, serious,
    sorts, strange: page.strange};
}"""
#: What the name of a group would do if it were not escaped.
STRANGE = "<script>strange = 1</script><img alt='' src=none onerror='strange = 2'>"

pytestmark = [browser.needs_chromium, pytest.mark.slow]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The page of each command, by the name of it."""
    run, folder = CliRunner(), tmp_path_factory.mktemp("pages")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run.invoke(app, ["example", "."]).exit_code == 0
        _hard("loans.csv")
        texts = {}
        for name, arguments in COMMANDS.items():
            made = run.invoke(app, [*shlex.split(arguments), "--out", name])
            assert made.exit_code == 0, made.output
            (page,) = (folder / name).glob("*.html")
            texts[name] = page.read_text("utf-8")
    return texts


def _hard(file):
    """Give the loans regions and classes of long names; one region is of five people."""
    rng, loans = np.random.default_rng(3), pd.read_csv(file)
    n = len(loans)
    names = np.array([f"{i} {'region of a long name ' * 4}"[:90] for i in range(7)])
    names[1] = "Donaudampfschifffahrtsgesellschaftskapitaenswitwenversicherungsgesellschaft"
    region = rng.integers(0, 6, n)
    region[:5] = 6
    grade, guess = rng.integers(0, 5, (2, n))
    grades = np.array(["first", "second", "third", names[1], names[2]])
    loans = loans.assign(
        region=names[region], grade=grades[grade], noisy=loans["score"] + rng.normal(0, 0.1, n),
        predicted=grades[np.where(rng.random(n) < 0.5, grade, guess)],
    )  # fmt: skip
    other = (rng.random(n) < 0.1).astype(int)
    for name, table in {
        file: loans, "first.csv": loans[: n // 2], "then.csv": loans[n // 2 :],
        "new.csv": loans.assign(approved=loans["approved"] ^ other),
    }.items():  # fmt: skip
        table.to_csv(name, index=False)


@pytest.fixture(scope="module")
def seen(pages, tmp_path_factory):
    """What Chromium shows of each page at each width."""
    folder = tmp_path_factory.mktemp("seen")
    if AXE:
        shutil.copy(AXE, folder / "axe.js")
    strange = {name: text.replace("</h1>", f"{STRANGE}</h1>", 1) for name, text in pages.items()}
    return browser.look(folder, strange, head="axe.js" if AXE else "", end=LOOK, sizes=SIZES)


@pytest.mark.parametrize("width", SIZES)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_is_no_wider_than_its_window_and_begins_with_the_answer(seen, name, width):
    found = seen[f"{name} {width}"]
    assert found["wide"] <= 0
    assert found["cut"] == []
    assert 0 < found["answer"] <= 1
    assert found["figure"] <= (1 if width > 1000 else 4)
    assert found["sorts"]


@pytest.mark.parametrize("name", COMMANDS)
def test_no_script_of_another_one_runs_in_a_page(seen, name):
    assert "strange" not in seen[f"{name} 1400"]


@pytest.mark.skipif(not AXE, reason="AXE does not name axe.min.js of axe-core: nothing to run.")
def test_axe_finds_nothing_serious_on_any_page(seen):
    assert {name: found["serious"] for name, found in seen.items() if found["serious"]} == {}
