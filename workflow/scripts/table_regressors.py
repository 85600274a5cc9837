"""Correlate estimators over regressors. Input: measures, probabilities. Output: tables, both."""

from pathlib import Path

import pandas as pd

from fairpairs.files import write_parquet
from fairpairs.reporting.regressors import (
    cap_rows,
    regressor_correlations,
    write_regressor_tables,
)
from fairpairs.scripting import run


def main() -> None:
    measures, probabilities = (
        {Path(file).stem: pd.read_parquet(file) for file in files}
        for files in (snakemake.input.measures, snakemake.input.probabilities)
    )
    found, capped = regressor_correlations(measures), cap_rows(measures, probabilities)
    output = snakemake.output
    write_parquet(output.correlations, found)
    write_parquet(output.capped, capped)
    stems = {
        "correlations": output.table,
        "conclusions": output.conclusions[0],
        "regressors": output.regressors[0],
        "caps": output.caps[0],
    }
    write_regressor_tables(measures, found, capped, stems)


run(main, snakemake.log[0])
