"""Ask a tool each question that it answers, in each world, and count how often it is wrong.

A tool is a file in `tools/`: its packages with their versions in the head (PEP 723), and a function
for each of `QUESTIONS` that its documentation answers, with the call and the page in the docstring.
It gets a data set as arrays and returns what the tool says: `estimate`, `low` and `high` of a 95 %
interval, `p`, or `found`; `absolute` says that the estimate is a size without a sign.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.register.worlds import QUESTIONS, REGISTER_WORLDS, RegisterWorld
from fairpairs.mathematics.promises.check import ROUNDING
from fairpairs.mathematics.promises.promise import COVERAGE, Kind, share

#: The level of all tests.
ALPHA = 0.05
TOOLS = Path(__file__).with_name("tools")
#: The tool that is this package.
OURS = "fairpairs"
COLUMNS = ["tool", "version", "world", "question", "promise", "promised", "measured",
           "standard_error", "low", "high", "sets", "refused", "seconds", "call",
           "note"]  # fmt: skip
#: Functions of R that answer a question, with the comment before them.
R_FUNCTION = re.compile(r"(?:^# Call (?P<call>.*)\n)?^(?P<name>\w+) <- ", re.MULTILINE)


def tools() -> dict[str, Path]:
    """Return the file of each tool."""
    return {path.stem: path for path in sorted(TOOLS.glob("[!_]*.*")) if path.is_file()}


def measure(path: Path, worlds: Sequence[str], sets: int, seed: int) -> pd.DataFrame:
    """Return a row for each world and promise of a tool; one with the reason if it cannot run.

    All tools get the same data sets, whichever worlds are asked for.
    """
    calls, packages = _calls(path), _packages(path)
    common = {"tool": path.stem, "version": _version(path, packages)}
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        drawn = {}
        for number, (name, world) in enumerate(REGISTER_WORLDS.items()):
            if name in worlds and world.question in calls:
                for key, draw in enumerate((world.null, world.alternative)):
                    file = Path(folder, f"{number}-{key}.{'csv' if path.suffix == '.R' else 'npz'}")
                    streams = (np.random.default_rng([seed, number, key, i]) for i in range(sets))
                    _write(file, [draw(stream) for stream in streams])
                    drawn[str(file)] = name, world, key
        asked = [f"{world.question}={file}" for file, (_, world, _) in drawn.items()]
        # what is on the path of this process is not on that of a tool with its own environment
        environment = {k: v for k, v in os.environ.items() if not packages or k != "PYTHONPATH"}
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        try:
            lines = _run([*_command(path, packages), *asked], environment | threads).splitlines()
        except (OSError, subprocess.CalledProcessError) as error:
            reason = " ".join((getattr(error, "stderr", "") or str(error)).split())[-200:]
            return pd.DataFrame([{**common, "note": f"not measured: {reason}"}], columns=COLUMNS)
        said = [json.loads(line) for line in lines]
        for file, (name, world, key) in drawn.items():
            about = {"world": name, "question": world.question, "call": calls[world.question]}
            own = [one for one in said if one["data"] == file]
            rows += [{**common, **about, **row} for row in _counted(world, key, own)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _calls(path: Path) -> dict[str, str]:
    """Return the call of each question, also of other names such as `groups = rates`."""
    text, calls = path.read_text("utf-8"), {}
    if path.suffix == ".R":
        calls = {one["name"]: one["call"] or "" for one in R_FUNCTION.finditer(text)}
    for node in ast.parse(text if path.suffix == ".py" else "").body:
        if isinstance(node, ast.FunctionDef):
            words = " ".join((ast.get_docstring(node) or "").split())
            calls[node.name] = words.removeprefix("Call ")
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            same = calls.get(node.value.id, "")
            calls |= {name.id: same for name in node.targets if isinstance(name, ast.Name)}
    return {question: calls[question] for question in QUESTIONS if question in calls}


def _packages(path: Path) -> list[str]:
    """Return requirements such as `fairlearn==0.15.0`, or the packages of Debian of a tool in R."""
    text = path.read_text("utf-8")
    if path.suffix == ".R":
        return re.search(r"^# Debian: (.*)$", text, re.MULTILINE)[1].split(", ")
    return ast.literal_eval(re.search(r"^# dependencies = (\[.*\])$", text, re.MULTILINE)[1])


def _command(path: Path, packages: Sequence[str]) -> list[str]:
    """Return the command that runs a tool, by uv in an environment of its own."""
    runner = [str(path.with_name(f"_run{path.suffix}")), str(path)]
    if path.suffix == ".R":
        return ["Rscript", *runner]
    if not packages:
        return [sys.executable, "-P", *runner]
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}") or "uv"
    own = [word for package in packages for word in ("--with", package)]
    run = [uv, "run", "--quiet", "--isolated", "--no-project", "--python", sys.executable]
    return [*run, *own, "python", "-P", *runner]


def _version(path: Path, packages: Sequence[str]) -> str:
    if path.suffix == ".R":
        if not shutil.which("Rscript"):
            return ""
        text = "for (one in .packages(TRUE)) if (tolower(one) %in% commandArgs(TRUE)) "
        text += 'cat(one, " ", format(packageVersion(one)), "\\n", sep = "")'
        names = [name.removeprefix("r-cran-") for name in packages]
        return ", ".join(_run(["Rscript", "-e", text, *names]).splitlines())
    if packages:
        return ", ".join(name.replace("==", " ") for name in packages)
    if path.stem in (OURS, "published"):
        return "this version"
    try:
        return f"{path.stem} {version(path.stem)}"
    except PackageNotFoundError:  # a tool without a package
        return ""


def _run(words: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def _write(path: Path, sets: Sequence[Mapping[str, Any]]) -> None:
    """Write data sets one below the other, as .npz, or as .csv with the column `set`."""
    sizes = [len(data["group"]) for data in sets]
    columns = {name: np.concatenate([data[name] for data in sets]) for name in sets[0]}
    if path.suffix == ".csv":
        number = np.repeat(np.arange(len(sets)), sizes)
        pd.DataFrame({"set": number, **columns}).to_csv(path, index=False)
    else:
        np.savez(path, sizes=np.array(sizes), **columns)


def _counted(
    world: RegisterWorld, key: int, said: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield the level under the null, the power under the alternative, and the coverage."""
    refused = [one.get("refused", "") for one in said]
    common = {
        "refused": sum(map(bool, refused)),
        "seconds": float(np.median([one["seconds"] for one in said])),  # the first call is slow
        "note": next(filter(None, refused), ""),
    }
    kinds: tuple[Kind, Kind] = ("level", "power")
    found = np.array([_found(one) for one in said])
    covered = np.array([_covers(one, world.truths[key]) for one in said])
    promised = {"level": ALPHA, "coverage": COVERAGE[0]}
    for kind, values in ((kinds[key], found), ("coverage", covered)):
        if not np.isnan(values).all():
            name = kind if kind != "coverage" else f"coverage ({'no ' * (not key)}difference)"
            row = share(kind, kind, values, promised.get(kind, np.nan))
            yield {
                "promise": name, "promised": row.promised, "measured": row.rate,
                "standard_error": row.error, "low": row.low, "high": row.high, "sets": row.sets,
                **common,
            }  # fmt: skip
    if np.isnan(found).all() and np.isnan(covered).all():
        yield {"promise": kinds[key], **common, "sets": 0}


def _found(said: Mapping[str, Any]) -> float:
    """Return whether a tool finds something; NaN where it does not say.

    Without a p-value, an interval without 0 does, unless the interval is of a size, which has none.
    """
    if "found" in said:
        return float(said["found"])
    if "p" in said:
        return float(said["p"] < ALPHA) if np.isfinite(said["p"]) else np.nan
    if "absolute" in said or not np.isfinite(said.get("low", np.nan) + said.get("high", np.nan)):
        return np.nan
    return float(said["low"] > 0 or said["high"] < 0)


def _covers(said: Mapping[str, Any], truth: float) -> float:
    low, high = said.get("low", np.nan), said.get("high", np.nan)
    if not np.isfinite([low, high, truth]).all():
        return np.nan
    true = abs(truth) if "absolute" in said else truth
    return float(low - ROUNDING <= true <= high + ROUNDING)
