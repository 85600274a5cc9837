"""Measure what the project promises about speed, and fail when a promise is broken.

Ratios are against the plain implementations of benchmarks/plain.py, in the same run. Two more parts
of the page are not promises: how time and memory grow, and what other tools take.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Mapping, Sequence

import any_size  # noqa: F401  (registers its promises, as commands and repeats do)
import beside
import commands  # noqa: F401
import growth
import page
import pandas as pd
import plain  # noqa: F401
import repeats  # noqa: F401
from measure import MEASUREMENTS, ROOT, Promise

#: Number of rounds of which the page has the median.
ROUNDS = 3
PAGE = ROOT / "docs/reference/benchmarks.md"


def row(promise: Promise, values: list[float]) -> tuple[str, ...]:
    """Return the line of a table: name, median, range, promise, and whether it is broken."""
    return (
        promise.name,
        f"{statistics.median(values):,.3g}",
        f"{min(values):,.3g} – {max(values):,.3g}",
        f"≤ {promise.bound:g}",
        "" if promise.is_kept(values) else "BROKEN",
    )


def promised(rounds: int, words: str = "") -> pd.DataFrame:
    """Measure the promises with these words in their name; return their table."""
    print(f"Median (lowest – highest) of {rounds} rounds", flush=True)
    rows = []
    for measure, promises in MEASUREMENTS:
        if not any(words.lower() in promise.name.lower() for promise in promises):
            continue
        for promise, values in zip(promises, measure(rounds), strict=True):
            rows.append(row(promise, list(values)))
            name, median, spread, bound, broken = rows[-1]
            print(f"  {name:58} {median:>10} {spread:>20}  {bound} {broken}", flush=True)
    return pd.DataFrame(rows, columns=["what", "median", "lowest – highest", "promised", "broken"])


def growth_part(sizes: Mapping[str, Sequence[int]], *, keep: bool) -> pd.DataFrame:
    """Return the table of the growth; its figure is kept, too."""
    growths = growth.measure(sizes)
    if keep:
        (PAGE.parent / "benchmarks_growth.svg").write_bytes(growth.figure(growths))
    return growth.table(growths)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="the page needs the default")
    parser.add_argument(
        "--only", default="",
        help=f"one part of the page ({', '.join(page.PARTS)}), or promises with this in their name",
    )  # fmt: skip
    options = parser.parse_args()
    if options.only and options.only not in page.PARTS:
        return int(promised(options.rounds, options.only)["broken"].any())
    kept, keep = True, options.rounds == ROUNDS
    for part in [options.only] if options.only else page.PARTS:
        print(f"{part}:", flush=True)
        if part == "promises":
            table = promised(options.rounds)
            kept = not table["broken"].any()
        elif part == "growth":
            table = growth_part(growth.SIZES, keep=keep)
        else:
            table = beside.table(beside.measure(options.rounds))
            print(table.to_string(index=False))
        if keep:
            page.write(PAGE, part, table, page.machine())
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
