"""Draw all papers at a glance. Input: comparisons. Output: figures."""

from fairpairs.base.files import read_parts
from fairpairs.base.scripting import run
from fairpairs.papers.display.figures import published_and_reproduced


def main() -> None:
    cells = read_parts(snakemake.input.comparisons)
    published_and_reproduced(snakemake.output.figures[0], cells)


run(main, snakemake.log[0])
