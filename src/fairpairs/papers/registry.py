"""Treatments, models and tests by name, one file each.

The treatment NAME of the config is the constant TREATMENT of the file NAME.py in the folder
`treatments` of this package or of the user's project; models and tests likewise. Files are listed
without importing them: only what is used is imported, and a rule of the workflow depends only on
the files that it uses.
"""

import ast
import importlib
import importlib.util
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from fairpairs.base.errors import InputError, failures
from fairpairs.base.texts import meant

#: Further folders that a folder of extensions may have, besides those of `KINDS`.
DATASETS, STUDIES = "datasets", "studies"


@dataclass(frozen=True)
class Kind:
    """A kind of part: treatment, model or test."""

    #: Its name in messages.
    word: str
    #: The folder of the built-in files, a package of `fairpairs.papers`.
    folder: str
    #: The constant of a file that holds the part.
    constant: str

    @property
    def package(self) -> str:
        """The package with the built-in files."""
        return f"fairpairs.papers.{self.folder}"


#: Folder of the user → kind.
KINDS = {
    "treatments": Kind("treatment", "treatments", "TREATMENT"),
    "models": Kind("model", "models", "MODEL"),
    "tests": Kind("test", "fairness_tests", "TEST"),
}


def known(kind: str, folders: Iterable[str | Path] = ()) -> dict[str, Path]:
    """Find all treatments, models or tests: name → file, those of the package first.

    The user's come from a folder of that kind in one of `folders`, where a file whose name begins
    with an underscore is a helper; InputError if a name is taken.
    """
    files = dict(_package_files(kind))
    for folder in folders:
        check_folder(folder)
        for file in sorted(Path(folder, kind).glob("[!_]*.py")):
            if file.stem in files:
                raise InputError(
                    f"{file}: there is a {KINDS[kind].word} `{file.stem}` already, in "
                    f"{files[file.stem]}: rename the file."
                )
            files[file.stem] = file
    return files


def check_folder(folder: str | Path, where: str = "config: extensions") -> None:
    """Raise unless a folder of extensions has one of the folders of parts, cards or studies."""
    names = [*KINDS, DATASETS, STUDIES]
    if not any(Path(folder, name).is_dir() for name in names):
        raise InputError(
            f"{where}: {folder} has none of the folders {', '.join(names)}: make one, "
            "or correct the path, which starts where the workflow runs."
        )


def find(kind: str, name: str, folders: Iterable[str | Path] = (), *, where: str) -> Path:
    """Return the file of a treatment, a model or a test, or raise with the known names.

    `where` is the place in the config that names it, for the message.
    """
    files = known(kind, folders)
    if name not in files:
        raise InputError(
            f"{where}: there is no {KINDS[kind].word} `{name}`{meant(name, files)}: name one of "
            f"{', '.join(sorted(files))}, or put a file {name}.py into the folder {kind} of one of "
            "`extensions`."
        )
    return files[name]


def load(kind: str, name: str, extensions: Iterable[str | Path] = ()) -> Any:
    """Import a treatment, a model or a test and return it.

    `extensions` are files of the user's project, `<kind>/<name>.py`, which come before those of the
    package. InputError if the file cannot be imported, or lacks the constant of its kind.
    """
    part, found = KINDS[kind], module(kind, name, extensions)
    if not hasattr(found, part.constant):
        raise InputError(
            f"{found.__file__}: has no `{part.constant}`: write `{part.constant} = …` with the "
            f"{part.word}."
        )
    return getattr(found, part.constant)


def module(kind: str, name: str, extensions: Iterable[str | Path] = ()) -> ModuleType:
    """Import the file of a treatment, a model or a test, as `load` does."""
    path = file_of(kind, name, extensions)
    if path == _package_files(kind).get(name):
        return importlib.import_module(f"{KINDS[kind].package}.{name}")
    module_name = f"fairpairs_extensions.{kind}.{name}"
    spec: Any = importlib.util.spec_from_file_location(module_name, path)
    # dataclasses of the file look up their module there
    sys.modules[module_name] = importlib.util.module_from_spec(spec)
    with failures(f"{path}: cannot be imported", "correct it"):
        spec.loader.exec_module(sys.modules[module_name])
    return sys.modules[module_name]


def file_of(kind: str, name: str, extensions: Iterable[str | Path] = ()) -> Path | None:
    """Return the file of a part, without importing it; one of `extensions` before the package's."""
    for path in map(Path, extensions):
        if (path.parent.name, path.stem) == (kind, name):
            return path
    return _package_files(kind).get(name)


@cache
def _package_files(kind: str) -> Mapping[str, Path]:
    """Return name → file of the package; a file without the constant is a helper."""
    part = KINDS[kind]
    return {
        file.stem: file
        for file in sorted(Path(__file__).with_name(part.folder).glob("*.py"))
        if re.search(rf"^{part.constant}\b", file.read_text("utf-8"), re.M)
    }


def constant_of(file: Path, name: str) -> str | None:
    """Return a constant that a file says of its part, without importing it; None without it.

    `BINARY_LABEL = True` is of a part that needs labels of 0 and 1, `NUMBER_LABEL = True` of one
    that needs a label that is a number; `KIND = "filter"` is the kind of a treatment that its
    signature does not tell.
    """
    found = re.search(rf'^{name} = "?(\w+)', file.read_text("utf-8"), re.M)
    return found and found[1]


def summary(file: Path) -> str:
    """Return the first line of the docstring of a file, without importing it."""
    with failures(f"{file}: cannot be imported", "correct it"):
        tree = ast.parse(file.read_bytes(), str(file))
    return (ast.get_docstring(tree) or "").partition("\n")[0]
