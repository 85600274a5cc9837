"""Write the tables of a study by the function that the rule names. Output: provenance, tables."""

from fairpairs.base.scripting import run
from fairpairs.papers.run.provenance import write_provenance
from fairpairs.papers.run.step import call


def main() -> None:
    call(snakemake)
    write_provenance(snakemake)


run(main, snakemake.log[0])
