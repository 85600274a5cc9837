"""The available studies: the folders of `fairpairs.papers.studies`, and those of extensions."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairpairs.base.errors import InputError, failures, shown
from fairpairs.base.plain_values import Record
from fairpairs.base.schemas import read_checked_yaml
from fairpairs.base.shipped import shipped
from fairpairs.papers.plan.data import Request
from fairpairs.papers.plan.study import Outputs, Study, described
from fairpairs.papers.plan.study_files import load_part, study_folders
from fairpairs.papers.published.source import Result

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
