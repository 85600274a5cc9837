"""Draw the raw gap where labels differ and separation holds. Output: figures."""

from fairpairs.experiments.calibration import gap_of_label_mix
from fairpairs.reporting.figures import label_mix
from fairpairs.scripting import run


def main() -> None:
    label_mix(snakemake.output.figures[0], gap_of_label_mix)


run(main, snakemake.log[0])
