"""Tools of the register: a file each in `workflow/tools/`, run in an environment of its own."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Array
from fairpairs.base.errors import InputError, shown
from fairpairs.base.plain_values import Content
from fairpairs.papers.studies.register.worlds import QUESTIONS

#: Functions of R that answer a question, with the comment before them.
_R_FUNCTION = re.compile(r"(?:^# Call (?P<call>.*)\n)?^(?P<name>\w+) <- ", re.MULTILINE)
#: The tool that is this package.
OURS = "fairpairs"
#: Letters of a reason that are kept.
MOST_LETTERS = 200


class NotInstalledError(Exception):
    """Why a tool cannot be installed."""


@dataclass(frozen=True)
class Tool:
    """A tool: its file, its packages, and the questions that it answers."""

    name: str
    path: Path
    #: requirements of Python, as `fairlearn==0.15.0`, or packages of Debian
    packages: tuple[str, ...]
    #: question → the call that answers it, and the page that says so
    calls: Mapping[str, str]

    @property
    def sources(self) -> list[Path]:
        """The file, if its imports are of this package."""
        return [self.path] if self.path.suffix == ".py" else []

    @property
    def files(self) -> list[str]:
        """The files that decide its answers."""
        runner = self.path.with_name(f"_run{self.path.suffix}")
        return [str(path) for path in (self.path, runner, self.lock) if path.exists()]

    @property
    def lock(self) -> Path:
        """The pinned requirements."""
        return self.path.with_suffix(".txt")


def chosen_tools(folder: Path, size: Content) -> dict[str, Tool]:
    """Return the tools of a size by name, all of the folder if it names none."""
    names = size.get("tools") or _files(folder)
    for name in size.get("fewer", {}):
        read_tool(folder, name)
    return {name: read_tool(folder, name) for name in names}


def _files(folder: Path) -> dict[str, Path]:
    files = sorted(folder.glob("[!_]*.*"))
    return {path.stem: path for path in files if path.suffix in (".py", ".R")}


def read_tool(folder: Path, name: str) -> Tool:
    """Read what a tool says of itself; InputError for a name without a file, or a bad file."""
    known = _files(folder)
    if name not in known:
        raise InputError(
            f"config: register: there is no tool {shown(name)}: name one of {', '.join(known)}, or "
            f"add the file {folder}/{name}.py."
        )
    path = known[name]
    text = path.read_text("utf-8")
    if path.suffix == ".R":
        packages = re.findall(r"^# Debian: (.*)$", text, re.MULTILINE)
        calls = {one["name"]: one["call"] or "" for one in _R_FUNCTION.finditer(text)}
        packages = [package for line in packages for package in line.split(", ")]
    else:
        header = re.search(r"^# dependencies = (\[.*\])$", text, re.MULTILINE)
        packages = ast.literal_eval(header[1]) if header else []
        calls = dict(_python_calls(ast.parse(text)))
    calls = {question: calls[question] for question in QUESTIONS if question in calls}
    if not calls:
        raise InputError(f"{path}: it answers no question: define one of {', '.join(QUESTIONS)}.")
    return Tool(name, path, tuple(packages), calls)


def _python_calls(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield each function and what it calls, with other names of it such as `groups = rates`."""
    calls: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            text = " ".join((ast.get_docstring(node) or "").split())
            calls[node.name] = text.removeprefix("Call ")
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            same = calls.get(node.value.id, "")
            calls |= {name.id: same for name in node.targets if isinstance(name, ast.Name)}
    yield from calls.items()


