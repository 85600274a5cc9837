"""The report in a real browser: no error, every link leads somewhere, every table sorts."""

import html
import json
import re
import shutil
import subprocess

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), "")
#: Collects errors, looks at links and pictures, and sorts the table of counts down and up.
SCRIPT = """<script>
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
  document.title = JSON.stringify({
    wrong: window.wrong, missing, empty, up, down: column(), sort: head.getAttribute("aria-sort"),
    too_wide: document.documentElement.scrollWidth - window.innerWidth,
  });
});
</script>"""


@pytest.mark.skipif(not BROWSER, reason="no Chromium or Chrome is installed")
@pytest.mark.parametrize("width", [1200, 400])
def test_the_report_works_in_a_browser(done, tmp_path, width):
    page = done.text("results/report.html")
    file = tmp_path / "report.html"
    file.write_text(page.replace("<head>", f"<head>{SCRIPT}", 1), "utf-8")
    shown = subprocess.run(
        [
            BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--window-size={width},900",
            f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=5000", "--dump-dom",
            file.as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=True,
    ).stdout  # fmt: skip
    title = re.search(r"<title>(\{.*?\})</title>", shown, re.S)
    assert title, shown[:500]
    found = json.loads(html.unescape(title[1]))
    assert found["wrong"] == []
    assert found["missing"] == []
    assert found["empty"] == 0
    assert found["up"] == sorted(found["up"])
    assert found["down"] == sorted(found["up"], reverse=True)
    assert len(found["up"]) > 3
    assert found["sort"] == "descending"
    assert found["too_wide"] <= 0
