"""Measure the predictions of an experiment. Input: predictions, prepared. Output: measures."""

from fairpairs.base.files import write_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.experiments.measures import measure_files


def main() -> None:
    measures = measure_files(
        snakemake.input.predictions,
        map(read_prepared, snakemake.input.prepared, snakemake.input.roles),
        measures=snakemake.params.measures,
        arms=snakemake.params.arms,
    )
    write_parquet(snakemake.output.measures, measures)


run(main, snakemake.log[0])
