"""The files of the package that a rule depends on, by the imports of its script."""

import ast
from collections.abc import Iterable
from functools import cache, cached_property
from pathlib import Path

import grimp

from fairpairs.base.errors import InputError
from fairpairs.base.shipped import from_here

#: The package that the scripts import; its `__init__.py` only re-exports names.
PACKAGE = "fairpairs"
#: The folder that holds it.
SOURCE = Path(__file__).parents[3]


class Dependencies:
    """The modules of the package that scripts import, directly or indirectly.

    Snakemake runs a rule again when its script changes, but not when what the script imports does.
    So a rule names these files among its inputs.
    """

    def __init__(self) -> None:
        # every job asks for the files of its rule
        self._files = cache(self._files_of)
        # most rules have most of these modules
        self._file = cache(self._file_of)

    @cached_property
    def _graph(self) -> grimp.ImportGraph:
        return grimp.build_graph(PACKAGE, cache_dir=None)

    def files(self, sources: Iterable[str | Path], modules: Iterable[str] = ()) -> list[str]:
        """Name the files of the package that Python files, and modules by name, depend on."""
        source = from_here(SOURCE)
        return [f"{source}/{file}" for file in self._files(tuple(sources), tuple(modules))]

    def _files_of(self, sources: Iterable[str | Path], modules: Iterable[str]) -> list[str]:
        """Name the files as seen from the folder of the package."""
        names = {name for path in sources for name in self._names_of(Path(path))}
        names |= set(modules)
        upstream = {module for name in names for module in self._graph.find_upstream_modules(name)}
        return [self._file(name) for name in sorted((names | upstream) - {PACKAGE})]

    def _file_of(self, module: str) -> str:
        stem = module.replace(".", "/")
        return f"{stem}/__init__.py" if (SOURCE / stem).is_dir() else f"{stem}.py"

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
