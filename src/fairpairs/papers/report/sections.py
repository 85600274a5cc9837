"""The sections of studies in the report, each by a function and a template in its folder."""

import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jinja2

from fairpairs.base import document
from fairpairs.base.errors import InputError, failures, shown
from fairpairs.papers.display.layouts import display
from fairpairs.papers.display.tables import Display
from fairpairs.papers.plan.results import Results
from fairpairs.papers.plan.study_files import load_part

TEMPLATE = "section.html.j2"
#: The template of the figure that shows a study's main result, above its published tables.
MAIN = "main.html.j2"


def page_environment(folders: Mapping[str, str | Path]) -> jinja2.Environment:
    """Return the environment of the page; templates of studies are found as `<study>/<file>`."""
    shared = document.page_environment("fairpairs.papers.report")  # with the sorting of tables
    studies = {name: jinja2.FileSystemLoader(folder) for name, folder in folders.items()}
    assert shared.loader is not None
    return shared.overlay(loader=jinja2.ChoiceLoader([shared.loader, jinja2.PrefixLoader(studies)]))


def section_html(
    results: Results, folder: str | Path, environment: jinja2.Environment
) -> tuple[str, str]:
    """Return the main figure and the section of a study as HTML.

    The main figure is of the template `main.html.j2`, which a study may leave out. Both are empty
    if it shows nothing. Templates see what `section` of section.py returns, the `results`, and
    `tables("a", …)`, those of some tables of the study that the run made, in words by the layouts
    of tables.yaml that are named as these, as their folders, or by `layout`, with other values.
    InputError if the section or its template fails.
    """
    folder = Path(folder)
    content: Any = {}
    if (folder / "section.py").exists():
        content = _content(results, folder)
    elif not (folder / TEMPLATE).exists():
        return "", ""
    if content is None:
        return "", ""
    if not (folder / TEMPLATE).exists():
        raise InputError(
            f"{folder / TEMPLATE}: there is no such file: write the template of what "
            f"`section` of section.py returns."
        )

    def tables(*names: str, layout: str = "", **values: Any) -> list[Display]:
        made = {name: rows for name in names if (rows := results.csv(name)) is not None}
        words = {"alpha": results.config["alpha"], **values}
        return [
            display(folder / TEMPLATE, layout or name.partition("/")[0], rows, **words)
            for name, rows in made.items()
        ]

    seen = {"results": results, "tables": tables, **content}
    parts = []
    for file in (MAIN, TEMPLATE):
        template = f"{results.study}/{file}"
        with _failures(results.study, folder / file):
            shows = file == TEMPLATE or (folder / file).exists()
            parts.append(environment.get_template(template).render(seen) if shows else "")
    return parts[0].strip(), parts[1].strip()


def _content(results: Results, folder: Path) -> Mapping[str, Any] | None:
    """Return what `section` of section.py returns, a dictionary or None."""
    section = getattr(load_part(results.study, "section", folder), "section", None)
    if not callable(section):
        raise InputError(
            f"{folder / 'section.py'}: has no function `section`: write "
            "`def section(results): return {…}`, or None where there is nothing to show."
        )
    with _failures(results.study, folder / "section.py"):
        content = section(results)
    if content is not None and not isinstance(content, Mapping):
        raise InputError(
            f"{folder / 'section.py'}: `section` returns {shown(content)}: return a dictionary of "
            "what the template shows, or None where there is nothing to show."
        )
    return content


@contextmanager
def _failures(study: str, file: Path) -> Iterator[None]:
    """Turn what a user's file raises into one sentence with its line."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        frames, path = traceback.extract_tb(error.__traceback__), file.resolve()
        lines = [frame.lineno for frame in frames if Path(frame.filename).resolve() == path]
        where, remedy = f"{file}, line {lines[-1]}" if lines else str(file), "correct it"
        if "NoneType" in str(error):
            remedy += (
                "; `results.csv` and `results.words` return None for a table that is not there"
            )
        with failures(f"{where}: the study {study} cannot be shown in the report", remedy):
            raise
