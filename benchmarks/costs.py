"""Print what a finished run cost, from the benchmark files of its jobs (docs/how-to/cluster.md)."""

import argparse
from pathlib import Path

import pandas as pd
from tabulate import tabulate

#: A rule below this share of all core-seconds is shown with the others like it.
LEAST_SHARE = 0.01


def costs(folder: Path) -> pd.DataFrame:
    """Return the `jobs`, `core_seconds` and `largest_mb` of each rule, the most costly first.

    The benchmark files are `logs/<rule>/….tsv`. They hold the start of Python and its imports.
    """
    files = sorted((folder / "logs").rglob("*.tsv"))
    if not files:
        raise FileNotFoundError(
            f"{folder / 'logs'}: no benchmark files: run `make reproduce` first"
        )
    rows = [
        {
            "rule": file.relative_to(folder / "logs").parts[0].removesuffix(".tsv"),
            **pd.read_csv(file, sep="\t", na_values="-").iloc[0][["cpu_time", "max_rss"]],
        }
        for file in files
    ]
    rules = pd.DataFrame(rows).groupby("rule")
    found = rules.agg(jobs=("rule", "size"), core_seconds=("cpu_time", "sum"),
                      largest_mb=("max_rss", "max"))  # fmt: skip
    return found.sort_values("core_seconds", ascending=False)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), help="folder of the run")
    found = costs(parser.parse_args().folder)
    total = found["core_seconds"].sum()
    small = found["core_seconds"] < LEAST_SHARE * total
    parts = [(rule, found.loc[[rule]]) for rule in found.index[~small]]
    parts += [(", ".join(found.index[small]), found[small])] if small.any() else []
    rows = [
        (
            name,
            part["jobs"].sum(),
            part["core_seconds"].sum(),
            f"{part['largest_mb'].max():,.0f} MB",
        )
        for name, part in [*parts, ("all of these", found)]
    ]
    headers = ["rule", "jobs", "core-seconds", "largest memory"]
    print(tabulate(rows, headers, tablefmt="github", floatfmt=",.0f", intfmt=","))


if __name__ == "__main__":
    main()
