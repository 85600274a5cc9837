"""Test one chunk of predictions. Input: predictions, table, roles, extensions. Output: results."""

from fairpairs.base.files import read_parquet, write_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.experiments.predictions import Settings
from fairpairs.papers.experiments.testing import run_tests


def main() -> None:
    results = run_tests(
        snakemake.params.tests,
        read_parquet(snakemake.input.predictions),
        read_prepared(snakemake.input.table, snakemake.input.roles),
        treatment=snakemake.wildcards.treatment,
        settings=Settings(
            snakemake.params.seed,
            snakemake.params.alpha,
            snakemake.params.pairs_per_item,
            snakemake.params.draws,
        ),
        extensions=snakemake.input.extensions,
    )
    write_parquet(snakemake.output.results, results)


run(main, snakemake.log[0])
