"""Gather the comparisons of all tables. Input: comparisons, published. Output: what they say."""

from fairpairs.base.files import read_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.display.tables import write_long_table
from fairpairs.papers.published.comparison import gather
from fairpairs.papers.published.planted_bugs import judge, read_bugs
from fairpairs.papers.published.table import read_published
from fairpairs.papers.run.provenance import write_provenance


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
