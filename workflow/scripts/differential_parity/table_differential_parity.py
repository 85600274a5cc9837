"""Compare predictions and labels of one experiment. Input: summary. Output: tables."""

from fairpairs.base.scripting import run
from fairpairs.papers.experiments.summaries import read_summaries
from fairpairs.papers.run.provenance import write_provenance
from fairpairs.papers.studies.differential_parity.predictions_and_labels import write_parity_table


def main() -> None:
    write_parity_table(
        read_summaries(snakemake.input.summary)[snakemake.wildcards.experiment],
        snakemake.output.tables[0],
        title=snakemake.params.title,
    )
    write_provenance(snakemake)


run(main, snakemake.log[0])
