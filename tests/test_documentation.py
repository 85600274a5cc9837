"""The documentation as pages: every link leads somewhere, every public name stands in it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import fairpairs

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_pages_are_built_without_a_warning(tmp_path):
    build = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", tmp_path],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert build.returncode == 0, build.stderr
    for page in (
        "index.html",
        "tutorials/audit/index.html",
        "reference/python/index.html",
        "list/index.html",
    ):
        assert (tmp_path / page).exists()
    loaded = re.compile(r'<(?:script|img)[^>]+src="https?:|<link[^>]+rel="stylesheet"[^>]+https?:')
    for page in tmp_path.rglob("*.html"):
        assert not loaded.search(page.read_text("utf-8")), page


def test_every_public_name_stands_in_the_reference():
    reference = (ROOT / "docs/reference/python.md").read_text("utf-8")
    named = set(re.findall(r"^::: fairpairs\.(\w+)$", reference, re.M))
    whole = {"power"}  # of modules that stand there whole
    assert named | whole == set(fairpairs.__all__)


def test_every_link_of_the_readme_leads_somewhere():
    text = (ROOT / "README.md").read_text("utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    assert len(links) > 10
    assert [link for link in links if not (ROOT / link).exists()] == []
