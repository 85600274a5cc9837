"""Simulate known classifiers. Output: estimates."""

from fairpairs.files import write_parquet
from fairpairs.scripting import run
from fairpairs.studies.comparative_separation.simulation import simulate


def main() -> None:
    params = snakemake.params
    estimates = simulate(params.settings, seed=params.seed, alpha=params.alpha)
    write_parquet(snakemake.output.estimates, estimates)


run(main, snakemake.log[0])
