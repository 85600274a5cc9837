"""Draw predictions against labels of one experiment. Input: summary. Output: figures."""

from fairpairs.reporting.differential_parity_figures import predictions_and_labels
from fairpairs.reporting.predictions_and_labels import parity_rows
from fairpairs.reporting.reproduce import read_summaries
from fairpairs.scripting import run


def main() -> None:
    summary = read_summaries(snakemake.input.summary)[snakemake.wildcards.experiment]
    predictions_and_labels(snakemake.output.figures[0], parity_rows(summary))


run(main, snakemake.log[0])
