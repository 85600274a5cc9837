"""Compare the asterisks of correlations. Input: published, correlations. Output: table."""

from fairpairs.base.files import read_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.published.table import read_published
from fairpairs.papers.run.provenance import write_provenance
from fairpairs.papers.studies.density_ratio.asterisks import asterisk_rows, write_asterisk_table


def main() -> None:
    published = [read_published(f, snakemake.params.schema) for f in snakemake.input.published]
    rows = asterisk_rows(
        {table.spec["table"]: table.cells for table in published},
        read_parquet(snakemake.input.correlations),
    )
    write_asterisk_table(rows, snakemake.output.table[0])
    write_provenance(snakemake)


run(main, snakemake.log[0])
