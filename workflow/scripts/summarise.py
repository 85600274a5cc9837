"""Summarise one experiment. Input: results. Output: violations, estimates, tables."""

from fairpairs.base.files import write_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.display.tables import write_experiment_table
from fairpairs.papers.experiments.summaries import read_results, summarise
from fairpairs.papers.run.provenance import write_provenance


def main() -> None:
    violations, estimates = summarise(read_results(snakemake.input.results))
    write_parquet(snakemake.output.violations, violations)
    write_parquet(snakemake.output.estimates, estimates)
    stem = snakemake.output.tables[0]
    write_experiment_table(violations, estimates, stem, title=snakemake.params.title)
    write_provenance(snakemake)


run(main, snakemake.log[0])
