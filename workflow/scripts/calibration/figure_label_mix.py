"""Draw the raw gap where labels differ and separation holds. Output: figures."""

from fairpairs.scripting import run
from fairpairs.studies.calibration.designs.figures import label_mix
from fairpairs.studies.calibration.designs.measure import gap_of_label_mix


def main() -> None:
    label_mix(snakemake.output.figures[0], gap_of_label_mix)


run(main, snakemake.log[0])
