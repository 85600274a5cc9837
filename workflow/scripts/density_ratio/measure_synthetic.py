"""Measure synthetic data sets by density ratios. Output: results."""

from fairpairs.base.files import write_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.studies.density_ratio.synthetic import synthetic_study


def main() -> None:
    params = snakemake.params
    results = synthetic_study(params.settings, repeats=params.repeats, seed=params.seed)
    write_parquet(snakemake.output.results, results)


run(main, snakemake.log[0])
