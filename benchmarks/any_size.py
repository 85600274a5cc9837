"""The command `fairpairs audit` on Parquet files of any size: seconds, memory, seconds of a row.

By hand, `python benchmarks/any_size.py --rows 1e6 1e7 1e8` prints a table. The files are made in
the folder for temporary files, 13 bytes a row (2 with `--digits 3`), and removed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from items import OPTIONS, write_items
from measure import promises
from processes import FAIRPAIRS, run

SCAN = Path(__file__).parent / "scan.py"
#: The first is the largest that is audited in memory.
SIZES = (10**6, 2 * 10**6, 10**7)
#: What is audited → the options, and the columns that these read.
AUDITS = {
    "decisions": (OPTIONS, ["y", "yhat", "sex", "race"]),
    "scores too": ([*OPTIONS, "--score", "score"], ["y", "yhat", "sex", "race", "score"]),
}


@dataclass(frozen=True)
class Audited:
    """An audit of n rows: seconds of the process, its peak in MB, and seconds of one scan."""

    n: int
    what: str
    seconds: float
    peak: float
    scan: float

    def micros(self, smaller: Audited | None = None) -> float:
        """Microseconds of a row; with a smaller audit, of each row that it lacks."""
        if smaller is None:
            return self.seconds / self.n * 1e6
        return (self.seconds - smaller.seconds) / (self.n - smaller.n) * 1e6


def audited(sizes: Sequence[int], digits: int | None = None) -> Iterator[Audited]:
    """Audit a file of each size, decisions alone and with scores, of so many digits."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "predictions.parquet")
        for n in sizes:
            write_items(path, n, digits)
            for what, (options, columns) in AUDITS.items():
                scan = run(sys.executable, SCAN, path, *columns)
                audit = run(*FAIRPAIRS, "audit", path, *options)
                yield Audited(n, what, audit.seconds, audit.peak, scan.answer["seconds"])


@promises(
    ("Audit of 10⁶ rows of Parquet, decisions, seconds", 3.0),
    ("Audit of 10⁶ rows of Parquet, scores too, seconds", 5.0),
    ("Audit of 10⁷ rows of Parquet, decisions, seconds", 4.0),
    ("Audit of 10⁷ rows of Parquet, scores too, seconds", 12.0),
    ("Audit of 10⁷ rows, decisions / DuckDB's scan", 25.0),
    ("Audit of 10⁷ rows, scores too / DuckDB's scan", 50.0),
    ("Audit of 10⁷ rows, decisions, peak MB", 1000.0),
    ("Audit of 10⁷ rows, scores too, peak MB", 1000.0),
    ("µs of a row, decisions, 10⁷ rows", 0.4),
    ("µs of a row, decisions, slope from 2·10⁶ to 10⁷", 0.3),
    ("µs of a row, scores too, 10⁷ rows", 1.2),
    ("µs of a row, scores too, slope from 2·10⁶ to 10⁷", 1.2),
    ("Slope of decisions / slope of DuckDB's scan", 6.0),
    ("Slope with scores / slope of DuckDB's scan", 30.0),
)
def any_size(rounds: int) -> tuple[list[float], ...]:
    """Whole processes with reading the file; the scan is a query alone, of the same columns."""
    by_size = list(zip(*(list(audited(SIZES)) for _ in range(rounds)), strict=True))
    (in_memory, in_memory_scored), middle, large = by_size[:2], by_size[2:4], by_size[4:]
    return (
        *([a.seconds for a in audits] for audits in (in_memory, in_memory_scored, *large)),
        *([a.seconds / a.scan for a in audits] for audits in large),
        *([a.peak for a in audits] for audits in large),
        *(
            [a.micros(b) for a, b in zip(audits, smaller, strict=True)]
            for audits, less in zip(large, middle, strict=True)
            for smaller in ([None] * rounds, less)
        ),
        *(
            [(a.seconds - b.seconds) / (a.scan - b.scan) for a, b in zip(audits, less, strict=True)]
            for audits, less in zip(large, middle, strict=True)
        ),
    )


def table(rounds: Sequence[Sequence[Audited]]) -> str:
    """Return the medians of each size as a table; slopes are from the size before."""
    rows: list[tuple[str, ...]] = []
    before: dict[str, Audited] = {}
    for audits in zip(*rounds, strict=True):
        middle = [statistics.median(getattr(a, name) for a in audits) for name in FIGURES]
        audit = Audited(audits[0].n, audits[0].what, *middle)
        smaller = before.get(audit.what)
        rows.append(
            (
                f"{audit.n:,}",
                audit.what,
                f"{audit.seconds:,.3g}",
                f"{audit.peak:,.0f}",
                f"{audit.scan:,.3g}",
                f"{audit.seconds / audit.scan:,.3g}",
                f"{audit.micros():.3g}",
                f"{audit.micros(smaller):.3g}" if smaller else "",
            )
        )
        before[audit.what] = audit
    return str(pd.DataFrame(rows, columns=COLUMNS).to_markdown(index=False, disable_numparse=True))


FIGURES = ("seconds", "peak", "scan")
COLUMNS = ["rows", "of", "seconds", "peak MB", "scan, seconds", "audit / scan", "µs a row",
           "µs of each more row"]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--rows", type=float, nargs="+", default=SIZES, help="sizes, from small to large"
    )
    parser.add_argument("--digits", type=int, help="round the scores")
    parser.add_argument("--rounds", type=int, default=1, help="the table has the medians")
    options = parser.parse_args()
    sizes = [int(n) for n in options.rows]
    print(table([list(audited(sizes, options.digits)) for _ in range(options.rounds)]))


if __name__ == "__main__":
    main()
