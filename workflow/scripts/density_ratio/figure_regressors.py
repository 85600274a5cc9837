"""Draw the measures of regressors. Input: measures, probabilities. Output: figures."""

from pathlib import Path

from fairpairs.base.files import read_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.studies.density_ratio.figures import regressors


def main() -> None:
    measures, probabilities = (
        {Path(file).stem: read_parquet(file) for file in files}
        for files in (snakemake.input.measures, snakemake.input.probabilities)
    )
    regressors(snakemake.output.figures[0], measures, probabilities)


run(main, snakemake.log[0])
