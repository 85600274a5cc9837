"""The interface between a paper (a study) and the workflow.

A study is a folder of `fairpairs.papers.studies`, or of `studies` in a folder of extensions. Its
name is the same in the config, the rules, the targets, `results/` and the report. Its files are:

study.py
    `STUDY`, a `Study`: what it asks for and makes. The workflow reads it to plan a run. Its texts
    and its vocabulary may be in `study.yaml` (`described`), which is enough for a study of
    experiments of the config.
settings.schema.yaml
    The JSON schema of its part of the config; without it the study has no settings.
cells.py
    `CELLS`, a function for each published table; `TEXTS`, one for each with columns of text. A
    table of measures of experiments needs none (`fairpairs.papers.published.measured`).
claims.yaml and claims.py
    The conclusions of the paper (workflow/schemas/claims.schema.yaml), and a check of each on the
    results (results/claims.csv). Without them the study has none.
tables.yaml
    How its own tables are shown in words (`fairpairs.papers.display.layouts`).
section.html.j2 and section.py
    What the report shows besides the published tables: a template, which sees `results`
    (`fairpairs.papers.plan.results.Results`), tables in words by `tables("name", …)`, and what
    `section(results)` returns if there is a section.py; None is for nothing.

The rules of a study of this package are in `workflow/studies/<name>.smk`, those of an extension in
`rules.smk` of its folder.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fairpairs.base.errors import InputError, check_tuples, failures, shown
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.schemas import read_checked_yaml, read_yaml
from fairpairs.base.shipped import shipped
from fairpairs.papers.plan.data import Request
from fairpairs.papers.plan.run import Run
from fairpairs.papers.plan.study_files import load_part, study_folders
from fairpairs.papers.published.source import Result
from fairpairs.papers.published.table import Vocabulary


@dataclass(frozen=True)
class Outputs:
    """The outputs of a study in a run, besides its published tables."""

    #: Names in `results/tables/<study>/` of tables as CSV, Markdown and LaTeX.
    tables: tuple[str, ...] = ()
    #: Names of tables as CSV alone, likewise.
    csv: tuple[str, ...] = ()
    #: Names in `results/figures/<study>/` of figures as SVG and PNG.
    figures: tuple[str, ...] = ()
    #: Files of predictions, which `make verify` compares.
    predictions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_tuples(self, "tables", "csv", "figures", "predictions")


@dataclass(frozen=True)
class Study:
    """A study: its name, its inputs, and its outputs.

    >>> Study("Loans", "A paper on loans").outputs(None)
    Outputs(tables=(), csv=(), figures=(), predictions=())
    """

    #: Its heading in the report.
    title: str
    #: The paper, with its authors; empty if there is none.
    citation: str = ""
    #: Terms of the paper → what they mean, for readers of the report who do not know it.
    words: Mapping[str, str] = field(default_factory=dict)
    #: Its place in the report, the first at 0.
    position: int = 100
    #: Its part of the config → the data sets that it reads.
    requests: Callable[[Content], Iterable[Request]] = lambda settings: ()
    #: A run → its named intermediate results, those without available data too.
    results: Callable[[Run], Mapping[str, Result]] = lambda run: {}
    #: A run → its tables and figures.
    outputs: Callable[[Run], Outputs] = lambda run: Outputs()
    #: Raises `InputError` for settings that no schema can refuse.
    check: Callable[[Run], None] = lambda run: None
    #: Name in the keys of published cells → its values, except data sets, attributes, treatments,
    #: tests and experiments (see `fairpairs.papers.published.table`).
    vocabulary: Vocabulary = field(default_factory=dict)


def described(file: str | Path, **functions: Any) -> Study:
    """Return a study whose texts and vocabulary are in the `study.yaml` beside its `study.py`.

    The keys are those of `Study`; in the vocabulary, `str`, `int` and `float` are types.
    """
    parts = read_yaml(Path(file).with_name("study.yaml"))
    types = {kind.__name__: kind for kind in (str, int, float)}
    vocabulary = {
        name: types[values] if isinstance(values, str) else values
        for name, values in parts.get("vocabulary", {}).items()
    }
    return Study(**{**parts, "vocabulary": vocabulary}, **functions)


#: Function of a study → what it returns, in words and as a check of it.
RETURNED: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "requests": ("a list of `Request`", lambda x: all(isinstance(v, Request) for v in x)),
    "results": (
        "a dict of `Result`",
        lambda x: isinstance(x, Mapping) and all(isinstance(v, Result) for v in x.values()),
    ),
    "outputs": ("`Outputs`", lambda x: isinstance(x, Outputs)),
    "check": ("nothing, but raise InputError", lambda x: x is None),
}


def find_studies(extensions: Iterable[str | Path] = ()) -> dict[str, Study]:
    """Import all studies, in the order of the report; InputError for one that cannot be used."""
    studies = {}
    for name, folder in study_folders(extensions).items():
        if (texts := folder / "study.yaml").exists():  # here, since jobs need not wait for it
            read_checked_yaml(texts, shipped("workflow/schemas/study.schema.yaml"))
        if (folder / "study.py").exists():
            study = getattr(load_part(name, "study", folder), "STUDY", None)
        else:
            study = described(folder / "study.py")
        if not isinstance(study, Study):
            raise InputError(
                f"{folder / 'study.py'}: has no `STUDY`: write `STUDY = Study(…)`, with the Study "
                "of fairpairs.papers.plan.study."
            )
        functions: Record = {
            part: _explained(getattr(study, part), part, folder) for part in RETURNED
        }
        studies[name] = replace(study, **functions)
    return dict(sorted(studies.items(), key=lambda item: (item[1].position, item[0])))


def _explained(function: Callable[[Any], Any], part: str, folder: Path) -> Callable[[Any], Any]:
    """Return a function of a study with errors that name its file."""
    where = f"{folder / 'study.py'}: {part}"
    words, is_right = RETURNED[part]

    def call(argument: Any) -> Any:
        with failures(f"{where} fails", "correct it"):
            value = function(argument)
            value = tuple(value) if part == "requests" and value is not None else value
        if (value is None and part != "check") or not is_right(value):
            raise InputError(f"{where} returns {shown(value)}: return {words}.")
        return value

    return call
