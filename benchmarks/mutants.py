"""Measure how sharp the tests are: change the code in one place, and see whether a test notices.

`make mutants` draws changes (mutants), and runs the tests that touch the changed line, those of the
most particular files first, until one fails. All of it is done in a clone in a temporary folder, by
forks of this process, which has loaded the libraries, but nothing of FairPairs. A mutant is in the
memory of its fork only: the tests of the workflow, which start processes, have no part.
"""

from __future__ import annotations

import argparse
import ast
import copy
import gc
import hashlib
import importlib
import json
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.machinery import SourceFileLoader
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build/mutants"
PACKAGES = (
    "mathematics audits/items audits/criteria audits/audit audits/judgments audits/monitor "
    "audits/counting papers/plan papers/published papers/run papers/display"
)
LIBRARIES = (
    "numpy scipy.stats scipy.optimize scipy.integrate scipy.spatial pandas pyarrow.parquet yaml "
    "sklearn.linear_model sklearn.ensemble sklearn.metrics sklearn.neighbors statsmodels.stats.api "
    "matplotlib.figure matplotlib.backends.backend_svg jinja2 jsonschema typer.testing hypothesis"
)
#: Seconds of tests that a mutant is given twice: of the `FIRST` files, and of all others.
ENOUGH, FIRST = 45.0, 3
#: What no single test runs, but the import of a module, or a fixture of many tests.
SHARED = "shared"

PAIRS = (
    "Lt LtE, Gt GtE, Eq NotEq, Is IsNot, In NotIn, Add Sub, Mult Div, And Or, BitAnd BitOr, "
    "min max, minimum maximum, any all, floor ceil, argmin argmax, nanmin nanmax, sf cdf"
)
OTHER = {a: b for pair in PAIRS.split(", ") for a, b in (pair.split(), pair.split()[::-1])}
#: Of no consequence to a test.
FIELDS = {"annotation", "returns", "decorator_list"}
KEYWORDS = {"strict", "frozen", "slots", "kw_only", "encoding", "compare", "repr"}


class Mutant(NamedTuple):
    """The n-th change of a file, and the lines where it is."""

    file: str
    n: int
    lines: range
    text: str
    key: str


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what takes the place of a node, one change at a time."""

    def changed(**fields: object) -> ast.AST:
        other = copy.copy(node)
        other.__dict__.update(fields)
        return other

    match node:
        case ast.Compare(ops=ops):
            for i, op in enumerate(ops):
                other = getattr(ast, OTHER[type(op).__name__])()
                yield changed(ops=[*ops[:i], other, *ops[i + 1 :]])
        case ast.BinOp(op=op) | ast.AugAssign(op=op) | ast.BoolOp(op=op):
            if other := OTHER.get(type(op).__name__):
                yield changed(op=getattr(ast, other)())
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield operand
        case ast.Constant(value=bool() | int() | float() as value):
            yield changed(value=not value if isinstance(value, bool) else value + 1)
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            if isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.NamedExpr):
                yield changed(test=ast.UnaryOp(ast.Not(), test))
        case ast.Return(value=ast.AST() as value) if ast.unparse(value) != "None":
            yield changed(value=ast.Constant(None))
        case ast.Expr(value=ast.Call()) | ast.Raise():
            yield ast.Pass()
        case ast.Name(id=name) if name in OTHER:
            yield changed(id=OTHER[name])
        case ast.Attribute(attr=name) if name in OTHER:
            yield changed(attr=OTHER[name])


def mutated(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Change a tree in one place at a time: before the next change, the last is undone."""
    if getattr(node, "arg", None) in KEYWORDS or "TYPE_CHECKING" in ast.dump(
        getattr(node, "test", ast.Pass())
    ):
        return
    for field, value in ast.iter_fields(node):
        held = value if isinstance(value, list) else vars(node)
        for place in range(len(value)) if held is value else [field]:
            child = held[place]
            if field in FIELDS or not isinstance(child, ast.AST):
                continue
            for other in changes(child):
                held[place] = ast.fix_missing_locations(ast.copy_location(other, child))
                yield child, other
                held[place] = child
            yield from mutated(child)


def mutants_of(root: Path, file: str) -> Iterator[Mutant]:
    """Yield all mutants of a file. A key depends on the line alone: versions share most keys."""
    source = (root / file).read_text("utf-8")
    seen: Counter[str] = Counter()
    for n, (old, new) in enumerate(mutated(ast.parse(source))):
        line, last = old.lineno, getattr(old, "test", old).end_lineno
        text = f"{ast.unparse(old)} → {ast.unparse(new)}".replace("\n", " ")
        if isinstance(old, ast.If | ast.While):
            text = f"if {ast.unparse(old.test)} → if {ast.unparse(new.test)}"
        name = f"{file}|{source.splitlines()[line - 1].strip()}|{text}"
        seen[name] += 1
        key = hashlib.sha256(f"{name}|{seen[name]}".encode()).hexdigest()
        yield Mutant(file, n, range(line, last + 1), text, key)


