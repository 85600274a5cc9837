"""The available data sets, treatments, models, tests and measures, and the studies of a project."""

import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path

from fairpairs.base.document import Document, Grid, Heading
from fairpairs.base.schemas import read_yaml
from fairpairs.papers.experiments.measures import MEASURES, PERFORMANCE, measure_of
from fairpairs.papers.experiments.steps import Step
from fairpairs.papers.registry import (
    KINDS,
    STUDIES,
    constant_of,
    known,
    load,
    summary,
)
from fairpairs.papers.treatments.contract import GIVEN

#: Heading of each kind.
TITLES = {
    "treatments": "Treatments",
    "models": "Models",
    "tests": "Tests",
    "measures": "Measures",
    "datasets": "Data sets",
    "studies": "Studies",
}
#: The labels that a model or a measure is for.
YES_NO, NUMBER = "yes/no", "a number"
#: The column with the description of a part.
SUMMARY = "what it is"
#: The description of a part without a docstring.
UNKNOWN = "–"
#: The last word of a measure of groups → what it is.
FORMS = {
    "gap": "Group 1 minus group 0; of more groups the largest minus the smallest.",
    "ratio": "The smallest over the largest of the groups.",
}


def inventory(
    extensions: Iterable[str | Path] = (), cards: Mapping[str, Path] | None = None
) -> dict[str, dict[str, dict[str, str]]]:
    """Return the available parts, with what is known of each: kind → name → column → text.

    The description of a treatment, a model, a test or a study of the user is the first line of its
    file's docstring; that of a data set is the title of its card. Of files, treatments alone are
    imported.

    >>> inventory()["treatments"]["none"]
    {'kind': 'weights', 'what it is': 'No treatment: every item weighs the same.', 'parameters': ''}
    """
    folders = list(extensions)
    listed = {
        kind: {name: _part(kind, file) for name, file in sorted(known(kind, folders).items())}
        for kind in KINDS
    }
    listed["measures"] = {name: _measure(name) for name in MEASURES}
    titles = {name: {SUMMARY: str(read_yaml(path)["title"])}
              for name, path in sorted((cards or {}).items())}  # fmt: skip
    files = sorted(file for folder in folders for file in Path(folder, STUDIES).glob("*/study.py"))
    studies = {file.parent.name: _summary(file) for file in files}
    others = {"datasets": titles, "studies": studies}
    return listed | {kind: parts for kind, parts in others.items() if parts}


def document(listed: Mapping[str, Mapping[str, Mapping[str, str]]]) -> Document:
    """Return the list of all names."""
    blocks: list[Heading | Grid] = []
    for kind, parts in listed.items():
        header = ["name", *next(iter(parts.values()))]
        rows = [[name, *columns.values()] for name, columns in parts.items()]
        blocks += [Heading(f"{TITLES[kind]} ({len(parts)})"), Grid(header, rows, left=header)]
    return Document("What a config can name", blocks)


def _part(kind: str, file: Path) -> dict[str, str]:
    """Return what is known of a file of the registry."""
    if kind == "treatments":
        return _treatment(file)
    if kind == "models":
        needed = {YES_NO: "NUMBER_LABEL", NUMBER: "BINARY_LABEL"}
        labels = {label: constant_of(file, other) != "True" for label, other in needed.items()}
        return {"label": _either(labels)} | _summary(file)
    return _summary(file)


def _either(labels: Mapping[str, bool]) -> str:
    return " or ".join(label for label, takes in labels.items() if takes)


def _summary(file: Path) -> dict[str, str]:
    return {SUMMARY: summary(file) or UNKNOWN}


def _treatment(file: Path) -> dict[str, str]:
    step = Step(file.stem, load("treatments", file.stem, [file]), {"as": constant_of(file, "KIND")})
    parameters = [
        name if of.default is of.empty else f"{name}={of.default!r}"
        for name, of in inspect.signature(step.target).parameters.items()
        if name not in GIVEN
    ]
    return {"kind": str(step.kind)} | _summary(file) | {"parameters": ", ".join(parameters)}


def _measure(name: str) -> dict[str, str]:
    measure = measure_of(name)
    labels = {YES_NO: measure.classes, NUMBER: measure.numbers}
    return {
        "label": _either(labels),
        SUMMARY: PERFORMANCE[name].path if name in PERFORMANCE else FORMS[name.rpartition("_")[2]],
    }
