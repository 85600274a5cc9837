"""Measure what every test promises, on data whose truth is known: level, coverage, power, margin.

`make calibration` measures all of it for docs/explanation/calibration.md. Each part prints a row
for each world and promise; levels.csv has all of them, worst.csv the worst of each part.
"""

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"  # each process has one core

import pandas as pd

from benchmarks.levels.parts import PARTS
from benchmarks.levels.tables import with_error, write_tables

SEED = 20260101


def measure(part, sets=None):
    """Return the promises of a part: a row for each world, kind of promise and what was counted.

    `promised` is the highest level, or the lowest coverage or power (NaN without a promise);
    `bound` is the one-sided 99 % bound in favour of the test.
    """
    return pd.DataFrame(
        {
            "test": part, "case": case, "promise": row.kind, "of": row.of, "noted": row.noted,
            "promised": row.promised, "measured": row.rate, "standard_error": row.error,
            "bound": row.bound, "sets": row.sets, "kept": not row.broken,
        }
        for case, row in PARTS[part].measured(sets, SEED)
    )  # fmt: skip


def main() -> None:
    """Measure, print and write tables."""
    parser = argparse.ArgumentParser("python -m benchmarks.levels", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", choices=[[], *PARTS],
                        help=f"all, if none is named: {', '.join(PARTS)}")  # fmt: skip
    parser.add_argument("--sets", type=int, help="data sets of each kind (those of each part)")
    parser.add_argument("--out", type=Path, default="build/levels", help="folder (%(default)s)")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    tables, parts = [], options.parts or PARTS
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for table in pool.map(partial(measure, sets=options.sets), parts):
            for row in table.itertuples():
                number = with_error(row.measured, row.standard_error)
                words = row.test, row.case, f"{row.promise} of {row.of}", number
                print(*words, sep=" | ", flush=True)
            tables.append(table)
    write_tables(pd.concat(tables, ignore_index=True), options.out)


if __name__ == "__main__":
    main()
