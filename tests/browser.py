"""A page in Chromium, at any width."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), "")

needs_chromium = pytest.mark.skipif(
    not CHROMIUM, reason="Chromium is not installed: install chromium."
)
#: The page in a frame: a window of Chromium is never narrower than 500 px.
FRAME = """<!doctype html><body style="margin: 0">
<iframe src="page.html{anchor}" style="width: {width}px; height: 900px; border: 0"></iframe>"""
#: `done(result)` hands a result over.
DONE = """<script>const done = result => {
  const line = parent.document.createElement("pre");
  line.id = "done";
  line.textContent = JSON.stringify(result);
  parent.document.body.append(line);
};</script>"""


def browse(folder, text, *, head="", end="", width=1400, anchor=""):
    """Return what scripts in a page hand to `done`: one that runs first, one that runs last."""
    page = text.replace("<head>", f"<head>{DONE}<script>{head}</script>", 1)
    if end:
        page = page.replace("</body>", f"<script>{end}</script></body>")
    (folder / "page.html").write_text(page, "utf-8")
    frame = folder / "frame.html"
    frame.write_text(FRAME.format(anchor=anchor, width=width), "utf-8")
    command = [
        *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1600,1000"),
        *("--allow-file-access-from-files", f"--user-data-dir={folder / 'chromium'}"),
        *("--virtual-time-budget=20000", "--dump-dom", frame.as_uri()),
    ]
    made = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    (found,) = re.findall(r'<pre id="done">(.*?)</pre>', made.stdout, flags=re.DOTALL)
    return json.loads(html.unescape(found))
