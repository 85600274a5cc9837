"""The page docs/reference/benchmarks.md: tables that are measured and written one by one."""

from __future__ import annotations

import os
import platform
import re
import textwrap
from importlib.metadata import version
from pathlib import Path

import pandas as pd

PARTS = ("promises", "growth", "beside")
#: Libraries that the speed depends on.
LIBRARIES = ("numpy", "pandas", "scipy", "scikit-learn", "pyarrow", "duckdb")


def machine() -> str:
    """Return the machine and the versions, as a sentence."""
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"{libraries}."
    )


def write(path: Path, part: str, table: pd.DataFrame, note: str) -> None:
    """Write a part: its table as CSV beside the page, and in the page the note below it."""
    table.to_csv(path.with_suffix("") / f"{part}.csv", index=False)
    place = re.compile(rf"(<!-- table of \S+/{part}\.csv -->\n\n).+?(?=\n\n|\n?\Z)", re.S)
    words = textwrap.fill(note, 100, break_on_hyphens=False)
    path.write_text(place.sub(lambda found: found[1] + words, path.read_text("utf-8")), "utf-8")
