"""The documentation as pages: every link leads somewhere, every public name stands in it."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import fairpairs
from docs.generated_pages import NAMES, SCHEMAS
from fairpairs.audits.criteria import ALL_CRITERIA

ROOT = Path(__file__).parents[1]
#: Public names that stand in the reference as whole modules.
WHOLE = {"power"}
#: Folders with texts that a user reads, besides the files of the root.
PROSE = (".github", "config", "docs", "src", "templates", "workflow")


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
        "llms.txt",
        *(f"schemas/{name}" for name in SCHEMAS),
    ):
        assert (tmp_path / page).exists()
    python = (tmp_path / "reference/python/index.html").read_text("utf-8")
    named = set(fairpairs.__all__) - WHOLE
    assert [name for name in named if f'id="fairpairs.{name}"' not in python] == []
    monitor = (tmp_path / "reference/monitor/index.html").read_text("utf-8")
    assert "<td><code>--run-length</code></td>" in monitor
    audit = (tmp_path / "reference/audit/index.html").read_text("utf-8")
    assert [name for name in ALL_CRITERIA if f"<td><code>{name}</code>: " not in audit] == []
    columns = (tmp_path / "reference/schemas/index.html").read_text("utf-8")
    assert columns.count("<td><code>pvalue_adjusted</code></td>") == 5
    assert "<!-- " not in monitor + columns + audit
    llms = (tmp_path / "llms.txt").read_text("utf-8")
    assert llms.startswith("# FairPairs\n\n> Does a model treat groups")
    pages = re.findall(r"^- \[.+?\]\((.+?\.md)\)", llms, re.M)
    assert {"tutorials/audit.md", "how-to/model-card.md", "reference/schemas.md"} <= set(pages)
    assert [page for page in pages if not (ROOT / "docs" / page).exists()] == []
    loaded = re.compile(r'<(?:script|img)[^>]+src="https?:|<link[^>]+rel="stylesheet"[^>]+https?:')
    for page in tmp_path.rglob("*.html"):
        assert not loaded.search(page.read_text("utf-8")), page


def test_the_reference_lists_the_schemas_of_all_results():
    named = {name for name in fairpairs.__all__ if hasattr(getattr(fairpairs, name), "SCHEMA")}
    assert named == set(SCHEMAS.values())
    page = (ROOT / "docs/reference/schemas.md").read_text("utf-8")
    for file, result in SCHEMAS.items():
        assert getattr(fairpairs, result).SCHEMA["title"].startswith(f"{file} ")
        assert f"`{file}` | `fairpairs.{result}.SCHEMA`" in page


def test_every_public_name_stands_in_the_reference():
    reference = (ROOT / "docs/reference/python.md").read_text("utf-8")
    named = re.findall(r"\w+", " ".join(NAMES.findall(reference)))
    assert sorted([*named, *WHOLE]) == sorted(fairpairs.__all__)


@pytest.mark.parametrize(
    ("name", "at_least"),
    [("README.md", 10), ("CHANGELOG.md", 10), ("CONTRIBUTING.md", 3), ("config/README.md", 1)],
)
def test_every_link_of_a_page_outside_of_docs_leads_somewhere(name, at_least):
    text = (ROOT / name).read_text("utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    assert len(links) >= at_least
    assert [link for link in links if not (ROOT / name).parent.joinpath(link).exists()] == []


def test_the_readme_of_the_config_names_every_key():
    schema = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text("utf-8"))
    studies = (ROOT / "src/fairpairs/papers/studies").glob("*/settings.schema.yaml")
    keys = {*schema["properties"], *(file.parent.name for file in studies)}
    text = (ROOT / "config/README.md").read_text("utf-8")
    table = re.findall(r"^\| (`.*?) \|", text, re.M)
    assert {key for row in table for key in re.findall(r"`(\w+)[.\w]*`", row)} == keys


@pytest.mark.slow
def test_no_address_or_tag_of_the_project_is_made_up():
    """What names a public address of FairPairs names one of `[project.urls]`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    known = tuple(project.get("urls", {}).values())
    files = [
        *(path for path in ROOT.glob("*") if path.is_file() and path.suffix != ".lock"),
        *(path for name in PROSE for path in (ROOT / name).rglob("*") if path.is_file()),
    ]
    for file in files:
        try:
            text = file.read_text("utf-8")
        except UnicodeDecodeError:
            continue  # a picture
        addresses = re.findall(r"https?://[^\s)>\]}\"'`]+", text)
        ours = [address for address in addresses if "fairpairs" in address.lower()]
        assert [address for address in ours if not address.startswith(known)] == [], file
        placeholders = r"\bOWNER\b|\bREPOSITORY\b|github\.com/(owner|user|your)|tag=\"v?\d"
        assert not re.search(placeholders, text), file
