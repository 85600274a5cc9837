"""Fit regressors on one data set. Input: table, roles. Output: predictions."""

from fairpairs.base.files import write_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.studies.density_ratio.regressors import train_regressors


def main() -> None:
    params = snakemake.params
    predictions = train_regressors(
        read_prepared(snakemake.input.table, snakemake.input.roles),
        params.regressors,
        test_fraction=params.test_fraction,
        seed=params.seed,
    )
    write_parquet(snakemake.output.predictions, predictions)


run(main, snakemake.log[0])
