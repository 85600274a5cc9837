"""Draw one table against the published one. Input: comparison. Output: figures."""

from fairpairs.files import read_parquet
from fairpairs.output.figures import published_against_reproduced
from fairpairs.scripting import run


def main() -> None:
    comparison = read_parquet(snakemake.input.comparison)
    published_against_reproduced(snakemake.output.figures[0], comparison)


run(main, snakemake.log[0])
