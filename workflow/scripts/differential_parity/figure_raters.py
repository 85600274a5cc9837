"""Draw everyone who decided. Input: pairs, people, roles. Output: figures."""

from fairpairs.datasets.prepared import read_roles
from fairpairs.files import read_parquet
from fairpairs.scripting import run
from fairpairs.studies.differential_parity.figures import raters


def main() -> None:
    raters(
        snakemake.output.figures[0],
        read_parquet(snakemake.input.pairs),
        read_parquet(snakemake.input.people),
        read_roles(snakemake.input.roles),
    )


run(main, snakemake.log[0])
