"""Measure what the project promises about speed, and fail when a promise is broken.

Ratios are against plain implementations, in the same run.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import statistics
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from cases import COMMANDS, FIGURES, SIZES, Cases, audits
from plain import FUNCTIONS
from processes import FAIRPAIRS, run

#: Number of rounds of which the page has the median.
ROUNDS = 3
PAGE = Path(__file__).parents[1] / "docs/reference/benchmarks.md"
#: Libraries that the speed depends on.
LIBRARIES = ("numpy", "pandas", "scipy", "scikit-learn", "pyarrow", "duckdb")
#: A figure, its values by round, and its bound.
Measured = tuple[str, list[float], float]


def of_commands(some: Cases, rounds: int) -> Iterator[Measured]:
    """Yield the figures of commands that run in one folder."""
    names = [(case, figure) for case in some.cases for figure in case.bounds]
    values: dict[str, list[float]] = {f"{case.name}, {figure}": [] for case, figure in names}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, write in some.files.items():
            write(folder / file)
        for _ in range(rounds):
            (folder / "state").unlink(missing_ok=True)
            for case in some.cases:
                plain = run(*case.plain, folder=folder) if case.plain else None
                ran = run(*FAIRPAIRS, *case.words, folder=folder)
                for figure in case.bounds:
                    values[f"{case.name}, {figure}"].append(FIGURES[figure](ran, plain, folder))
    for case, figure in names:
        yield f"{case.name}, {figure}", values[f"{case.name}, {figure}"], case.bounds[figure]


def measured(rounds: int, sizes: Sequence[int] = SIZES, words: str = "") -> Iterator[Measured]:
    """Yield all figures, or those of cases with these words in their name."""
    for name, (bound, prepare) in FUNCTIONS.items():
        if words in name:
            work = prepare()
            yield name, [work() for _ in range(rounds)], bound
    for some in (*map(audits, sizes), *COMMANDS):
        if any(words in case.name for case in some.cases):
            yield from of_commands(some, rounds)


def promises(figures: Iterator[Measured], rounds: int) -> pd.DataFrame:
    """Return the table of the promises, each kept if the best round keeps its bound."""
    print(f"Median (lowest – highest) of {rounds} rounds", flush=True)
    rows = []
    for name, values, bound in figures:
        broken = "BROKEN" if min(values) > bound else ""
        spread = f"{min(values):,.3g} – {max(values):,.3g}"
        rows.append((name, f"{statistics.median(values):,.3g}", spread, f"≤ {bound:g}", broken))
        print("  {:70} {:>10} {:>20}  {} {}".format(*rows[-1]), flush=True)
    return pd.DataFrame(rows, columns=["what", "median", "lowest – highest", "promised", "broken"])


def machine() -> str:
    """Return the machine and the versions, as a sentence."""
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    python = platform.python_version()
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {python}, {libraries}."


def write(path: Path, table: pd.DataFrame, note: str) -> None:
    """Write the table as CSV beside the page, and in the page the note below it."""
    table.to_csv(path.with_suffix("") / "promises.csv", index=False)
    place = re.compile(r"(<!-- table of \S+/promises\.csv -->\n\n).+?(?=\n\n|\n?\Z)", re.S)
    words = textwrap.fill(note, 100, break_on_hyphens=False)
    path.write_text(place.sub(lambda found: found[1] + words, path.read_text("utf-8")), "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="the page needs the default")
    parser.add_argument(
        "--rows",
        type=float,
        nargs="+",
        default=SIZES,
        help="sizes of the audits of Parquet files; the page needs the default",
    )
    parser.add_argument("--only", default="", help="cases with this in their name")
    options = parser.parse_args()
    sizes = tuple(int(n) for n in options.rows)
    table = promises(measured(options.rounds, sizes, options.only), options.rounds)
    if (options.rounds, sizes, options.only) == (ROUNDS, SIZES, ""):
        write(PAGE, table, machine())
    return int(table["broken"].any())


if __name__ == "__main__":
    sys.exit(main())