def load_mutated(root: Path, mutant: Mutant) -> None:
    """Let this process load a mutant in the place of its file."""
    path, read = root / mutant.file, SourceFileLoader.get_code
    tree = ast.parse(path.read_bytes())
    next(islice(mutated(tree), mutant.n, None))
    code = compile(tree, path, "exec")
    SourceFileLoader.get_code = lambda self, name: (
        code if Path(self.path) == path else read(self, name)
    )


def forked(work: Callable[[], object], seconds: float) -> Any:
    """Return the result of work in a fork, or None where it dies, or needs more seconds."""
    with tempfile.TemporaryFile("w+") as result:
        if not (child := os.fork()):
            gc.freeze()  # garbage with threads, such as a database, is not for a fork to collect
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
            signal.alarm(int(6 * seconds))
            with Path(os.devnull).open("w") as null:
                os.dup2(null.fileno(), 1)
                os.dup2(null.fileno(), 2)
            try:
                json.dump(work(), result)
                result.flush()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        result.seek(0)
        return json.loads(result.read() or "null")


class Watch:
    """A plugin of pytest: how long tests take, which fail, and (if measured) what each runs."""

    def __init__(self, measured: Any = None) -> None:
        self.switch = measured.switch_context if measured else lambda name: None
        self.seconds: dict[str, float] = defaultdict(float)
        self.failed: set[str] = set()
        self.now = SHARED

    def pytest_runtest_logstart(self, nodeid: str) -> None:  # noqa: D102
        self.now, self.begin = nodeid.split("[", maxsplit=1)[0], sum(os.times()[:4])
        self.switch(self.now)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:  # noqa: D102
        self.switch(self.now if fixturedef.scope == "function" else SHARED)
        try:
            return (yield)
        finally:
            self.switch(self.now)

    def pytest_runtest_logreport(self, report: Any) -> None:  # noqa: D102
        if report.failed:
            self.failed.add(self.now)

    def pytest_runtest_logfinish(self) -> None:  # noqa: D102
        self.seconds[self.now] += sum(os.times()[:4]) - self.begin

    def run(self, root: Path, *arguments: str) -> int:
        """Run pytest in this process."""
        os.chdir(root)
        sys.path.insert(0, str(root / "src"))
        os.environ["PYTHONPATH"] = str(root / "src")
        # rewritten, a module with examples would be loaded from its file, without the mutant
        options = ["--assert=plain", "-p", "no:cacheprovider"]
        return int(pytest.main([*options, *arguments], plugins=[self]))


def follow(root: Path, file: str) -> dict[str, Any]:
    """Run a test file: the seconds of the tests that pass and, by module, the lines of each."""
    import coverage

    measured = coverage.Coverage(data_file=None, source=[str(root / "src")], config_file=False)
    measured.start()
    watch = Watch(measured)
    watch.switch(SHARED)
    watch.run(root, file)
    measured.stop()
    data, lines = measured.get_data(), defaultdict(partial(defaultdict, list))
    for name in data.measured_files():
        for line, contexts in data.contexts_by_lineno(name).items():
            for context in contexts:
                lines[Path(name).relative_to(root).as_posix()][context].append(line)
    seconds = {test: s for test, s in watch.seconds.items() if test not in watch.failed}
    return {"seconds": seconds, "failed": len(watch.failed), "lines": lines}


def followed(root: Path, file: str) -> dict[str, Any]:
    """Return what `follow` finds, from an earlier run with the same sources if there was one."""
    helpers = [f for f in root.glob("tests/**/*.py") if not f.name.startswith("test_")]
    read = sorted({*helpers, *root.glob("src/**/*.py"), root / file})
    sources = b"".join([file.encode(), *(f.read_bytes() for f in read)])
    kept = BUILD / "lines" / hashlib.sha256(sources).hexdigest()
    if not kept.exists():
        run = forked(partial(follow, root, file), 900) or {"seconds": {}, "failed": 1, "lines": {}}
        print(f"{sum(run['seconds'].values()):6.1f} s  {file}, {run['failed']} fail", flush=True)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(run))
    return json.loads(kept.read_text())


