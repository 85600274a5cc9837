"""Draw a study of bridges. Input: results, printed. Output: figures."""

import pandas as pd

from fairpairs.files import read_parquet
from fairpairs.reporting.differential_parity import distributions, with_published
from fairpairs.reporting.differential_parity_figures import bridges
from fairpairs.reporting.published import read_published
from fairpairs.scripting import run


def main() -> None:
    results = pd.concat(map(read_parquet, snakemake.input.results), ignore_index=True)
    printed = read_published(snakemake.input.printed, snakemake.params.schema).cells
    cells = with_published(distributions(results), results, printed)
    bridges(snakemake.output.figures[0], cells)


run(main, snakemake.log[0])
