"""Snakemake and the scripts of its rules, in forks of an interpreter that has their modules.

Each of them would import these for seconds, and check the schemas. A fork for another checkout
forgets the package of this one, for a workflow brings its own; no two forks share a state.
"""

from __future__ import annotations

import gc
import importlib
import json
import multiprocessing
import os
import re
import runpy
import select
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import ExitStack, suppress
from functools import cache, cached_property
from io import StringIO
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace

LIBRARIES = (
    *("grimp", "jinja2", "jsonschema", "requests", "tabulate", "threadpoolctl", "tqdm", "yaml"),
    *("snakemake.cli", "snakemake.benchmark", "snakemake.script", "snakemake.report"),
    *("nbformat", "smart_open", "snakemake.storage", "traitlets"),
    *("pandas", "pyarrow.dataset", "pyarrow.parquet", "numpy.testing"),
    *("scipy.integrate", "scipy.optimize", "scipy.spatial", "scipy.special", "scipy.stats"),
    *("sklearn.ensemble", "sklearn.linear_model", "sklearn.metrics", "sklearn.model_selection"),
    *("sklearn.neighbors", "sklearn.preprocessing", "sklearn.svm", "sklearn.tree"),
    *("matplotlib.figure", "matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg"),
    *("matplotlib.style", "PIL.GifImagePlugin", "PIL.JpegImagePlugin", "PIL.PpmImagePlugin"),
    *("sklearn.calibration", "matplotlib.style.core", "PIL.BmpImagePlugin", "graphlib"),
    *("pandas.core.arrays.arrow.extension_types", "pandas.core.reshape.reshape"),
    *("pandas.core.methods.to_dict", "pandas.io.formats.csvs", "duckdb"),
)
CHECKOUT = Path(__file__).resolve().parents[2]
SCHEMAS = {"read_published": "published.schema.yaml", "read_card": "dataset.schema.yaml"}
#: The address of the interpreter that all processes of pytest-xdist share, if they do.
SHARED: list[str] = []


def run(
    what: str, checkout: Path, arguments: list[str], environment: dict[str, str]
) -> tuple[int, str, str]:
    """Run "snakemake" or "reproduce"; return its exit code, standard output and standard error.

    The latter is the script of `make reproduce` of a checkout, whose runs of Snakemake are forks.
    """
    address, _ = _warm_interpreter()
    request = (what, str(Path.cwd()), environment, address, checkout, arguments)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("stdout", "stderr")]
        with ExitStack() as stack:
            streams = [stack.enter_context(file.open("w")).fileno() for file in files]
            with _Fork(address, request, streams, os.getpgrp()) as fork:
                status = fork.wait()
        return status, *(file.read_text("utf-8") for file in files)


def start(
    what: str, checkout: Path, arguments: list[str], environment: dict[str, str], output: Path
) -> _Fork:
    """Start what `run` runs, in a group of processes of its own, as a terminal does."""
    address, _ = _warm_interpreter()
    request = (what, str(Path.cwd()), environment, address, checkout, arguments)
    with output.open("w") as stream:
        return _Fork(address, request, [stream.fileno()] * 2, 0)


def share() -> str:
    """Start the interpreter for the processes that this one starts: they join it by its address."""
    address, _ = _warm_interpreter()
    return address


def join(address: str) -> None:
    """Use the interpreter of another process."""
    SHARED.append(address)


@cache
def _warm_interpreter() -> tuple[str, subprocess.Popen | None]:
    """Start the interpreter, which ends with this process; return the address of its socket."""
    if SHARED:
        return SHARED[0], None
    address = str(Path(tempfile.mkdtemp(), "socket"))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(64)
        # without -P, the modules beside this file would be in the way of others
        command = [sys.executable, "-P", __file__, str(listener.fileno())]
        one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        process = subprocess.Popen(
            command,
            pass_fds=[listener.fileno()],
            env={**os.environ, **one},
            stdin=subprocess.PIPE,  # is closed when this process ends
            stdout=subprocess.DEVNULL,
        )
    return address, process


