"""Draw the measures of regressors. Input: measures. Output: figures."""

from pathlib import Path

import pandas as pd

from fairpairs.reporting.density_ratio_figures import regressors
from fairpairs.scripting import run


def main() -> None:
    measures = {Path(file).stem: pd.read_parquet(file) for file in snakemake.input.measures}
    regressors(snakemake.output.figures[0], measures)


run(main, snakemake.log[0])
