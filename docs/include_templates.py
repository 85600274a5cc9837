"""Put into the documentation what lies beside it, and the list of the parts of experiments."""

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from fairpairs.inventory import TITLES, inventory

ROOT = Path(__file__).parents[1]
#: How the documentation links to what lies outside of it → where that stands in the site.
LINKS = {
    "](../../templates)": "](../templates/README.md)",
    "](../../templates/": "](../templates/",
    "](../../config/README.md)": "](../config/README.md)",
    "](../docs/": "](../",
}


def on_files(files: Files, config: Any) -> Files:
    """Add every template, the guide of the config and the list as files of the site."""
    beside = [ROOT / "config/README.md", *(ROOT / "templates").rglob("*")]
    for path in sorted(path for path in beside if path.is_file()):
        name = path.relative_to(ROOT).as_posix()
        files.append(File.generated(config, name, abs_src_path=str(path)))
    files.append(File.generated(config, "list.md", content=_list()))
    return files


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
