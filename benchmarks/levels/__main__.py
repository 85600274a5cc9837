"""Measure what every test promises, on data whose truth is known: level, coverage, power, margin.

`make calibration` measures all of it for docs/explanation/calibration.md.
"""

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"  # each process has one core

import pandas as pd

from benchmarks.levels import figures
from benchmarks.levels.designs import DESIGNS, measure_named, write_design_tables
from benchmarks.levels.measure import PARTS, SEED, measure
from benchmarks.levels.tables import worst_first, write_level_tables


def _measured(name: str, most: int | None) -> pd.DataFrame:
    return (measure if name in PARTS else measure_named)(name, most, SEED)


def main() -> None:
    """Measure, and write tables and four figures."""
    parser = argparse.ArgumentParser("python -m benchmarks.levels", description=__doc__)
    names = [*PARTS, *DESIGNS]
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *names],
                        help="a test, a part or a design (all)")  # fmt: skip
    parser.add_argument("--sets", type=int, help="data sets of each kind, at most")
    parser.add_argument("--out", type=Path, default="build/levels", help="folder (%(default)s)")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    chosen = options.names or names
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = dict(
            zip(chosen, pool.map(partial(_measured, most=options.sets), chosen), strict=True)
        )
    if levels := [found[name] for name in PARTS if name in found]:
        study = worst_first(pd.concat(levels, ignore_index=True))
        write_level_tables(study, options.out)
        figures.level_figure(options.out / "levels.svg", study)
    if designs := [found[name] for name in DESIGNS if name in found]:
        study = pd.concat(designs, ignore_index=True)
        write_design_tables(study, options.out)
        figures.design_figure(options.out / "rejections.svg", study)
    figures.label_mix(options.out / "label_mix.svg")
    figures.power_curves(options.out / "power.svg")


if __name__ == "__main__":
    main()
