"""Show gaps, compare asterisks. Input: effects, gaps, published. Output: gaps, asterisks."""

from fairpairs.base.files import read_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.display.tables import write_table
from fairpairs.papers.published.table import read_published
from fairpairs.papers.run.provenance import write_provenance
from fairpairs.papers.studies.rejected_dialects.tables import (
    asterisk_rows,
    asterisks_display,
    gaps_display,
)


def main() -> None:
    gaps = read_parquet(snakemake.input.gaps)
    write_table(snakemake.output.gaps[0], gaps, gaps_display(gaps))
    published = [read_published(f, snakemake.params.schema) for f in snakemake.input.published]
    rows = asterisk_rows(published, read_parquet(snakemake.input.effects))
    write_table(snakemake.output.asterisks[0], rows, asterisks_display(rows))
    write_provenance(snakemake)


run(main, snakemake.log[0])
