"""Put into the documentation what lies beside it, the commands, and the parts of experiments."""

import re
from pathlib import Path
from typing import Any

import typer
from mkdocs.structure.files import File, Files
from typer.cli import get_docs_for_click

import fairpairs
from fairpairs.base.files import json_text
from fairpairs.cli import app
from fairpairs.papers.inventory import TITLES, inventory

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
#: File of an audit → the result in Python whose schema it follows.
SCHEMAS = {
    "audit.json": "AuditResult",
    "compare.json": "ComparisonResult",
    "groups.json": "GroupAuditResult",
    "judgments.json": "JudgmentsResult",
    "monitor.json": "MonitorResult",
}
#: How the documentation links to what lies outside of it → where that stands in the site.
LINKS = {
    "](../../templates)": "](../templates/README.md)",
    "](../../templates/": "](../templates/",
    "](../../config/README.md)": "](../config/README.md)",
    "](../docs/": "](../",
}


def on_files(files: Files, config: Any) -> Files:
    """Add the templates, the guide of the config, the commands and the list to the site."""
    beside = [ROOT / "config/README.md", *(ROOT / "templates").rglob("*")]
    for path in sorted(path for path in beside if path.is_file()):
        name = path.relative_to(ROOT).as_posix()
        files.append(File.generated(config, name, abs_src_path=str(path)))
    files.append(File.generated(config, "list.md", content=_list()))
    files.append(File.generated(config, "commands.md", content=_commands()))
    files.append(File.generated(config, "llms.txt", content=llms(config["nav"])))
    for name, schema in schemas().items():
        files.append(File.generated(config, f"schemas/{name}", content=json_text(schema)))
    return files


def schemas() -> dict[str, Any]:
    """Return the JSON schema of each file that an audit writes, by its name."""
    return {name: getattr(fairpairs, result).SCHEMA for name, result in SCHEMAS.items()}


def llms(nav: list[Any]) -> str:
    """Return llms.txt (https://llmstxt.org): each page, with its first sentence."""
    lines = ["# FairPairs", "", f"> {_first_sentence('index.md')}"]
    for title, pages in _sections(nav):
        lines += ["", f"## {title}", ""]
        lines += [
            f"- [{name}]({page}): {_first_sentence(page)}".removesuffix(": ")
            for name, page in pages
        ]
    lines += ["", "## JSON schemas", ""]
    lines += [f"- [{name}](schemas/{name}): of `{result}`" for name, result in SCHEMAS.items()]
    return "\n".join(lines) + "\n"


def _sections(nav: list[Any]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the pages that lie in the folder of the documentation, by the part they are of."""
    sections = []
    for part in nav:
        for title, pages in part.items():
            if isinstance(pages, list):
                flat = [one for _, ones in _sections(pages) for one in ones]
                named = [
                    page for each in pages for page in each.items() if isinstance(page[1], str)
                ]
                known = [page for page in named if (DOCS / page[1]).exists()]
                sections.append((title, flat + known))
    return sections


def _first_sentence(page: str) -> str:
    """Return the first sentence of the first paragraph of a page, without links."""
    text = (DOCS / page).read_text("utf-8")
    for paragraph in text.split("\n\n")[1:]:
        if paragraph[:1].isalpha() or paragraph[:1] in "*`[":
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(paragraph.split()))
            return re.split(r"(?<=[.:?]) (?=[A-Z`])", words)[0].rstrip(":")
    return ""


def _commands() -> str:
    """Return the page of what `fairpairs --help` and that of each command prints."""
    command = typer.main.get_command(app)
    context = typer.Context(command, info_name="fairpairs")
    text = get_docs_for_click(obj=command, ctx=context, name="fairpairs", title="Commands")
    # examples are indented by two spaces, which Markdown would run together
    return re.sub(r"(?m)^  (?=\S|    )", "    ", text.replace("Examples:\n", "Examples:\n\n"))


def _list() -> str:
    """Return the page of what `fairpairs list` prints."""
    cards = {path.stem: path for path in (ROOT / "config/datasets").glob("*.yaml")}
    lines = ["# Names that a config can use", "", "`fairpairs list` prints these.", ""]
    for kind, lines_of_kind in inventory(cards=cards).items():
        lines += [f"## {TITLES[kind]}", "", "| name | what it is |", "| --- | --- |"]
        lines += [f"| `{name}` | {line} |" for name, line in lines_of_kind.items()]
        lines.append("")
    return "\n".join(lines)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Turn links out of the folder into links to these files."""
    for outside, inside in LINKS.items():
        markdown = markdown.replace(outside, inside)
    return markdown
