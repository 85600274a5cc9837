"""Draw the register, of the full size if it is there. Input: tables. Output: figures."""

from fairpairs.base.scripting import run
from fairpairs.papers.display.tables import read_table
from fairpairs.papers.studies.register.figures import matrix
from fairpairs.papers.studies.register.measure import TEXT


def main() -> None:
    matrix(snakemake.output.figures[0], read_table(snakemake.input.table[0], text=TEXT))


run(main, snakemake.log[0])
