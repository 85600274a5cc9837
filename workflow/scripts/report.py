"""Write the report. Input: what it shows. Output: report."""

from fairpairs.report.report import write_report
from fairpairs.scripting import run


def main() -> None:
    write_report(
        snakemake.output.report,
        published=snakemake.input.published,
        schema=snakemake.params.schema,
        config=snakemake.params.config,
        experiments=snakemake.params.experiments,
        missing=snakemake.params.missing,
        datasets=snakemake.params.datasets,
        provenance=snakemake.input.provenance,
    )


run(main, snakemake.log[0])
