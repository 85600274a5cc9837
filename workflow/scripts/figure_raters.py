"""Draw everyone who decided. Input: pairs, people, roles. Output: figures."""

import pandas as pd

from fairpairs.datasets.prepare import read_roles
from fairpairs.reporting.differential_parity_figures import raters
from fairpairs.scripting import run


def main() -> None:
    raters(
        snakemake.output.figures[0],
        pd.read_parquet(snakemake.input.pairs),
        pd.read_parquet(snakemake.input.people),
        read_roles(snakemake.input.roles),
    )


run(main, snakemake.log[0])
