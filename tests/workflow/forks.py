"""Snakemake in forks of a process that has imported it: each test would wait seconds for that.

Nothing of FairPairs is imported before the fork, for a workflow brings its own package.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from pathlib import Path

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    [
        *("snakemake.cli", "grimp", "jsonschema", "matplotlib.figure", "pandas"),
        *("pyarrow.parquet", "requests", "scipy.optimize", "scipy.stats"),
    ]
)


def run_snakemake(arguments: list[str], environment: dict[str, str]) -> tuple[int, str, str]:
    """Run Snakemake; return its exit code, standard output and standard error."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("stdout", "stderr")]
        process = FORKS.Process(target=_snakemake, args=(arguments, environment, files))
        process.start()
        process.join()
        return process.exitcode, *(file.read_text("utf-8") for file in files)


def _snakemake(arguments: list[str], environment: dict[str, str], files: list[Path]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    for stream, path in zip((sys.stdout, sys.stderr), files, strict=True):
        with path.open("w") as file:
            os.dup2(file.fileno(), stream.fileno())
    from snakemake.cli import main

    sys.argv = ["snakemake", *arguments]
    main(arguments)
