"""Draw the differences between groups of one experiment. Input: summary. Output: figures."""

from fairpairs.experiments.summaries import read_summaries
from fairpairs.scripting import run
from fairpairs.studies.xauc.figures import forest
from fairpairs.studies.xauc.tables import ranking_rows


def main() -> None:
    summary = read_summaries(snakemake.input.summary)[snakemake.wildcards.experiment]
    forest(snakemake.output.figures[0], ranking_rows(summary))


run(main, snakemake.log[0])
