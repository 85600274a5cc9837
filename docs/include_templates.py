"""Put the templates and the guide of the config, which lie beside the documentation, into it."""

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
#: How the documentation links to what lies outside of it → where that stands in the site.
LINKS = {
    "](../templates)": "](templates/README.md)",
    "](../templates/": "](templates/",
    "](../config/README.md)": "](config/README.md)",
    "](../docs/": "](../",
}


def on_files(files: Files, config: Any) -> Files:
    """Add every template, and the guide of the config, as files of the site."""
    beside = [ROOT / "config/README.md", *(ROOT / "templates").rglob("*")]
    for path in sorted(path for path in beside if path.is_file()):
        name = path.relative_to(ROOT).as_posix()
        files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Turn links out of the folder into links to these files."""
    for outside, inside in LINKS.items():
        markdown = markdown.replace(outside, inside)
    return markdown
