"""Draw how many judgments are needed. Output: figures."""

from fairpairs.reporting.figures import power_curves
from fairpairs.scripting import run


def main() -> None:
    power_curves(snakemake.output.figures[0], alpha=snakemake.params.alpha)


run(main, snakemake.log[0])
