"""Put the templates, which lie beside the documentation, into its pages."""

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

FOLDER = Path(__file__).parents[1] / "templates"


def on_files(files: Files, config: Any) -> Files:
    """Add every template as a file of the site."""
    for path in sorted(FOLDER.rglob("*.*")):
        name = Path("templates", path.relative_to(FOLDER)).as_posix()
        files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Turn links out of the folder into links to these files."""
    return markdown.replace("](../templates/", "](templates/")
