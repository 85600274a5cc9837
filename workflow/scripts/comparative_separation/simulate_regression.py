"""Compare items with pairs in regression. Output: table."""

from fairpairs.base.scripting import run
from fairpairs.papers.display.tables import write_table
from fairpairs.papers.run.provenance import write_provenance
from fairpairs.papers.studies.comparative_separation.pairs_in_regression import compare_sizes


def main() -> None:
    params = snakemake.params
    table = compare_sizes(params.settings, seed=params.seed, alpha=params.alpha)
    write_table(snakemake.output.table, table)
    write_provenance(snakemake)


run(main, snakemake.log[0])
