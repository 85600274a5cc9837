"""Gather the comparisons of all tables. Input: comparisons. Output: tables, text."""

from fairpairs.files import read_parquet
from fairpairs.output.provenance import write_provenance
from fairpairs.output.tables import write_long_table
from fairpairs.published.comparison import gather
from fairpairs.scripting import run


def main() -> None:
    tables, text = gather(map(read_parquet, snakemake.input.comparisons))
    write_long_table(tables, snakemake.output.tables[0], title="Published and reproduced cells")
    write_long_table(text, snakemake.output.text[0], title="Numbers that the papers' text gives")
    write_provenance(snakemake)


run(main, snakemake.log[0])
