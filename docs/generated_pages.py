"""Put into the documentation what lies beside it, the commands, and the parts of experiments."""

import re
from pathlib import Path
from typing import Any

import typer
from mkdocs.structure.files import File, Files
from typer.cli import get_docs_for_click

from fairpairs.cli import app
from fairpairs.papers.inventory import TITLES, inventory

ROOT = Path(__file__).parents[1]
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
    return files


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
