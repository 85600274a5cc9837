"""Show everyone who decided. Input: pairs, people, roles. Output: tables, pairs."""

from fairpairs.datasets.prepared import read_roles
from fairpairs.files import read_parquet
from fairpairs.output.provenance import write_provenance
from fairpairs.scripting import run
from fairpairs.studies.differential_parity.rater_tables import write_rater_tables


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
