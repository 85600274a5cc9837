"""Draw how many judgments are needed. Output: figures."""

from fairpairs.base.scripting import run
from fairpairs.papers.studies.calibration.figures import power_curves


def main() -> None:
    power_curves(snakemake.output.figures[0], alpha=snakemake.params.alpha)


run(main, snakemake.log[0])
