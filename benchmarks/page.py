"""The page docs/benchmarks.md: parts that are measured and written one by one."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import version
from pathlib import Path

#: Part → the fixed text above what is measured.
PARTS = {
    "promises": """# Benchmarks

`make benchmark` writes this page, and `make benchmark ARGS="--only growth"` one of its parts
(`promises`, `growth`, `beside`). Everything runs on one core. Ratios are against a plain
implementation (`benchmarks/plain.py`) in the same run: the median of 3 rounds. The command fails if
no round keeps a promise.""",
    "growth": """## How time and memory grow

Seconds, and the peak of the memory that the work itself allocates. A slope is that of a line
through all points on logarithmic axes, or of the last decade: 1 is proportional. Small sizes have
fixed costs, so slopes over all sizes are lower.

![Time and memory by the numbers of items and of repeats](benchmarks_growth.svg)""",
    "beside": """## Beside what a user would pick instead

The same results by other tools, each in a process of its own: seconds, those of FairPairs being 1,
and the peak memory of the process. The audit is of 10⁶ binary labels and decisions, with two
attributes and no score, from the start of the command to its end, with reading the CSV; the rates
of all tools are checked to be equal first. Only FairPairs and Aequitas test differences;
Fairlearn's intervals, by bootstraps, take many times as long as its rates and are left out. The
other tools are installed in separate
environments, as they pin their dependencies:

    python3 -m venv ../tools && ../tools/bin/pip install fairlearn aequitas
    python3 -m venv ../aif360 && ../aif360/bin/pip install aif360
    make benchmark \\
      ARGS="--only beside --tools ../tools/bin/python --tools ../aif360/bin/python\"""",
}
#: Libraries that the speed depends on.
LIBRARIES = ("numpy", "pandas", "scipy", "scikit-learn", "pyarrow")


def machine() -> str:
    """Return the machine and the versions, as a sentence."""
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"{libraries}."
    )


def read(path: Path) -> dict[str, str]:
    """Return what is measured of each part that the page has."""
    text = path.read_text("utf-8") if path.exists() else ""
    found = {name: re.search(rf"<!-- {name} -->\n(.*?)<!-- end -->", text, re.S) for name in PARTS}
    return {name: part[1].strip("\n") for name, part in found.items() if part}


def write(path: Path, **measured: str) -> None:
    """Write parts of the page; the others stay."""
    parts = read(path) | measured
    texts = [
        f"{above}\n\n<!-- {name} -->\n\n{parts[name]}\n\n<!-- end -->\n"
        for name, above in PARTS.items()
        if name in parts
    ]
    path.write_text("\n".join(texts), "utf-8")
