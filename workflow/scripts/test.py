"""Test one chunk of kept predictions. Input: predictions, table, roles. Output: results."""

import pandas as pd

from fairpairs.datasets.prepare import read_prepared
from fairpairs.experiments.fairness_tests import Settings, run_test
from fairpairs.files import write_parquet
from fairpairs.scripting import run


def main() -> None:
    results = run_test(
        snakemake.wildcards.test,
        pd.read_parquet(snakemake.input.predictions),
        read_prepared(snakemake.input.table, snakemake.input.roles),
        treatment=snakemake.wildcards.treatment,
        settings=Settings(
            snakemake.params.seed,
            snakemake.params.alpha,
            snakemake.params.pairs_per_item,
            snakemake.params.draws,
        ),
    )
    write_parquet(snakemake.output.results, results)


run(main, snakemake.log[0])
