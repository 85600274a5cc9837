"""Measure what the project promises about speed, and fail when a promise is broken.

Ratios are against benchmarks/plain.py, measured in the same run, on one core. Prepared data is used
if there is any (`make reproduce`), and synthetic data otherwise.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import statistics
import sys

from measure import MEASUREMENTS, ROOT, Promise, prepared_datasets  # isort: skip

import audit  # noqa: F401  (registers its promises, as the next three)
import fairness  # noqa: F401
import kernels  # noqa: F401
import pandas as pd
import training  # noqa: F401

#: Number of rounds of which the page has the median.
ROUNDS = 3


def row(promise: Promise, values: list[float]) -> tuple[str, ...]:
    """Return the line of a table: name, median, range, promise, and whether it is broken."""
    return (
        promise.name,
        f"{statistics.median(values):,.3g}",
        f"{min(values):,.3g} – {max(values):,.3g}",
        f"{promise.sign} {promise.bound:g}",
        "" if promise.is_kept(values) else "BROKEN",
    )


def write_page(rows: list[tuple[str, ...]], datasets: str) -> None:
    """Write docs/benchmarks.md."""
    table = pd.DataFrame(rows, columns=["what", "median", "lowest – highest", "promised", ""])
    heading = (
        "# Benchmarks\n\n`make benchmark` writes this page. It measures the speed as ratios "
        "against a plain implementation\n(`benchmarks/plain.py`) in the same run, on one core: "
        f"the median of {ROUNDS} rounds. It fails if no\nround keeps a promise.\n\n"
        f"Data: {datasets}. {platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}.\n\n"
    )
    body = table.to_markdown(index=False, disable_numparse=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    text = f"{heading}{body}\n\nPeak memory of this process: {peak:,.0f} MB.\n"
    (ROOT / "docs/benchmarks.md").write_text(text, "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="the page needs the default")
    parser.add_argument("--only", default="", help="measure the promises with this in their name")
    options = parser.parse_args()
    datasets = ", ".join(dataset.name for dataset in prepared_datasets("compas", "german"))
    print(f"Median (lowest – highest) of {options.rounds} rounds; data: {datasets}", flush=True)
    rows = []
    for measure, promises in MEASUREMENTS:
        if not any(options.only.lower() in promise.name.lower() for promise in promises):
            continue
        figures = measure(options.rounds)
        if figures is None:
            print(f"  {promises[0].name}: not measured: its model or its data is missing")
            continue
        for promise, values in zip(promises, figures, strict=True):
            rows.append(row(promise, list(values)))
            name, median, spread, bound, broken = rows[-1]
            print(f"  {name:58} {median:>10} {spread:>20}  {bound} {broken}", flush=True)
    if options.rounds == ROUNDS and not options.only:
        write_page(rows, datasets)
    return int(any(broken for *_, broken in rows))


if __name__ == "__main__":
    sys.exit(main())
