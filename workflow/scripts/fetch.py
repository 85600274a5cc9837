"""Fetch one raw file. Output: raw."""

import os

from fairpairs.base.scripting import run
from fairpairs.papers.datasets.fetch import fetch


def main() -> None:
    fetch(
        snakemake.params.source.entry,
        snakemake.output.raw,
        dataset=snakemake.wildcards.dataset,
        listed=next(iter(snakemake.input.listed), None),
        notice=snakemake.params.source.notice,
        mirrors=[*filter(None, os.environ["FAIRPAIRS_MIRROR"].split(os.pathsep))],
    )


run(main, snakemake.log[0])
