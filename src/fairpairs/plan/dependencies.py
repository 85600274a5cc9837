"""The files of the package that a rule depends on, by the imports of its script."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable
from functools import cache, cached_property
from pathlib import Path

import grimp

from fairpairs.errors import InputError

#: The package that the scripts import; its `__init__.py` only re-exports names.
PACKAGE = "fairpairs"


class Dependencies:
    """The modules of the package that scripts import, directly or indirectly.

    Snakemake runs a rule again when its script changes, but not when what the script imports does.
    So a rule names these files among its inputs. `base` is the checkout of FairPairs.
    """

    def __init__(self, base: str | Path) -> None:
        self.base = Path(base)
        # every job asks for the files of its rule
        self._imported = cache(self._names_of)
        self._upstream = cache(self._modules_before)

    @cached_property
    def _graph(self) -> grimp.ImportGraph:
        return grimp.build_graph(PACKAGE, cache_dir=None)

    def files(self, sources: Iterable[str | Path], modules: Iterable[str] = ()) -> list[str]:
        """Name the files of the package that Python files, and modules by name, depend on.

        The paths are as seen from the folder in which the workflow runs.
        """
        names = {name for source in sources for name in self._imported(Path(source))}
        names |= set(modules)
        upstream = {module for name in names for module in self._upstream(name)}
        paths = [
            self.base / "src" / Path(*name.split("."))
            for name in sorted((names | upstream) - {PACKAGE})
        ]
        return [
            os.path.relpath(path / "__init__.py" if path.is_dir() else path.with_suffix(".py"))
            for path in paths
        ]

    def _modules_before(self, name: str) -> set[str]:
        """Return the modules of the package that one of them imports, directly or indirectly."""
        return set(self._graph.find_upstream_modules(name))

    def _names_of(self, source: Path) -> set[str]:
        """Return the modules of the package that a Python file imports by name."""
        names: set[str] = set()
        try:
            tree = ast.parse(source.read_bytes(), source.name)
        except (SyntaxError, ValueError) as error:
            text = " ".join(str(error).split())
            raise InputError(f"{source}: not valid Python ({text}): correct it.") from error
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names |= {node.module, *(f"{node.module}.{a.name}" for a in node.names)}
        return names & self._graph.modules