class _Fork:
    """A fork of the warm interpreter: what it is asked to do, its id and its exit code."""

    def __init__(self, address: str, request: tuple, streams: list[int], group: int) -> None:
        """Start it in a group of processes; 0 stands for a new one."""
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(address)
        socket.send_fds(self.connection, [b"."], streams)
        self.connection.sendall(json.dumps([group, *request], default=str).encode())
        self.connection.shutdown(socket.SHUT_WR)
        self.answers = self.connection.makefile()
        self.pid = int(self.answers.readline())

    def __enter__(self) -> _Fork:
        return self

    def __exit__(self, *_: object) -> None:
        self.answers.close()
        self.connection.close()

    @cached_property
    def status(self) -> int:
        return int(self.answers.readline())

    def wait(self) -> int:
        return self.status

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)


def stop() -> None:
    """End the interpreter, so that its time is counted as that of this process."""
    if _warm_interpreter.cache_info().currsize:
        _, process = _warm_interpreter()
        if process:
            process.stdin.close()
            process.wait()
        _warm_interpreter.cache_clear()


def _load() -> None:
    """Import what the workflow imports, and check its schemas."""
    for name in LIBRARIES:
        importlib.import_module(name)
    sys.path.insert(0, str(CHECKOUT / "src"))
    cli = sys.modules["snakemake.cli"]
    make, parser = cli.get_argument_parser, cli.get_argument_parser()  # imports plugins
    cli.get_argument_parser = lambda profiles=None: make(profiles) if profiles else parser
    files = [file for end in ("smk", "py") for file in CHECKOUT.glob(f"workflow/**/*.{end}")]
    text = "\n".join(file.read_text("utf-8") for file in files)
    for name in sorted(set(re.findall(r"^ *from (fairpairs[.\w]*) import", text, re.M))):
        importlib.import_module(name)
    for file in sorted(CHECKOUT.glob("src/fairpairs/papers/studies/*/[cs]*.py")):
        if file.stem in ("cells", "claims", "section", "study"):
            name = f"fairpairs.papers.studies.{file.parent.name}.{file.stem}"
            importlib.import_module(name)
    schemas = importlib.import_module("fairpairs.base.schemas")
    folders = ("workflow/schemas", "src/fairpairs/papers/studies/*")
    files = [file for folder in folders for file in CHECKOUT.glob(f"{folder}/*.schema.yaml")]
    checked, check = {file: schemas._schema(str(file)) for file in files}, schemas._schema
    schemas._schema = lambda file: checked.get(Path(file).resolve()) or check(file)
    provenance = importlib.import_module("fairpairs.papers.run.provenance")
    provenance.versions = provenance.versions().copy
    commit, read = provenance.git_commit(CHECKOUT), provenance.git_commit
    provenance.git_commit = lambda folder: commit if CHECKOUT in folder.parents else read(folder)
    published = ("published.table", "plan.read", "report.report")
    _read_before("read_published", published, "config/published/*/*.yaml")
    _read_before("read_card", ("datasets.card", "plan.data", "plan.read"), "config/datasets/*.yaml")
    registry = importlib.import_module("fairpairs.papers.registry")
    for kind in registry.KINDS:
        registry.known(kind)  # which it remembers
    _parse_before()
    _graph_before()
    sys.path.pop(0)


def _read_before(reader: str, modules: tuple[str, ...], files: str) -> None:
    """Read files of this checkout, and let a function of modules of the package return them."""
    places = [importlib.import_module(f"fairpairs.papers.{module}") for module in modules]
    read = getattr(places[0], reader)
    schema = CHECKOUT / "workflow/schemas" / SCHEMAS[reader]
    found = {(file, schema): read(file, schema) for file in CHECKOUT.glob(files)}
    for place in places:
        setattr(place, reader, lambda *of: found.get(_whole(of)) or read(*of))


def _whole(paths: tuple[str | Path, ...]) -> tuple[Path, ...]:
    return tuple(Path(path).resolve() for path in paths)