def stages(mutant: Mutant, runs: list[dict[str, Any]]) -> list[dict[str, float]]:
    """Choose tests that touch a mutant, the quickest first: of the `FIRST` files, and of others."""
    ranked = []
    for run in runs:
        of, seconds = run["lines"].get(mutant.file, {}), run["seconds"]
        touching = [test for test in of if {*mutant.lines} & {*of[test]}]
        if SHARED in touching:  # whichever tests look at what a fixture made may notice
            touching = [*seconds]
        if tests := [(seconds[test], test) for test in touching if test in seconds]:
            every = sum(len(lines) for module in run["lines"].values() for lines in module.values())
            ranked.append((-sum(map(len, of.values())) / every, tests))
    ranked.sort()
    chosen = []
    for files in (ranked[:FIRST], ranked[FIRST:]):
        left, stage = ENOUGH, {}
        for taken, test in sorted(test for _, tests in files for test in tests):
            if (left := left - taken) > 0 or not stage:
                stage[test] = taken
        chosen += [stage] if stage else []
    return chosen


def judge(root: Path, task: tuple[Mutant, list[dict[str, float]]]) -> str:
    """Return a test that notices a mutant, or nothing."""
    mutant, chosen = task

    def run(tests: dict[str, float]) -> list[str]:
        load_mutated(root, mutant)
        watch = Watch()
        status = watch.run(root, "-x", *tests)
        return [*watch.failed] or [f"pytest ended with {status}"][: bool(status)]

    for tests in chosen:
        failed = forked(partial(run, tests), 30 + 3 * sum(tests.values()))
        if failed != []:
            return failed[0] if failed else "takes too long, or dies"
    return ""


def load_libraries() -> None:
    """Load what tests need, after the kernels are fixed, and nothing of FairPairs."""
    sys.path.insert(0, str(ROOT / "src"))
    importlib.import_module("fairpairs.base.kernels").fix_kernels(os.environ)
    del sys.path[0]
    for name in [name for name in sys.modules if name.partition(".")[0] == "fairpairs"]:
        del sys.modules[name]
    for name in LIBRARIES.split():
        importlib.import_module(name)
    sys.dont_write_bytecode = False  # in the clone
    os.environ.setdefault("FAIRPAIRS_MIRROR", str(ROOT.parent / "shared/mirror"))


def main() -> None:
    parser = argparse.ArgumentParser(description="How many changes of the code do the tests find?")
    parser.add_argument("code", nargs="*", default=PACKAGES.split(), help="below src/fairpairs")
    parser.add_argument("--tests", nargs="+", default=["tests", "src"], help="files or folders")
    parser.add_argument("--mutants", type=int, default=300, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at", metavar="COMMIT", help="else the working tree, without new files")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    load_libraries()
    git = partial(subprocess.run, check=True, stdout=subprocess.PIPE, text=True)
    at = options.at or git(["git", "-C", ROOT, "stash", "create"]).stdout.strip() or "HEAD"
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary, "fairpairs").resolve()
        at = git(["git", "-C", ROOT, "rev-parse", at]).stdout.strip()
        git(["git", "clone", "-qns", ROOT, root])
        git(["git", "-C", root, "checkout", "-q", "--detach", at])

        def files(*paths: str) -> list[str]:
            every = {f for path in paths for f in (root / path, *(root / path).rglob("*.py"))}
            return sorted(f.relative_to(root).as_posix() for f in every if f.is_file())

        tests = [
            file
            for file in files(*options.tests)
            if not file.startswith(("tests/workflow/", "tests/cluster/"))
            and (Path(file).name.startswith("test_") or ">>> " in (root / file).read_text("utf-8"))
        ]
        code = files(*(f"src/fairpairs/{path}" for path in options.code))
        mutants = [mutant for file in code for mutant in mutants_of(root, file)]
        mutants.sort(key=lambda m: hashlib.sha256(f"{options.seed}{m.key}".encode()).digest())
        print(f"{options.mutants} of {len(mutants)} mutants; {len(tests)} files of tests")
        survivors = []
        with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("fork")) as pool:
            runs = list(pool.map(partial(followed, root), tests))
            tasks = [(mutant, stages(mutant, runs)) for mutant in mutants[: options.mutants]]
            for task, by in zip(tasks, pool.map(partial(judge, root), tasks), strict=True):
                place = f"{task[0].file}:{task[0].lines[0]}: {task[0].text}"
                print(f"{by or 'SURVIVES':40} {place}", flush=True)
                survivors += [] if by else [f"- {place} ({sum(map(len, task[1]))} tests)"]
    found = f"{len(tasks)} mutants, of which tests find {1 - len(survivors) / len(tasks):.1%}"
    lines = [f"{found}. The others:", "", *sorted(survivors), ""]
    (BUILD / "survivors.md").write_text("\n".join(lines), encoding="utf-8")
    print(f"{found}; the others are in build/mutants/survivors.md.")


if __name__ == "__main__":
    main()
