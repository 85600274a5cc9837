"""Measure the regressors of one data set. Input: predictions, table, roles. Output: measures."""

import pandas as pd

from fairpairs.datasets.prepare import read_prepared
from fairpairs.experiments.regressor_study import measure_regressors
from fairpairs.files import write_parquet
from fairpairs.scripting import run


def main() -> None:
    measures = measure_regressors(
        pd.read_parquet(snakemake.input.predictions),
        read_prepared(snakemake.input.table, snakemake.input.roles),
        caps=snakemake.params.caps,
    )
    write_parquet(snakemake.output.measures, measures)


run(main, snakemake.log[0])
