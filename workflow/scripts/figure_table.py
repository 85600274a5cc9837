"""Draw one table against the published one. Input: comparison. Output: figures."""

from fairpairs.base.files import read_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.display.figures import published_against_reproduced


def main() -> None:
    comparison = read_parquet(snakemake.input.comparison)
    published_against_reproduced(snakemake.output.figures[0], comparison)


run(main, snakemake.log[0])
