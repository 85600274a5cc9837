"""Draw everyone who decided. Input: pairs, people, roles. Output: figures."""

from fairpairs.base.files import read_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.datasets.prepared import read_roles
from fairpairs.papers.studies.differential_parity.figures import raters


def main() -> None:
    raters(
        snakemake.output.figures[0],
        read_parquet(snakemake.input.pairs),
        read_parquet(snakemake.input.people),
        read_roles(snakemake.input.roles),
    )


run(main, snakemake.log[0])
