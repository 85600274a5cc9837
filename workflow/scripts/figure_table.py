"""Draw one table against the published one. Input: published, comparison. Output: figures."""

import pandas as pd

from fairpairs.reporting.figures import published_against_reproduced
from fairpairs.reporting.published import read_published
from fairpairs.scripting import run


def main() -> None:
    published = read_published(snakemake.input.published, snakemake.params.schema)
    comparison = pd.read_parquet(snakemake.input.comparison)
    published_against_reproduced(snakemake.output.figures[0], published, comparison)


run(main, snakemake.log[0])
