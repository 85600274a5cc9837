"""Measure regressions of known separation. Output: results."""

from fairpairs.files import write_parquet
from fairpairs.scripting import run
from fairpairs.studies.density_ratio.known_separation import known_separation_study


def main() -> None:
    params = snakemake.params
    results = known_separation_study(params.settings, repeats=params.repeats, seed=params.seed)
    write_parquet(snakemake.output.results, results)


run(main, snakemake.log[0])
