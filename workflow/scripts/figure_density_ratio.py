"""Draw synthetic data of density ratios. Output: figures."""

from fairpairs.reporting.density_ratio_figures import synthetic
from fairpairs.scripting import run


def main() -> None:
    params = snakemake.params
    synthetic(snakemake.output.figures[0], params.settings, seed=params.seed)


run(main, snakemake.log[0])
