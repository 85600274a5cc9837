"""Compare measures of separation with the truth. Input: results. Output: table."""

from fairpairs.base.files import read_parts
from fairpairs.base.scripting import run
from fairpairs.papers.run.provenance import write_provenance
from fairpairs.papers.studies.density_ratio.known_separation_tables import (
    write_known_separation_table,
)


def main() -> None:
    results = read_parts(snakemake.input.results)
    write_known_separation_table(results, snakemake.output.table[0], alpha=snakemake.params.alpha)
    write_provenance(snakemake)


run(main, snakemake.log[0])
