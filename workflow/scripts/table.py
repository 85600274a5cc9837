"""Compare a table with the published one. Input: published, printed, source. Output: both."""

from pathlib import Path

from fairpairs.base.files import write_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.display.tables import write_comparison_table
from fairpairs.papers.published.table import read_published
from fairpairs.papers.run.provenance import write_provenance
from fairpairs.papers.studies.fill import fill_table


def main() -> None:
    files, params = snakemake.input, snakemake.params
    tables = [read_published(file, params.schema) for file in [*files.published, *files.printed]]
    published, *printed = tables
    options = {name: params[name] for name in ("settings", "compared_by", "missing")}
    comparison, texts = fill_table(published, printed, files, folder=Path(params.study), **options)
    write_parquet(snakemake.output.comparison, comparison)
    write_comparison_table(published, comparison, texts, snakemake.output.tables[0])
    write_provenance(snakemake)


run(main, snakemake.log[0])
