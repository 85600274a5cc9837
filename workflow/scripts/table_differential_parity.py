"""Compare predictions and labels of one experiment. Input: summary. Output: tables."""

from fairpairs.reporting.predictions_and_labels import write_parity_table
from fairpairs.reporting.provenance import write_provenance
from fairpairs.reporting.reproduce import read_summaries
from fairpairs.scripting import run


def main() -> None:
    write_parity_table(
        read_summaries(snakemake.input.summary)[snakemake.wildcards.experiment],
        snakemake.output.tables[0],
        title=snakemake.params.title,
    )
    write_provenance(snakemake)


run(main, snakemake.log[0])
