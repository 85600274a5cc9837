"""Draw the differences between groups of one experiment. Input: summary. Output: figures."""

from fairpairs.reporting.ranking import ranking_rows
from fairpairs.reporting.ranking_figures import forest
from fairpairs.reporting.reproduce import read_summaries
from fairpairs.scripting import run


def main() -> None:
    summary = read_summaries(snakemake.input.summary)[snakemake.wildcards.experiment]
    forest(snakemake.output.figures[0], ranking_rows(summary))


run(main, snakemake.log[0])
