"""Measure level and coverage of one test, or the planned power. Output: study."""

from fairpairs.base.files import write_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.studies.calibration.levels.measure import measure_levels


def main() -> None:
    params = snakemake.params
    study = measure_levels(
        snakemake.wildcards.test, repeats=params.repeats, seed=params.seed, alpha=params.alpha
    )
    write_parquet(snakemake.output.study, study)


run(main, snakemake.log[0])
