"""Draw a study of bridges. Input: results, printed. Output: figures."""

from fairpairs.base.files import read_parts
from fairpairs.base.scripting import run
from fairpairs.papers.published.table import read_published
from fairpairs.papers.studies.differential_parity.bridge_summaries import (
    distributions,
    with_published,
)
from fairpairs.papers.studies.differential_parity.figures import bridges


def main() -> None:
    results = read_parts(snakemake.input.results)
    printed = read_published(snakemake.input.printed[0], snakemake.params.schema).cells
    cells = with_published(distributions(results), results, printed)
    bridges(snakemake.output.figures[0], cells)


run(main, snakemake.log[0])
