"""Draw all papers at a glance. Input: comparisons. Output: figures."""

import pandas as pd

from fairpairs.files import read_parquet
from fairpairs.output.comparison_figure import published_and_reproduced
from fairpairs.scripting import run


def main() -> None:
    cells = pd.concat(map(read_parquet, snakemake.input.comparisons), ignore_index=True)
    published_and_reproduced(snakemake.output.figures[0], cells)


run(main, snakemake.log[0])
