"""Draw the raw gap of a fair model by the shift of the labels. Output: figures."""

from fairpairs.base.scripting import run
from fairpairs.papers.studies.calibration.figures import gap_of_label_mix, label_mix


def main() -> None:
    label_mix(snakemake.output.figures[0], gap_of_label_mix)


run(main, snakemake.log[0])
