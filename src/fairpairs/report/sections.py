"""What the studies of a run show: each by a section and a template in its folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import jinja2

from fairpairs.errors import InputError
from fairpairs.plan.results import Results
from fairpairs.plan.study_files import load_part

TEMPLATE = "section.html.j2"


def page_environment(folders: Mapping[str, str | Path]) -> jinja2.Environment:
    """Return the environment of the page, with the templates of the studies.

    Parameters
    ----------
    folders
        Study → its folder; its templates are found as `<study>/<file>`.
    """
    studies = {name: jinja2.FileSystemLoader(folder) for name, folder in folders.items()}
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [jinja2.PackageLoader("fairpairs.report"), jinja2.PrefixLoader(studies)]
        ),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def section_html(results: Results, folder: str | Path, environment: jinja2.Environment) -> str:
    """Return what a study shows of its results; empty where it shows nothing.

    Parameters
    ----------
    results
        The results of the study.
    folder
        Its folder.
    environment
        What `page_environment` returned.

    Raises
    ------
    InputError
        When the study has a section and no template for it, or the section is no function.
    """
    folder = Path(folder)
    if not (folder / "section.py").exists():
        return ""
    section = getattr(load_part(results.study, "section", folder), "section", None)
    if not callable(section):
        raise InputError(
            f"{folder / 'section.py'}: has no function `section`: write "
            "`def section(results): return {…}`, or None where there is nothing to show."
        )
    content = section(results)
    if content is None:
        return ""
    if not (folder / TEMPLATE).exists():
        raise InputError(
            f"{folder / TEMPLATE}: there is no such file: write the template of what "
            f"`section` of section.py returns."
        )
    return environment.get_template(f"{results.study}/{TEMPLATE}").render(content)
