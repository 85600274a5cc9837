"""The folders of studies, of this package and of extensions, and the files in them."""

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from fairpairs.base.errors import InputError
from fairpairs.papers.registry import STUDIES, import_errors

#: The folder of the studies of this package.
OURS = Path(__file__).parents[1] / STUDIES


def study_folders(extensions: Iterable[str | Path] = ()) -> dict[str, Path]:
    """Find the folders of all studies, name → folder: those of the package, then of extensions."""
    folders = {file.parent.name: file.parent for file in sorted(OURS.glob("*/study.py"))}
    for extension in extensions:
        for path in sorted(Path(extension, STUDIES).glob("[!_.]*/")):
            if path.is_dir() and not (path / "study.py").is_file():
                raise InputError(
                    f"{path}/study.py: there is no such file: write it, or move the folder "
                    "elsewhere."
                )
        for file in sorted(Path(extension, STUDIES).glob("*/study.py")):
            name = file.parent.name
            if not re.fullmatch("[a-z][a-z0-9_]*", name):
                raise InputError(
                    f"{file.parent}: a study has a name of small letters, digits and _: rename "
                    "the folder."
                )
            if name in folders:
                raise InputError(
                    f"{file.parent}: there is a study `{name}` already, in {folders[name]}: "
                    "rename the folder."
                )
            folders[name] = file.parent
    return folders


def load_part(name: str, part: str, folder: str | Path) -> ModuleType:
    """Import a file of a study, without `.py`: `study`, `cells`, `claims` or `section`.

    Files of a study of the user's project import each other as `from .tables import …`; InputError
    if one is missing or cannot be imported.
    """
    folder = Path(folder)
    if folder.resolve().parent == OURS:
        return importlib.import_module(f"fairpairs.papers.studies.{name}.{part}")
    package = f"fairpairs_extensions.studies.{name}"
    absolute = str(folder.resolve())
    if absolute not in getattr(sys.modules.get(package), "__path__", []):
        for module_name in [
            known for known in sys.modules if f"{known}.".startswith(f"{package}.")
        ]:
            del sys.modules[module_name]
        spec = importlib.util.spec_from_loader(package, None, is_package=True)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        module.__path__ = [absolute]
        sys.modules[package] = module
    if not (folder / f"{part}.py").is_file():
        raise InputError(f"{folder / part}.py: there is no such file: the study {name} needs it.")
    with import_errors(folder / f"{part}.py"):
        return importlib.import_module(f"{package}.{part}")


def cells_function(study: str, table: str, kind: str, folder: Path) -> Callable[..., Any]:
    """Return the function for a published table in `CELLS` or `TEXTS` (`kind`) of cells.py."""
    functions = getattr(load_part(study, "cells", folder), kind, {})
    function = functions.get(table) if isinstance(functions, Mapping) else None
    if not callable(function):
        raise InputError(f"{folder / 'cells.py'}: `{kind}` has no function for {table}: add one.")
    return cast("Callable[..., Any]", function)
