"""Draw what all tests promise. Input: studies. Output: figures."""

from fairpairs.files import read_parquet
from fairpairs.levels.report import levels
from fairpairs.scripting import run


def main() -> None:
    levels(snakemake.output.figures[0], map(read_parquet, snakemake.input.studies))


run(main, snakemake.log[0])
