"""The report in a real browser: no error, every link leads somewhere, every table sorts."""

import pytest

from tests import browser

#: Collects errors, looks at links and pictures, and sorts the table of counts down and up.
SCRIPT = """
window.wrong = [];
window.addEventListener("error", event => window.wrong.push(String(event.message)), true);
window.addEventListener("load", () => {
  document.querySelectorAll("details").forEach(part => { part.open = true; });
  const missing = [...document.querySelectorAll("a[href^='#']")]
    .filter(link => !document.getElementById(link.getAttribute("href").slice(1)))
    .map(link => link.getAttribute("href"));
  const empty = [...document.querySelectorAll("figure")]
    .filter(figure => figure.getBoundingClientRect().height < 40).length;
  const numbers = table =>
    [...table.tBodies[0].rows].map(row => parseFloat(row.cells[1].textContent));
  const table = [...document.querySelectorAll("table")]
    .find(own => new Set(numbers(own)).size > 3 && !numbers(own).some(isNaN));
  const column = () => numbers(table);
  const head = table.querySelectorAll("th")[1];
  head.click();
  const up = column();
  head.click();
  done({
    wrong: window.wrong, missing, empty, up, down: column(), sort: head.getAttribute("aria-sort"),
    too_wide: document.documentElement.scrollWidth - window.innerWidth,
  });
});
"""


@browser.needs_chromium
@pytest.mark.parametrize("width", [1200, 400])
def test_the_report_works_in_a_browser(done, tmp_path, width):
    found = browser.browse(tmp_path, done.text("results/report.html"), head=SCRIPT, width=width)
    assert found["wrong"] == []
    assert found["missing"] == []
    assert found["empty"] == 0
    assert found["up"] == sorted(found["up"])
    assert found["down"] == sorted(found["up"], reverse=True)
    assert len(found["up"]) > 3
    assert found["sort"] == "descending"
    assert found["too_wide"] <= 0
