"""Measure the regressors of one data set. Input: predictions, table, roles. Output: both."""

from fairpairs.base.files import read_parquet, write_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.studies.density_ratio.regressors import (
    measure_regressors,
    stated_probabilities,
)


def main() -> None:
    predictions = read_parquet(snakemake.input.predictions)
    dataset = read_prepared(snakemake.input.table, snakemake.input.roles)
    params = snakemake.params
    measures = measure_regressors(
        predictions, dataset, caps=params.caps, permutations=params.permutations, seed=params.seed
    )
    write_parquet(snakemake.output.measures, measures)
    write_parquet(snakemake.output.probabilities, stated_probabilities(predictions, dataset))


run(main, snakemake.log[0])
