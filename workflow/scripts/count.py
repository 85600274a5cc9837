"""Count predictions by what an audit reads. Input: file. Output: counts."""

from pathlib import Path

from fairpairs.audits.counting.counts_file import count_files
from fairpairs.base.scripting import run


def main() -> None:
    count_files(
        [Path(snakemake.input.file)], Path(snakemake.output.counts), **snakemake.params.roles
    )


run(main, snakemake.log[0])
