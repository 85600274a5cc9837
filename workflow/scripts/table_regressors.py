"""Correlate estimators over regressors. Input: measures. Output: correlations and tables."""

from pathlib import Path

import pandas as pd

from fairpairs.files import write_parquet
from fairpairs.reporting.density_ratio import regressor_correlations, write_regressor_tables
from fairpairs.reporting.provenance import write_provenance
from fairpairs.scripting import run


def main() -> None:
    measures = {Path(file).stem: pd.read_parquet(file) for file in snakemake.input.measures}
    found = regressor_correlations(measures)
    write_parquet(snakemake.output.correlations, found)
    output = snakemake.output
    stems = {
        "correlations": output.table,
        "conclusions": output.conclusions[0],
        "regressors": output.regressors[0],
    }
    write_regressor_tables(measures, found, stems)
    write_provenance(snakemake)


run(main, snakemake.log[0])
