"""The page docs/reference/benchmarks.md: parts that are measured and written one by one."""

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
(`promises`, `growth`, `beside`). Everything runs on one core, but for DuckDB, which takes all.
Ratios are against a plain implementation (`benchmarks/plain.py`) in the same run: the median of 3
rounds. The command fails if no round keeps a promise.

DuckDB's scan reads the columns of an audit from the same Parquet file into Arrow batches
(`benchmarks/scan.py`). Its seconds are those of the query alone; those of an audit are of the whole
process. The microseconds of a row are a plain quotient, and the slope between two sizes, which
leaves out the start. `.venv/bin/python benchmarks/any_size.py --rows 1e8 1e9` measures larger
files, and `.venv/bin/python benchmarks/repeats.py --repeats 1e4 1e6` summaries of more repeats.""",
    "growth": """## How time and memory grow

Seconds, and the peak of the memory that the work itself allocates. A slope is that of a line
through all points on logarithmic axes, or of the last decade: 1 is proportional. Small sizes have
fixed costs, so slopes over all sizes are lower.

![Time and memory by the numbers of items and of repeats](benchmarks_growth.svg)""",
    "beside": """## Beside what a user would pick instead

The same results by other tools, each in a process of its own: seconds, those of FairPairs being 1,
and the peak memory of the process. The audits are of binary labels and decisions, with two
attributes and no score, from the start of the command to its end, with reading the Parquet file. A
tool whose rates (selection rate, TPR and FPR of every group) differ from those of FairPairs by more
than 10⁻¹² is an error. Only FairPairs and Aequitas test differences; Fairlearn's intervals, by
bootstraps, take many times as long as its rates and are left out. The other tools are installed in
an environment of their own, from `benchmarks/other-tools.txt`:

    make other-tools
    make benchmark ARGS="--only beside\"""",
}
#: Libraries that the speed depends on.
LIBRARIES = ("numpy", "pandas", "scipy", "scikit-learn", "pyarrow", "duckdb")


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
