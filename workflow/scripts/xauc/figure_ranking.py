"""Draw the differences between groups of one experiment. Input: summary, roles. Output: figures."""

from fairpairs.base.scripting import run
from fairpairs.papers.datasets.prepared import read_roles
from fairpairs.papers.experiments.summaries import read_summaries
from fairpairs.papers.studies.xauc.figures import forest, group_names
from fairpairs.papers.studies.xauc.tables import ranking_rows


def main() -> None:
    summary = read_summaries(snakemake.input.summary)[snakemake.wildcards.experiment]
    names = group_names([read_roles(path) for path in snakemake.input.roles])
    forest(snakemake.output.figures[0], ranking_rows(summary), names)


run(main, snakemake.log[0])
