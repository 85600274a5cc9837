"""`fairpairs new`: a folder for a study of one's own, in which the workflow runs at once."""

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from fairpairs.base.errors import InputError
from fairpairs.base.files import write_together
from fairpairs.base.shipped import shipped
from fairpairs.base.terminal import bad_input_in_one_sentence, show
from fairpairs.base.texts import UNPRINTABLE

EXAMPLES = """\b
Examples:
  fairpairs new my_study
  fairpairs new .
"""
#: What a folder may have before: a repository that was begun.
BEGUN = {".git"}


def new(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A new folder, or an empty one.")
    ],
) -> None:
    """Write a config, a data set, extensions and a Snakefile, which run as they are.

    `fairpairs run` in the folder makes results/report.html, offline. README.md there says what to
    change for data of your own.
    """
    with bad_input_in_one_sentence():
        _check(folder)
        templates = shipped("templates")
        files = [path for path in sorted(templates.rglob("*")) if path.is_file()]
        contents = {
            folder / path.relative_to(templates): path.read_bytes()
            for path in files
            if path.suffix != ".pyc"
        }
        write_together(contents)
    enter = "" if folder == Path() else f"\n  cd {shlex.quote(str(folder))}"
    show(
        f"Written: {folder} (README.md says what is where). Run the study, which makes "
        f"results/report.html:\n{enter}\n  fairpairs run"
    )


def _check(folder: Path) -> None:
    """Raise InputError unless a study can be written to a folder."""
    if UNPRINTABLE.search(str(folder)):
        raise InputError(
            f"{str(folder)!r}: has line breaks, control or invisible characters: name another."
        )
    whole = folder.absolute()
    there = next(path for path in (whole, *whole.parents) if path.exists())
    if not there.is_dir():
        raise InputError(f"{there}: there is a file of this name: name another folder.")
    if there == whole and {path.name for path in whole.iterdir()} - BEGUN:
        raise InputError(f"{folder}: this folder is not empty: name a new one.")
    if not os.access(there, os.W_OK):
        raise InputError(f"{there}: you may not write to this folder: choose another.")
