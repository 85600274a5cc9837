"""Draw what the treatments of an experiment did. Input: comparison. Output: figures."""

from fairpairs.base.scripting import run
from fairpairs.papers.display.treatments import read_treatments
from fairpairs.papers.display.treatments_figure import treatments_figure


def main() -> None:
    treatments_figure(snakemake.output.figures[0], read_treatments(snakemake.input.comparison))


run(main, snakemake.log[0])
