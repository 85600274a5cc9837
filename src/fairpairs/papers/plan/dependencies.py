"""The files of the package that a rule depends on, by the imports of its script."""

import ast
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path

import grimp

from fairpairs.base.errors import InputError
from fairpairs.base.files import file_sha256

#: The package that the scripts import; its `__init__.py` only re-exports names.
PACKAGE = "fairpairs"
#: The folder that holds it.
SOURCE = Path(__file__).parents[3]


class Dependencies:
    """The modules of the package that scripts import, directly or indirectly.

    Snakemake runs a rule again when its script changes, but not when what the script imports does.
    So a rule has the digest of all these files as a param, which no place or time changes.
    """

    def __init__(self) -> None:
        # every job asks for the digest of its rule
        self._digest = cache(self._digest_of)
        # most rules have most of these files
        self._content = cache(lambda path: f"{path.name} {file_sha256(path)}\n")

    @cached_property
    def _graph(self) -> grimp.ImportGraph:
        return grimp.build_graph(PACKAGE, cache_dir=None)

    def digest(
        self,
        sources: Iterable[str | Path],
        modules: Iterable[str] = (),
        data: Iterable[str | Path] = (),
    ) -> str:
        """Return the digest of Python files, of modules, of what they import, and of data files.

        Files of `data` that are not there do not count.
        """
        return self._digest(tuple(map(Path, sources)), tuple(modules), tuple(map(Path, data)))

    def _digest_of(
        self, sources: Sequence[Path], modules: Sequence[str], data: Sequence[Path]
    ) -> str:
        there = [path for path in data if path.exists()]
        files = [*sources, *map(SOURCE.joinpath, self.files(sources, modules)), *there]
        return sha256("".join(sorted(map(self._content, files))).encode()).hexdigest()[:16]

    def files(self, sources: Iterable[str | Path], modules: Iterable[str] = ()) -> list[str]:
        """Name the files of the package that Python files, and modules by name, depend on."""
        names = {name for path in sources for name in self._names_of(Path(path))}
        names |= set(modules)
        upstream = {module for name in names for module in self._graph.find_upstream_modules(name)}
        return [_file_of(name) for name in sorted((names | upstream) - {PACKAGE})]

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


def _file_of(module: str) -> str:
    stem = module.replace(".", "/")
    return f"{stem}/__init__.py" if (SOURCE / stem).is_dir() else f"{stem}.py"
