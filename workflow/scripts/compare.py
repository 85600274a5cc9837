"""Gather the comparisons of all tables. Input: comparisons. Output: tables, text."""

from fairpairs.base.files import read_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.display.tables import write_long_table
from fairpairs.papers.published.comparison import gather
from fairpairs.papers.run.provenance import write_provenance


def main() -> None:
    made = snakemake.output
    tables, text = gather(read_parquet(file) for file in snakemake.input.comparisons)
    write_long_table(tables, made.tables[0], title="Published and reproduced cells")
    write_long_table(text, made.text[0], title="Numbers that the papers' text gives")
    write_provenance(snakemake)


run(main, snakemake.log[0])
