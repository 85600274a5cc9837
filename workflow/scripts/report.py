"""Write the report. Input: what it shows. Output: report."""

from fairpairs.base.scripting import run
from fairpairs.papers.plan.experiment import Experiment
from fairpairs.papers.report.report import write_report


def main() -> None:
    params = snakemake.params
    write_report(
        snakemake.output.report,
        studies=params.studies,
        published=snakemake.input.published,
        schema=params.schema,
        config=params.config,
        experiments={name: Experiment.from_params(e) for name, e in params.experiments.items()},
        missing=params.missing,
        datasets=params.datasets,
        words=params.words,
        titles=params.titles,
        repeats=params.repeats,
        project_experiments=params.project_experiments,
        provenance=snakemake.input.provenance,
        first=params.first,
    )


run(main, snakemake.log[0])
