"""Compare one table with the published one. Input: published, printed, source. Output: both."""

from fairpairs.files import write_parquet
from fairpairs.output.provenance import write_provenance
from fairpairs.output.tables import write_comparison_table
from fairpairs.published.comparison import compare
from fairpairs.published.table import read_published
from fairpairs.scripting import run
from fairpairs.studies.reproduce import read_source, reproduce, words


def main() -> None:
    schema = snakemake.params.schema
    published = read_published(snakemake.input.published, schema)
    printed = [read_published(file, schema) for file in snakemake.input.printed]
    source = read_source(published, snakemake.input.source, snakemake.params.settings, printed)
    reproduced = reproduce(published, source)
    comparison = compare(published, reproduced, missing=snakemake.params.missing)
    write_parquet(snakemake.output.comparison, comparison)
    texts = words(published, source)
    write_comparison_table(published, comparison, texts, snakemake.output.tables[0])
    write_provenance(snakemake)


run(main, snakemake.log[0])
