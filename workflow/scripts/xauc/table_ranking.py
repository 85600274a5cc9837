"""Show the ranking of one experiment. Input: summary, roles. Output: tables."""

from fairpairs.base.scripting import run
from fairpairs.papers.datasets.prepared import read_roles
from fairpairs.papers.experiments.summaries import read_summaries
from fairpairs.papers.run.provenance import write_provenance
from fairpairs.papers.studies.xauc.tables import write_ranking_table


def main() -> None:
    write_ranking_table(
        read_summaries(snakemake.input.summary)[snakemake.wildcards.experiment],
        [read_roles(path) for path in snakemake.input.roles],
        snakemake.output.tables[0],
        title=snakemake.params.title,
    )
    write_provenance(snakemake)


run(main, snakemake.log[0])
