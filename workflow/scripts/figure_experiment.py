"""Draw the summary of one experiment. Input: summary. Output: figures."""

from fairpairs.base.files import read_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.display.figures import experiment_rates


def main() -> None:
    experiment_rates(snakemake.output.figures[0], read_parquet(snakemake.input.summary))


run(main, snakemake.log[0])
