"""Compare everyone who decided. Input: table, roles. Output: pairs, people."""

from fairpairs.base.files import write_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.studies.differential_parity.raters import compare_raters


def main() -> None:
    pairs, people = compare_raters(read_prepared(snakemake.input.table, snakemake.input.roles))
    write_parquet(snakemake.output.pairs, pairs)
    write_parquet(snakemake.output.people, people)


run(main, snakemake.log[0])
