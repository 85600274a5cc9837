"""Correlate estimators over regressors. Input: measures, probabilities. Output: tables, both."""

from pathlib import Path

from fairpairs.base.files import read_parquet, write_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.run.provenance import write_provenance
from fairpairs.papers.studies.density_ratio.regressor_tables import (
    cap_rows,
    regressor_correlations,
    write_regressor_tables,
)


def main() -> None:
    measures, probabilities = (
        {Path(file).stem: read_parquet(file) for file in files}
        for files in (snakemake.input.measures, snakemake.input.probabilities)
    )
    found, capped = regressor_correlations(measures), cap_rows(measures, probabilities)
    write_parquet(snakemake.output.correlations, found)
    write_parquet(snakemake.output.capped, capped)
    write_regressor_tables(measures, found, capped, Path(snakemake.output.table).parent)
    write_provenance(snakemake)


run(main, snakemake.log[0])
