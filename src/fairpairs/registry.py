"""What registers itself by lying in its folder: treatments, models and tests, each a file.

The treatment NAME of the config is the file NAME.py in the folder `treatments`, of this package or
of a user's own project, and what its constant TREATMENT names; models and tests likewise. Which
there are is read from the files without importing them. So only what is used is imported, and a
rule of the workflow depends on the files of what it uses alone.
"""

from __future__ import annotations

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

from fairpairs.errors import InputError

#: What a folder of extensions may have beside the folders of `KINDS`.
DATASETS, STUDIES = "datasets", "studies"


@dataclass(frozen=True)
class Kind:
    """What is registered in a folder.

    Attributes
    ----------
    word
        What one of them is called.
    package
        The package of ours that has them.
    constant
        The constant of a file that names what is registered.
    wanted
        What that is.
    arguments
        What it is called with.
    method
        What has to be a method of it, where it is a class.
    method_arguments
        What that is called with.
    """

    word: str
    package: str
    constant: str
    wanted: str
    arguments: tuple[str, ...]
    method: str | None = None
    method_arguments: tuple[str, ...] = ()


#: Name of the folder → what is in it.
KINDS = {
    "treatments": Kind(
        "treatment",
        "fairpairs.treatments",
        "TREATMENT",
        "function of labels and attributes",
        ("y", "sensitive_features"),
    ),
    "models": Kind(
        "model",
        "fairpairs.models",
        "MODEL",
        "class",
        ("features", "kinds"),
        "fit_repeats",
        ("y", "tested", "weights", "rngs"),
    ),
    "tests": Kind(
        "test",
        "fairpairs.fairness_tests",
        "TEST",
        "function of predictions and settings",
        ("predictions", "settings"),
    ),
}


def known(kind: str, folders: Iterable[str | Path] = ()) -> dict[str, Path]:
    """Find all treatments, models or tests: name → file, those of the package first.

    Parameters
    ----------
    kind
        A key of `KINDS`.
    folders
        The `extensions` of the config: folders that may have a folder of that name. A file in it
        whose name begins with an underscore is not looked at.

    Raises
    ------
    InputError
        When there is no such folder, or a file has a name that is taken or cannot be one.
    """
    found = dict(_own(kind))
    for folder in folders:
        check_folder(folder)
        for file in sorted(Path(folder, kind).glob("[!_]*.py")):
            if not re.fullmatch("[a-z0-9_]+", file.stem):
                raise InputError(
                    f"{file}: a {KINDS[kind].word} has a name of small letters, digits and _: "
                    "rename the file."
                )
            if file.stem in found:
                raise InputError(
                    f"{file}: there is a {KINDS[kind].word} `{file.stem}` already, in "
                    f"{found[file.stem]}: rename the file."
                )
            found[file.stem] = file
    return found


def check_folder(folder: str | Path) -> None:
    """Raise unless a folder of extensions has one of the folders that are looked for in it."""
    names = [*KINDS, DATASETS, STUDIES]
    if not any(Path(folder, name).is_dir() for name in names):
        raise InputError(
            f"config: extensions: {folder} has none of the folders {', '.join(names)}: make one, "
            "or correct the path, which starts where the workflow runs."
        )


def find(kind: str, name: str, folders: Iterable[str | Path] = (), *, where: str) -> Path:
    """Return the file of a treatment, a model or a test.

    Parameters
    ----------
    kind, folders
        See `known`.
    name
        Its name in the config.
    where
        The place in the config that names it, for the message.

    Raises
    ------
    InputError
        When there is none of this name: those that there are, and how one is added.
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

    Parameters
    ----------
    kind
        A key of `KINDS`.
    name
        Its name in the config.
    extensions
        Files of a user's own project, `<kind>/<name>.py`, which come before those of the package.

    Raises
    ------
    InputError
        When the file cannot be imported, or has not what its kind needs.
    """
    about = KINDS[kind]
    for file in map(Path, extensions):
        if (file.parent.name, file.stem) == (kind, name):
            return _registered(_imported(file), about, file)
    if name not in _own(kind):
        raise InputError(f"There is no {about.word} `{name}`: name one of {', '.join(_own(kind))}.")
    file = _own(kind)[name]
    return _registered(importlib.import_module(f"{about.package}.{name}"), about, file)


def needs_binary_label(file: Path) -> bool:
    """Whether a model or a test says, by `BINARY_LABEL = True`, that it needs labels of 0 and 1."""
    return _constants(file).get("BINARY_LABEL") is True


def summary(file: Path) -> str:
    """Return the first line of the docstring of a file, which is read without importing it."""
    return (ast.get_docstring(_parsed(file)) or "").partition("\n")[0]


@cache
def _own(kind: str) -> Mapping[str, Path]:
    """Find what the package has; its folders have helpers too, without the constant."""
    folder = Path(__file__).parent.joinpath(*KINDS[kind].package.split(".")[1:])
    return {
        file.stem: file
        for file in sorted(folder.glob("[!_]*.py"))
        if KINDS[kind].constant in _constants(file)
    }


def _constants(file: Path) -> dict[str, object]:
    """Read the names that a file assigns at its top level, with the values that are literals.

    Raises
    ------
    InputError
        When the file is no Python.
    """
    found: dict[str, object] = {}
    for node in _parsed(file).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign):
            targets = [node.target]
        for target in targets:
            if isinstance(target, ast.Name):
                value = getattr(node, "value", None)
                found[target.id] = value.value if isinstance(value, ast.Constant) else None
    return found


def _parsed(file: Path) -> ast.Module:
    try:
        return ast.parse(file.read_bytes(), str(file))
    except (SyntaxError, ValueError) as error:
        raise _no_import(file, error) from error


def _imported(file: Path) -> ModuleType:
    name = f"fairpairs_extensions.{file.parent.name}.{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InputError(f"{file}: no Python file: give one that ends in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where a dataclass of the file looks for its module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever a user's file may raise
        del sys.modules[name]
        raise _no_import(file, error) from error
    return module


def _no_import(file: Path, error: Exception) -> InputError:
    said = " ".join(str(error).split())
    return InputError(f"{file}: cannot be imported ({type(error).__name__}: {said}): correct it.")


def _registered(module: ModuleType, about: Kind, file: Path) -> Any:
    thing = getattr(module, about.constant, None)
    if not callable(thing):
        has = "no" if thing is None else f"{thing!r} as"
        raise InputError(
            f"{file}: has {has} `{about.constant}`: write `{about.constant} = …` with the "
            f"{about.wanted} that is the {about.word}."
        )
    _check_arguments(thing, about.arguments, f"{file}: `{about.constant}`")
    if about.method is not None and isinstance(thing, type):
        method = inspect.getattr_static(thing, about.method, None)
        where = f"{file}: the class `{thing.__name__}`"
        given = ", ".join(about.method_arguments)
        if method is None:
            raise InputError(
                f"{where} has no method `{about.method}`: write "
                f"`def {about.method}(self, {given})`."
            )
        itself = () if isinstance(method, staticmethod | classmethod) else ("self",)
        method = getattr(thing, about.method)
        _check_arguments(method, (*itself, *about.method_arguments), f"{where}: `{about.method}`")
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
