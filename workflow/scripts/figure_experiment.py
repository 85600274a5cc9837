"""Draw the summary of one experiment. Input: summary. Output: figures."""

from fairpairs.files import read_parquet
from fairpairs.output.figures import experiment_rates
from fairpairs.scripting import run


def main() -> None:
    experiment_rates(snakemake.output.figures[0], read_parquet(snakemake.input.summary))


run(main, snakemake.log[0])
