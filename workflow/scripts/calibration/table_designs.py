"""Gather the rejections of all designs. Input: designs. Output: study."""

from fairpairs.base.files import read_parts
from fairpairs.base.scripting import run
from fairpairs.papers.display.tables import write_table
from fairpairs.papers.run.provenance import write_provenance


def main() -> None:
    write_table(snakemake.output.study, read_parts(snakemake.input.designs))
    write_provenance(snakemake)


run(main, snakemake.log[0])
