"""Draw the rejections of all designs. Input: designs. Output: figures."""

from fairpairs.base.files import read_parts
from fairpairs.base.scripting import run
from fairpairs.papers.studies.calibration.figures import design_figure


def main() -> None:
    study = read_parts(snakemake.input.designs)
    design_figure(snakemake.output.figures[0], study, alpha=snakemake.params.alpha)


run(main, snakemake.log[0])
