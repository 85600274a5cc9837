"""Show everyone who decided. Input: pairs, people, roles. Output: tables, pairs."""

from fairpairs.base.files import read_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.datasets.prepared import read_roles
from fairpairs.papers.run.provenance import write_provenance
from fairpairs.papers.studies.differential_parity.rater_tables import write_rater_tables


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
