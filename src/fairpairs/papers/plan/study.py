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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairpairs.base.errors import check_tuples
from fairpairs.base.plain_values import Content
from fairpairs.base.schemas import read_yaml
from fairpairs.papers.plan.data import Request
from fairpairs.papers.plan.run import Run
from fairpairs.papers.published.keys import Vocabulary
from fairpairs.papers.published.source import Result


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
    #: tests and experiments (see `fairpairs.papers.published.keys`).
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
