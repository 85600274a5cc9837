"""Measure regressions of known separation. Output: results."""

from fairpairs.base.files import write_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.studies.density_ratio.known_separation import known_separation_study


def main() -> None:
    params = snakemake.params
    results = known_separation_study(params.settings, repeats=params.repeats, seed=params.seed)
    write_parquet(snakemake.output.results, results)


run(main, snakemake.log[0])