def _parse_before() -> None:
    """Parse and compile the rules of this checkout; let Snakemake take these, for copies too."""
    from snakemake import workflow
    from snakemake.sourcecache import LocalSourceFile

    parse, parsed, compiled = workflow.parse, {}, {}
    texts = SimpleNamespace(sourcecache=SimpleNamespace(open=lambda file: StringIO(text)))
    files = [CHECKOUT / name for name in ("Snakefile", "workflow/Snakefile")]
    for number, file in enumerate([*files, *CHECKOUT.glob("workflow/*/*.smk")]):
        text, lines = file.read_text("utf-8"), {}
        # a rule without a name is called by its number
        code, count = parse(LocalSourceFile(str(file)), texts, lines, rulecount=100 * number)
        parsed[text] = str(file), code, count - 100 * number, lines
        compiled[code] = compile(code, file, "exec")

    def take(path: object, *others: object, linemap: dict[int, int], rulecount: int) -> tuple:
        name = path.get_path_or_uri(secret_free=True)
        text = Path(name).read_text("utf-8") if Path(name).is_file() else None
        if text not in parsed:
            return parse(path, *others, linemap=linemap, rulecount=rulecount)
        file, code, count, lines = parsed[text]
        linemap.update(lines)
        return code.replace(repr(file), repr(name)), rulecount + count  # rules name their file

    workflow.parse = take
    workflow.compile = lambda code, *of: compiled.get(code) or compile(code, *of)


def _graph_before() -> None:
    """Find the imports in the package of this checkout in a fork: its threads would hang others."""
    from fairpairs.papers.plan import dependencies

    here, there = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_send_imports, args=[there])
    child.start()
    modules, before, imported = here.recv()
    child.join()
    graph = SimpleNamespace(modules=modules, find_upstream_modules=before.__getitem__)
    read = dependencies.Dependencies._names_of
    dependencies.Dependencies._graph = graph
    dependencies.Dependencies._names_of = lambda self, file: imported.get(file) or read(self, file)


def _send_imports(there: Connection) -> None:
    """Send all modules of the package, and which of them each of them and each script imports."""
    from fairpairs.papers.plan.dependencies import Dependencies

    found = Dependencies()
    graph = found._graph
    before = {name: graph.find_upstream_modules(name) for name in graph.modules}
    scripts = CHECKOUT.glob("workflow/scripts/**/*.py")
    there.send((graph.modules, before, {file: found._names_of(file) for file in scripts}))


def _take_package(checkout: Path) -> None:
    """Forget the package that is loaded unless it is that of the checkout."""
    if checkout.resolve() != CHECKOUT:
        sys.dont_write_bytecode = False  # its next run has less to compile
        for name in [name for name in sys.modules if name.partition(".")[0] == "fairpairs"]:
            del sys.modules[name]


def _serve(listener: socket.socket) -> None:
    """Start a fork for each request, and tell its id and, when it ends, its exit code."""
    asked, *_ = select.select([listener, sys.stdin], [], [])
    if listener in asked:
        _load()
        gc.collect()
        gc.freeze()
    running = {}
    while True:
        ready, *_ = select.select([listener, sys.stdin, *running], [], [])
        for sentinel in running.keys() & set(ready):
            process, connection = running.pop(sentinel)
            process.join()
            with suppress(BrokenPipeError), connection:  # whoever asked may have been killed
                connection.sendall(f"{process.exitcode}\n".encode())
        if listener in ready:
            connection, _ = listener.accept()
            # it ends without an end of the interpreter, which takes as long as the fork
            process = multiprocessing.get_context("fork").Process(target=_answer, args=[connection])
            process.start()
            running[process.sentinel] = process, connection
        elif sys.stdin in ready:  # the process of the tests has ended
            address = Path(listener.getsockname())
            address.unlink()
            address.parent.rmdir()
            for process, _ in running.values():
                process.join()
            return


def _answer(connection: socket.socket) -> None:
    """Do in a fork what is asked; the interpreter waits for nobody."""
    with connection:
        _, streams, *_ = socket.recv_fds(connection, 1, 2)
        with connection.makefile() as file:
            group, what, *request = json.load(file)
        os.setpgid(0, group)  # fails where the group was stopped
        connection.sendall(f"{os.getpid()}\n".encode())
    {"reproduce": _reproduce, "snakemake": _snakemake, "script": _script}[what](streams, *request)