def command(tool: Tool, environments: Path) -> list[str]:
    """Return the command that runs a tool, in an environment that is made if need be.

    Raises NotInstalledError with the reason if it cannot be made.
    """
    runner = tool.path.with_name(f"_run{tool.path.suffix}")
    if tool.path.suffix == ".R":
        if not (rscript := shutil.which("Rscript")):
            raise NotInstalledError(
                f"Rscript is missing: apt-get install {' '.join(tool.packages)}"
            )
        if len(versions(tool).split(", ")) < len(tool.packages):
            raise NotInstalledError(f"apt-get install {' '.join(tool.packages)}")
        return [rscript, str(runner), str(tool.path)]
    python = sys.executable
    if tool.packages:
        home = environments / tool.name
        python = str(home / "bin/python")
        if not (home / "ready").exists() or (home / "ready").read_text() != _pins(tool):
            # uv compiles the lock of a new tool beside it, to be committed
            lock = [] if tool.lock.exists() else [_compile(tool)]
            for step in (
                *lock,
                ["venv", "--clear", "--python", sys.executable, home],
                ["pip", "install", "--python", home, "--require-hashes", "-r", tool.lock],
            ):
                _uv(*map(str, step))
            (home / "ready").write_text(_pins(tool))
    return [python, "-P", str(runner), str(tool.path)]


def versions(tool: Tool) -> str:
    """Return the packages of a tool with their versions, or its own in this environment."""
    if tool.path.suffix == ".R":
        names = [name.removeprefix("r-cran-") for name in tool.packages]
        text = "for (one in .packages(TRUE)) if (tolower(one) %in% commandArgs(TRUE)) "
        text += 'cat(one, format(packageVersion(one)), "")'
        words = _run(["Rscript", "-e", text, *names]).split()
        return ", ".join(
            f"{name} {number}" for name, number in zip(words[::2], words[1::2], strict=True)
        )
    if tool.packages:
        return ", ".join(name.replace("==", " ") for name in tool.packages)
    try:
        return "this version" if tool.name == OURS else f"{tool.name} {version(tool.name)}"
    except PackageNotFoundError:  # a tool that is code of this package
        return "this version"


def _pins(tool: Tool) -> str:
    return tool.lock.read_text("utf-8") if tool.lock.exists() else ""


def _compile(tool: Tool) -> list[object]:
    options = ["--universal", "--python-version", "3.11", "--no-annotate", "--generate-hashes"]
    return ["pip", "compile", *options, "--no-header", tool.path, "-o", tool.lock]


def _uv(*words: str) -> None:
    beside = Path(sys.executable).with_name("uv")
    _run([str(beside) if beside.exists() else "uv", *words, "--quiet"])


def _run(words: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    """Return what a command prints; NotInstalledError with its last words if it fails."""
    try:
        run = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        reason = " ".join((getattr(error, "stderr", "") or str(error)).split())
        raise NotInstalledError(
            reason if len(reason) <= MOST_LETTERS else f"…{reason[-MOST_LETTERS:]}"
        ) from error
    return run.stdout


def answers(
    tool: Tool, command: Sequence[str], asked: Mapping[Path, str]
) -> Iterator[tuple[Path, list[Content]]]:
    """Yield each file with a question, and the answers of a tool, one for each data set."""
    words = [f"{question}={path}" for path, question in asked.items()]
    # what is on the path of this process is not on that of a tool with an environment of its own
    environment = {k: v for k, v in os.environ.items() if not tool.packages or k != "PYTHONPATH"}
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    lines = [
        json.loads(line) for line in _run([*command, *words], environment | threads).splitlines()
    ]
    for path in asked:
        yield path, [line for line in lines if line["data"] == str(path)]


def write_sets(path: Path, sets: Sequence[Mapping[str, Array]]) -> None:
    """Write data sets one below the other, as .npz, or as .csv with the column `set`."""
    sizes = [len(data["group"]) for data in sets]
    columns = {name: np.concatenate([data[name] for data in sets]) for name in sets[0]}
    if path.suffix == ".csv":
        number = np.repeat(np.arange(len(sets)), sizes)
        pd.DataFrame({"set": number, **columns}).to_csv(path, index=False)
    else:
        np.savez(path, sizes=np.array(sizes), **columns)  # type: ignore[arg-type]
