"""The available data sets, treatments, models and tests, and the studies of a project."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from fairpairs.base.document import Document, Grid, Heading
from fairpairs.base.schemas import read_yaml
from fairpairs.papers.registry import KINDS, STUDIES, known, summary

#: Heading of each kind.
TITLES = {
    "treatments": "Treatments",
    "models": "Models",
    "tests": "Tests",
    "datasets": "Data sets",
    "studies": "Studies",
}
#: Description of a part without a docstring.
WITHOUT_SUMMARY = "–"


def inventory(
    extensions: Iterable[str | Path] = (), cards: Mapping[str, Path] | None = None
) -> dict[str, dict[str, str]]:
    """Return the available parts, with a description of each: kind → name → line.

    The line of a treatment, a model, a test or a study of the user is the first of its file's
    docstring; that of a data set is the title of its card.

    >>> inventory()["treatments"]["none"]
    'No treatment: every item weighs the same.'
    """
    folders = list(extensions)
    listed = {
        kind: {
            name: summary(file) or WITHOUT_SUMMARY
            for name, file in sorted(known(kind, folders).items())
        }
        for kind in KINDS
    }
    titles = {name: str(read_yaml(path)["title"]) for name, path in sorted((cards or {}).items())}
    files = sorted(file for folder in folders for file in Path(folder, STUDIES).glob("*/study.py"))
    studies = {file.parent.name: summary(file) or WITHOUT_SUMMARY for file in files}
    others = {"datasets": titles, "studies": studies}
    return listed | {kind: lines for kind, lines in others.items() if lines}


def document(listed: Mapping[str, Mapping[str, str]]) -> Document:
    """Return the list of all names."""
    blocks: list[Heading | Grid] = []
    for kind, lines in listed.items():
        blocks += [
            Heading(f"{TITLES[kind]} ({len(lines)})"),
            Grid(["name", "what it is"], [*lines.items()], left=("name", "what it is")),
        ]
    return Document("What a config can name", blocks)
