"""Simulate one design. Output: study."""

from fairpairs.base.files import write_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.studies.calibration.measure import measure_design


def main() -> None:
    params = snakemake.params
    study = measure_design(
        snakemake.wildcards.design,
        params.settings,
        classifiers=params.classifiers,
        **params.size,
        seed=params.seed,
        alpha=params.alpha,
    )
    write_parquet(snakemake.output.study, study)


run(main, snakemake.log[0])
