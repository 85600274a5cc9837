"""Summarise one experiment. Input: results. Output: summary, tables."""

import pandas as pd

from fairpairs.files import write_parquet
from fairpairs.reporting.summaries import summarise
from fairpairs.reporting.tables import write_experiment_table
from fairpairs.scripting import run


def main() -> None:
    summary = summarise(map(pd.read_parquet, snakemake.input.results))
    write_parquet(snakemake.output.summary, summary)
    write_experiment_table(summary, snakemake.output.tables[0], title=snakemake.params.title)


run(main, snakemake.log[0])
