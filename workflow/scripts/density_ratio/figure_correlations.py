"""Draw how far classifiers agree on synthetic data. Input: table, published. Output: figures."""

from fairpairs.base.scripting import run
from fairpairs.papers.display.tables import read_table
from fairpairs.papers.published.table import read_published
from fairpairs.papers.studies.density_ratio.figures import correlations
from fairpairs.papers.studies.density_ratio.synthetic_tables import TEXT


def main() -> None:
    published = [read_published(f, snakemake.params.schema) for f in snakemake.input.published]
    correlations(
        snakemake.output.figures[0],
        read_table(snakemake.input.table, text=TEXT),
        [table.cells for table in published],
    )


run(main, snakemake.log[0])
