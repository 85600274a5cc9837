"""Run one design of the calibration study. Output: study."""

from fairpairs.experiments.calibration import calibrate
from fairpairs.files import write_parquet
from fairpairs.scripting import run


def main() -> None:
    params = snakemake.params
    study = calibrate(
        snakemake.wildcards.design,
        params.settings,
        classifiers=params.classifiers,
        seed=params.seed,
        alpha=params.alpha,
        **params.size,
    )
    write_parquet(snakemake.output.study, study)


run(main, snakemake.log[0])
