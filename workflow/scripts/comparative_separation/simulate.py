"""Simulate known classifiers. Output: estimates, normality."""

from fairpairs.base.files import write_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.display.tables import write_table
from fairpairs.papers.run.provenance import write_provenance
from fairpairs.papers.studies.comparative_separation.simulation import normality, simulate


def main() -> None:
    params = snakemake.params
    estimates = simulate(params.settings, seed=params.seed, alpha=params.alpha)
    write_parquet(snakemake.output.estimates, estimates)
    write_table(snakemake.output.normality, normality(estimates))
    write_provenance(snakemake)


run(main, snakemake.log[0])
