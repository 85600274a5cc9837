"""Show a study of bridges. Input: results, printed, text. Output: cells, conclusions."""

from fairpairs.base.files import read_parts
from fairpairs.base.scripting import run
from fairpairs.papers.published.table import read_published
from fairpairs.papers.run.provenance import write_provenance
from fairpairs.papers.studies.differential_parity.bridge_tables import write_bridge_tables


def main() -> None:
    given, schema = snakemake.input, snakemake.params.schema
    write_bridge_tables(
        read_parts(given.results),
        read_published(given.printed[0], schema).cells,
        read_published(given.text[0], schema).cells,
        [snakemake.output.cells[0], snakemake.output.conclusions[0]],
        title=snakemake.params.title,
    )
    write_provenance(snakemake)


run(main, snakemake.log[0])
