"""The folders of studies, of this package and of extensions, and the files in them."""

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from fairpairs.base.errors import InputError, failures
from fairpairs.papers.registry import STUDIES

#: The folder of the studies of this package.
OURS = Path(__file__).parents[1] / STUDIES


def study_folders(extensions: Iterable[str | Path] = ()) -> dict[str, Path]:
    """Find the folders of all studies, name → folder: those of the package, then of extensions."""
    folders = {folder.name: folder for folder in _folders(OURS)}
    for extension in extensions:
        found = _folders(Path(extension, STUDIES))
        for path in sorted(Path(extension, STUDIES).glob("[!_.]*/")):
            if path.is_dir() and path not in found:
                raise InputError(
                    f"{path}/study.py: there is no such file, and no study.yaml: write one of the "
                    "two, or move the folder elsewhere."
                )
        for folder in found:
            name = folder.name
            if not re.fullmatch("[a-z][a-z0-9_]*", name):
                raise InputError(
                    f"{folder}: a study has a name of small letters, digits and _: rename "
                    "the folder."
                )
            if name in folders:
                raise InputError(
                    f"{folder}: there is a study `{name}` already, in {folders[name]}: "
                    "rename the folder."
                )
            folders[name] = folder
    return folders


def _folders(parent: Path) -> list[Path]:
    """Find the folders with a study: those with a study.py or a study.yaml."""
    files = [*parent.glob("*/study.py"), *parent.glob("*/study.yaml")]
    return sorted({file.parent for file in files})


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
    with failures(f"{folder / part}.py: cannot be imported", "correct it"):
        return importlib.import_module(f"{package}.{part}")


def cells_function(
    study: str, table: str, kind: str, folder: Path, default: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """Return the function for a published table in `CELLS` or `TEXTS` (`kind`) of cells.py.

    It is the default for a table that these lack, and without cells.py.
    """
    if default is not None and not (folder / "cells.py").exists():
        return default
    functions = getattr(load_part(study, "cells", folder), kind, {})
    function = functions.get(table, default) if isinstance(functions, Mapping) else None
    if not callable(function):
        raise InputError(f"{folder / 'cells.py'}: `{kind}` has no function for {table}: add one.")
    return cast("Callable[..., Any]", function)
