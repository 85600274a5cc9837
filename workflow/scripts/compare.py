"""Gather the comparisons of all tables. Input: comparisons, published. Output: what they say."""

from fairpairs.files import read_parquet
from fairpairs.output.provenance import write_provenance
from fairpairs.output.tables import write_long_table
from fairpairs.published.comparison import gather
from fairpairs.published.planted_bugs import judge, read_bugs
from fairpairs.published.table import read_published
from fairpairs.scripting import run


def main() -> None:
    files, made, params = snakemake.input, snakemake.output, snakemake.params
    comparisons = [read_parquet(file) for file in files.comparisons]
    tables, text = gather(comparisons)
    write_long_table(tables, made.tables[0], title="Published and reproduced cells")
    write_long_table(text, made.text[0], title="Numbers that the papers' text gives")
    published = [read_published(file, params.schema) for file in files.published]
    bugs = {study: read_bugs(file, params.bugs_schema) for study, file in params.bugs.items()}
    power, planted = judge(zip(published, comparisons, strict=True), bugs, seed=params.seed)
    write_long_table(power, made.power[0], title="What “agrees” is worth")
    write_long_table(planted, made.planted[0], title="Planted bugs")
    write_provenance(snakemake)


run(main, snakemake.log[0])
