"""Draw synthetic data of density ratios. Output: figures."""

from fairpairs.base.scripting import run
from fairpairs.papers.studies.density_ratio.figures import synthetic


def main() -> None:
    params = snakemake.params
    synthetic(snakemake.output.figures[0], params.settings, seed=params.seed)


run(main, snakemake.log[0])
