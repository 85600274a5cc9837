"""A page in Chromium, at any width."""

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
#: Frames of several pages, and what runs in each of them, one after the other.
FRAME_OF = """<iframe id="{name} {width}" src="{name}.html"
style="width: {width}px; height: {height}px; border: 0"></iframe>"""
LOOK = """<!doctype html><body>{frames}<script>
window.addEventListener("load", async () => {{
  const found = {{}}, look = {end};
  for (const frame of document.querySelectorAll("iframe"))
    found[frame.id] = await look(frame.contentWindow, frame.clientHeight);
  const line = document.createElement("pre");
  line.id = "done";
  line.textContent = JSON.stringify(found);
  document.body.append(line);
}});</script>"""
#: `done(result)` hands a result over.
DONE = """<script>const done = result => {
  const line = parent.document.createElement("pre");
  line.id = "done";
  line.textContent = JSON.stringify(result);
  parent.document.body.append(line);
};</script>"""
#: What scripts of a test carry, so that they run beside those that a page allows.
NONCE = "test"


def allowing(text):
    """Return a page that also lets scripts of a test run."""
    assert text.count("script-src ") == 1
    return text.replace("script-src ", f"script-src 'nonce-{NONCE}' ")


def browse(folder, text, *, head="", end="", width=1400, anchor=""):
    """Return what scripts in a page hand to `done`: one that runs first, one that runs last."""
    page = allowing(text).replace("<head>", f"<head>{DONE}<script>{head}</script>", 1)
    if end:
        page = page.replace("</body>", f'<script nonce="{NONCE}">{end}</script></body>')
    (folder / "page.html").write_text(page, "utf-8")
    return _done(folder, FRAME.format(anchor=anchor, width=width))


def look(folder, pages, *, head="", end, sizes):
    """Return what a function of JavaScript says of each page at each width: by both.

    `end` is an async function of the window, `head` the address of a script that pages have.
    """
    frames = []
    for name, text in pages.items():
        script = f'<script nonce="{NONCE}" src="{head}"></script></head>' if head else "</head>"
        page = allowing(text).replace("</head>", script, 1)
        (folder / f"{name}.html").write_text(page, "utf-8")
        for width, height in sizes.items():
            frames.append(FRAME_OF.format(name=name, width=width, height=height))
    return _done(folder, LOOK.format(frames="".join(frames), end=end))


def _done(folder, text):
    """Open a page with frames in Chromium, and return what one of these hands to `done`."""
    frame = folder / "frame.html"
    frame.write_text(text, "utf-8")
    command = [
        *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1600,1000"),
        *("--allow-file-access-from-files", f"--user-data-dir={folder / 'chromium'}"),
        *("--virtual-time-budget=20000", "--dump-dom", frame.as_uri()),
    ]
    made = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    (found,) = re.findall(r'<pre id="done">(.*?)</pre>', made.stdout, flags=re.DOTALL)
    return json.loads(html.unescape(found))
