"""Draw everyone who decided. Input: pairs, people, roles. Output: figures."""

from fairpairs.datasets.prepare import read_roles
from fairpairs.files import read_parquet
from fairpairs.reporting.differential_parity_figures import raters
from fairpairs.scripting import run


def main() -> None:
    raters(
        snakemake.output.figures[0],
        read_parquet(snakemake.input.pairs),
        read_parquet(snakemake.input.people),
        read_roles(snakemake.input.roles),
    )


run(main, snakemake.log[0])
