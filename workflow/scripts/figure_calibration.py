"""Draw the calibration study. Input: study. Output: figures."""

import pandas as pd

from fairpairs.reporting.figures import calibration
from fairpairs.scripting import run


def main() -> None:
    study = pd.read_csv(snakemake.input.study)
    calibration(snakemake.output.figures[0], study, alpha=snakemake.params.alpha)


run(main, snakemake.log[0])
