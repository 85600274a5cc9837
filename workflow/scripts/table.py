"""Compare a table with the published one. Input: published, printed, source. Output: both."""

from pathlib import Path

from fairpairs.files import write_parquet
from fairpairs.output.provenance import write_provenance
from fairpairs.output.tables import write_comparison_table
from fairpairs.published.comparison import compare
from fairpairs.published.table import read_published
from fairpairs.scripting import run
from fairpairs.studies.fill import fill_cells, fill_texts


def main() -> None:
    files, params = snakemake.input, snakemake.params
    published = read_published(files.published[0], params.schema)
    printed = [read_published(file, params.schema) for file in files.printed]
    data = published.source.read(
        files,
        settings=params.settings,
        cells=published.cells,
        printed={table.number: table.cells for table in printed},
    )
    folder = Path(params.study)
    comparison = compare(published, fill_cells(published, data, folder), missing=params.missing)
    write_parquet(snakemake.output.comparison, comparison)
    texts = fill_texts(published, data, folder)
    write_comparison_table(published, comparison, texts, snakemake.output.tables[0])
    write_provenance(snakemake)


run(main, snakemake.log[0])
