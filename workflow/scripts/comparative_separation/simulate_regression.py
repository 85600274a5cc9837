"""Compare items with pairs in regression. Output: table."""

from fairpairs.output.provenance import write_provenance
from fairpairs.output.tables import write_table
from fairpairs.scripting import run
from fairpairs.studies.comparative_separation.pairs_in_regression import compare_sizes


def main() -> None:
    params = snakemake.params
    table = compare_sizes(params.settings, seed=params.seed, alpha=params.alpha)
    write_table(snakemake.output.table, table)
    write_provenance(snakemake)


run(main, snakemake.log[0])
