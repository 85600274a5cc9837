"""The available studies: the folders of `fairpairs.studies`, and those of extensions."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fairpairs.errors import InputError
from fairpairs.plan.study import Study
from fairpairs.plan.study_files import load_part, study_folders


def find_studies(extensions: Iterable[str | Path] = ()) -> dict[str, Study]:
    """Import all studies, in the order of the report.

    Raises
    ------
    InputError
        When a study of `extensions` cannot be imported, or has no `STUDY`.
    """
    studies = {}
    for name, folder in study_folders(extensions).items():
        study = getattr(load_part(name, "study", folder), "STUDY", None)
        if not isinstance(study, Study):
            raise InputError(
                f"{folder / 'study.py'}: has no `STUDY`: write `STUDY = Study(…)`, with the Study "
                "of fairpairs.plan.study."
            )
        studies[name] = study
    return dict(sorted(studies.items(), key=lambda item: (item[1].position, item[0])))
