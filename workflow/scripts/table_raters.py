"""Show everyone who decided. Input: pairs, people, roles. Output: tables, pairs."""

from fairpairs.datasets.prepare import read_roles
from fairpairs.files import read_parquet
from fairpairs.reporting.provenance import write_provenance
from fairpairs.reporting.raters import write_rater_tables
from fairpairs.scripting import run


def main() -> None:
    write_rater_tables(
        read_parquet(snakemake.input.pairs),
        read_parquet(snakemake.input.people),
        read_roles(snakemake.input.roles),
        snakemake.output.tables[0],
        snakemake.output.pairs,
    )
    write_provenance(snakemake)


run(main, snakemake.log[0])
