"""Measure level, coverage and power of tools in worlds whose truth is known.

`make register` measures all of them for docs/explanation/register.md.
"""

import argparse
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd

from benchmarks.register.measure import measure, tools
from benchmarks.register.tables import gather, write
from benchmarks.register.worlds import REGISTER_WORLDS

SEED = 20260101
#: Data sets of slow tools.
FEWER = {"aequitas": 100, "evalci": 60, "evalstats": 24, "fairlearn": 24, "vfairness": 8}


def main() -> None:
    """Measure, and write levels.csv and levels.svg."""
    files = tools()
    parser = argparse.ArgumentParser("python -m benchmarks.register", description=__doc__)
    parser.add_argument(
        "tools", nargs="*", metavar="TOOL", choices=[[], *files], help="all, if none is named"
    )
    parser.add_argument(
        "--worlds", nargs="*", metavar="WORLD", choices=REGISTER_WORLDS, default=REGISTER_WORLDS
    )
    parser.add_argument(
        "--sets", type=int, default=400, help="data sets of each kind (%(default)s)"
    )
    parser.add_argument("--out", type=Path, default="build/register", help="folder (%(default)s)")
    options = parser.parse_args()

    def one(name: str) -> pd.DataFrame:
        sets = min(options.sets, FEWER.get(name, options.sets))
        rows = measure(files[name], options.worlds, sets, SEED)
        print(name, *rows.loc[rows["world"].isna(), "note"], flush=True)
        return rows

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = pd.concat(pool.map(one, options.tools or files), ignore_index=True)
    write(options.out, gather(rows))


if __name__ == "__main__":
    main()