def _prepare(streams: list[int], folder: str, environment: dict[str, str]) -> None:
    for stream, descriptor in enumerate(streams, start=1):
        os.dup2(descriptor, stream)
    os.chdir(folder)
    for number in (signal.SIGINT, signal.SIGTERM):  # as `fairpairs.papers.run.launch` has it
        signal.signal(number, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(environment)


def _snakemake(
    streams: list[int],
    folder: str,
    environment: dict[str, str],
    address: str,
    checkout: str,
    arguments: list[str],
) -> None:
    _prepare(streams, folder, environment)
    from snakemake.cli import main

    _fork_scripts(address)
    _fork_jobs(address, checkout)
    sys.path[:0] = _python_path()
    _take_package(Path(checkout))
    # Snakemake would import it, and scikit-learn asks it, to see that nothing is of it
    sys.modules["polars"] = SimpleNamespace(DataFrame=(), LazyFrame=(), Series=())
    sys.argv = ["snakemake", *arguments]
    main(arguments)


def _reproduce(
    streams: list[int],
    folder: str,
    environment: dict[str, str],
    address: str,
    checkout: str,
    arguments: list[str],
) -> None:
    """Run the script of `make reproduce`, whose runs of Snakemake are forks."""
    _prepare(streams, folder, environment)
    start = subprocess.Popen

    def popen(command: list[str], **options: object) -> subprocess.Popen | _Fork:
        if command[:2] != [sys.executable, "-c"]:
            return start(command, **options)
        where = (str(Path.cwd()), {**options["env"]}, address, checkout)
        with Path(os.devnull).open("w") as nowhere:
            quiet = options["stdout"] == subprocess.DEVNULL
            streams = [nowhere.fileno()] * 2 if quiet else [1, 2]
            return _Fork(address, ("snakemake", *where, command[3:]), streams, os.getpgrp())

    subprocess.Popen = popen
    script = f"{checkout}/workflow/reproduce.py"
    sys.argv = [script, *arguments]
    runpy.run_path(script, run_name="__main__")


def _python_path() -> list[str]:
    return [*filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]


def _script(streams: list[int], folder: str, environment: dict[str, str], file: str) -> None:
    _prepare(streams, folder, environment)
    _take_package(Path(environment["PYTHONPATH"].split(os.pathsep)[0]).parent)
    sys.path[:0] = [str(Path(file).parent), *_python_path()]
    sys.argv = [file]
    runpy.run_path(file, run_name="__main__")


def _fork_scripts(address: str) -> None:
    """Let Snakemake run scripts of one thread in forks of the warm interpreter."""
    from snakemake.benchmark import benchmarked
    from snakemake.script import PythonScript

    start = PythonScript.execute_script

    def execute_script(self: PythonScript, fname: str, edit: bool = False) -> None:
        if self.threads != 1 or self.conda_env or self.container_img or self.env_modules:
            start(self, fname, edit)
            return
        request = ("script", str(Path.cwd()), {**os.environ}, str(Path(fname).absolute()))
        with (
            _Fork(address, request, [1, 2], os.getpgrp()) as fork,
            benchmarked(fork.pid if self.bench_record else False, self.bench_record),
        ):
            status = fork.wait()
        if status:
            raise subprocess.CalledProcessError(status, f"{sys.executable} {fname}")

    PythonScript.execute_script = execute_script


def _fork_jobs(address: str, checkout: str) -> None:
    """Let the jobs that are submitted to a cluster, which run Snakemake, be forks, too."""
    sys.executable = shlex.join([sys.executable, "-S", __file__, address, checkout])


def _ask(address: str, checkout: str, arguments: list[str]) -> int:
    """Run Snakemake in a fork of an interpreter of other processes; return its exit code."""
    request = ("snakemake", str(Path.cwd()), {**os.environ}, address, checkout, arguments)
    with _Fork(address, request, [1, 2], os.getpgrp()) as fork:
        return fork.wait()


if __name__ == "__main__":
    if len(sys.argv) == 2:
        _serve(socket.socket(fileno=int(sys.argv[1])))
        os._exit(0)  # duckdb would complain of what was frozen
    else:
        sys.exit(_ask(*sys.argv[1:3], sys.argv[5:]))  # -m snakemake ...
