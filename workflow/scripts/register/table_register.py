"""Gather what was measured of all tools. Input: studies, full. Output: tables."""

from fairpairs.base.scripting import run
from fairpairs.papers.display.tables import read_table
from fairpairs.papers.run.provenance import write_provenance
from fairpairs.papers.studies.register.measure import TEXT
from fairpairs.papers.studies.register.tables import write_register


def main() -> None:
    studies = [read_table(path, text=TEXT) for path in snakemake.input.studies]
    committed = [read_table(path, text=TEXT) for path in snakemake.input.full]
    write_register(studies, snakemake.output.tables[0], *committed)
    write_provenance(snakemake)


run(main, snakemake.log[0])
