"""Registry of treatments, models and tests, one file each.

The treatment NAME of the config is defined by the constant TREATMENT of the file NAME.py in the
folder `treatments` of this package or of the user's project; models and tests likewise. Files are
listed without importing them: only what is used is imported, and a rule of the workflow depends
only on the files that it uses.
"""

import ast
import difflib
import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from fairpairs.base.errors import InputError

#: Further folders that a folder of extensions may have, besides those of `KINDS`.
DATASETS, STUDIES = "datasets", "studies"


@dataclass(frozen=True)
class Kind:
    """A kind of part: treatment, model or test."""

    #: Its name in messages.
    word: str
    #: The package with the built-in files.
    package: str
    #: The constant of a file that holds the registered object.
    constant: str
    #: Description of that object, for messages.
    wanted: str
    #: Its arguments.
    arguments: tuple[str, ...]
    #: A method that it needs if it is a class.
    method: str | None = None
    method_arguments: tuple[str, ...] = ()


#: Folder → kind.
KINDS = {
    "treatments": Kind(
        "treatment",
        "fairpairs.papers.treatments",
        "TREATMENT",
        "function of labels and attributes",
        ("y", "sensitive_features"),
    ),
    "models": Kind(
        "model",
        "fairpairs.papers.models",
        "MODEL",
        "class",
        ("features", "kinds"),
        "fit_repeats",
        ("y", "tested", "weights", "rngs"),
    ),
    "tests": Kind(
        "test",
        "fairpairs.papers.fairness_tests",
        "TEST",
        "function of predictions and settings",
        ("predictions", "settings"),
    ),
}


def known(kind: str, folders: Iterable[str | Path] = ()) -> dict[str, Path]:
    """Find all treatments, models or tests: name → file, those of the package first.

    The user's come from a folder of that kind in one of `folders`. Files whose names begin with an
    underscore are ignored; InputError if the name of a file is taken or invalid.
    """
    files = dict(_package_files(kind))
    for folder in folders:
        check_folder(folder)
        for file in sorted(Path(folder, kind).glob("[!_]*.py")):
            if not re.fullmatch("[a-z0-9_]+", file.stem):
                raise InputError(
                    f"{file}: a {KINDS[kind].word} has a name of small letters, digits and _: "
                    "rename the file."
                )
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
        close = difflib.get_close_matches(name, files, n=1)
        raise InputError(
            f"{where}: there is no {KINDS[kind].word} `{name}`"
            f"{f' (did you mean `{close[0]}`?)' if close else ''}: name one of "
            f"{', '.join(sorted(files))}, or put a file {name}.py into the folder {kind} of one of "
            "`extensions`."
        )
    return files[name]


def load(kind: str, name: str, extensions: Iterable[str | Path] = ()) -> Any:
    """Import a treatment, a model or a test and return it.

    `extensions` are files of the user's project, `<kind>/<name>.py`, which come before those of the
    package. InputError if the file cannot be imported, or lacks what its kind needs.
    """
    spec = KINDS[kind]
    for file in map(Path, extensions):
        if (file.parent.name, file.stem) == (kind, name):
            return _registered(_imported(file), spec, file)
    if name not in _package_files(kind):
        known_names = ", ".join(_package_files(kind))
        raise InputError(f"There is no {spec.word} `{name}`: name one of {known_names}.")
    file = _package_files(kind)[name]
    return _registered(importlib.import_module(f"{spec.package}.{name}"), spec, file)


def needs_binary_label(file: Path) -> bool:
    """Return whether a model or a test needs labels of 0 and 1, by `BINARY_LABEL = True`."""
    return _constants(file).get("BINARY_LABEL") is True


def summary(file: Path) -> str:
    """Return the first line of the docstring of a file, without importing it."""
    return (ast.get_docstring(_parsed(file)) or "").partition("\n")[0]


@cache
def _package_files(kind: str) -> Mapping[str, Path]:
    """Return name → file of the package; modules without the constant are helpers."""
    folder = Path(__file__).parents[1].joinpath(*KINDS[kind].package.split(".")[1:])
    return {
        file.stem: file
        for file in sorted(folder.glob("[!_]*.py"))
        if KINDS[kind].constant in _constants(file)
    }


def _constants(file: Path) -> dict[str, object]:
    """Read the names that a file assigns at its top level, with the values that are literals."""
    values: dict[str, object] = {}
    for node in _parsed(file).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign):
            targets = [node.target]
        for target in targets:
            if isinstance(target, ast.Name):
                value = getattr(node, "value", None)
                values[target.id] = value.value if isinstance(value, ast.Constant) else None
    return values


def _parsed(file: Path) -> ast.Module:
    try:
        return ast.parse(file.read_bytes(), str(file))
    except (SyntaxError, ValueError) as error:
        raise _no_import(file, error) from error


def _imported(file: Path) -> ModuleType:
    name = f"fairpairs_extensions.{file.parent.name}.{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InputError(f"{file}: not a Python file: give one that ends in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses of the file look up their module there
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever a user's file may raise
        del sys.modules[name]
        raise _no_import(file, error) from error
    return module


def _no_import(file: Path, error: Exception) -> InputError:
    text = " ".join(str(error).split())
    return InputError(f"{file}: cannot be imported ({type(error).__name__}: {text}): correct it.")


def _registered(module: ModuleType, spec: Kind, file: Path) -> Any:
    thing = getattr(module, spec.constant, None)
    if not callable(thing):
        has = "no" if thing is None else f"{thing!r} as"
        raise InputError(
            f"{file}: has {has} `{spec.constant}`: write `{spec.constant} = …` with the "
            f"{spec.wanted} that is the {spec.word}."
        )
    _check_arguments(thing, spec.arguments, f"{file}: `{spec.constant}`")
    if spec.method is not None and isinstance(thing, type):
        method = inspect.getattr_static(thing, spec.method, None)
        where = f"{file}: the class `{thing.__name__}`"
        arguments = ", ".join(spec.method_arguments)
        if method is None:
            raise InputError(
                f"{where} has no method `{spec.method}`: write "
                f"`def {spec.method}(self, {arguments})`."
            )
        itself = () if isinstance(method, staticmethod | classmethod) else ("self",)
        method = getattr(thing, spec.method)
        _check_arguments(method, (*itself, *spec.method_arguments), f"{where}: `{spec.method}`")
    return thing


def _check_arguments(function: Any, names: tuple[str, ...], what: str) -> None:
    """Raise unless a function can be called with these arguments, by position."""
    wanted = ", ".join(names)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # written in C, or not callable
        if callable(function):
            return
        raise InputError(f"{what} is not callable: make it a function of ({wanted}).") from None
    try:
        signature.bind(*names)
    except TypeError as error:
        raise InputError(
            f"{what} is called with ({wanted}) and takes {signature} ({error}): correct its "
            "arguments."
        ) from None
