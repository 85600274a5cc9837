"""Draw level, coverage and power of all tests. Input: studies. Output: figures."""

from fairpairs.base.files import read_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.studies.calibration.figures import level_figure


def main() -> None:
    level_figure(snakemake.output.figures[0], map(read_parquet, snakemake.input.studies))


run(main, snakemake.log[0])
