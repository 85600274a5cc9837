"""Draw the rejections of all designs. Input: designs. Output: figures."""

import pandas as pd

from fairpairs.files import read_parquet
from fairpairs.scripting import run
from fairpairs.studies.calibration.designs.figures import design_figure


def main() -> None:
    study = pd.concat(map(read_parquet, snakemake.input.designs), ignore_index=True)
    design_figure(snakemake.output.figures[0], study, alpha=snakemake.params.alpha)


run(main, snakemake.log[0])
