"""Correlate estimators of density ratios. Input: results. Output: correlations, tables."""

from fairpairs.base.files import read_parts, write_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.run.provenance import write_provenance
from fairpairs.papers.studies.density_ratio.synthetic_tables import (
    correlations,
    write_density_ratio_tables,
)


def main() -> None:
    results = read_parts(snakemake.input.results)
    found = correlations(results)
    write_parquet(snakemake.output.correlations, found)
    tables = snakemake.output.table, snakemake.output.estimators[0]
    write_density_ratio_tables(found, results, *tables)
    write_provenance(snakemake)


run(main, snakemake.log[0])
