"""Draw predictions against labels of one experiment. Input: summary. Output: figures."""

from fairpairs.base.scripting import run
from fairpairs.papers.experiments.summaries import read_summaries
from fairpairs.papers.studies.differential_parity.figures import predictions_and_labels
from fairpairs.papers.studies.differential_parity.predictions_and_labels import parity_rows


def main() -> None:
    summary = read_summaries(snakemake.input.summary)[snakemake.wildcards.experiment]
    predictions_and_labels(snakemake.output.figures[0], parity_rows(summary))


run(main, snakemake.log[0])
