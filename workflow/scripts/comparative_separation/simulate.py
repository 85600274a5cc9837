"""Simulate known classifiers. Output: estimates, normality."""

from fairpairs.files import write_parquet
from fairpairs.output.provenance import write_provenance
from fairpairs.output.tables import write_table
from fairpairs.scripting import run
from fairpairs.studies.comparative_separation.simulation import normality, simulate


def main() -> None:
    params = snakemake.params
    estimates = simulate(params.settings, seed=params.seed, alpha=params.alpha)
    write_parquet(snakemake.output.estimates, estimates)
    write_table(snakemake.output.normality, normality(estimates))
    write_provenance(snakemake)


run(main, snakemake.log[0])
