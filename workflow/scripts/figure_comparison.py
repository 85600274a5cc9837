"""Draw all papers at a glance. Input: comparisons. Output: figures."""

from fairpairs.files import read_parts
from fairpairs.output.comparison_figure import published_and_reproduced
from fairpairs.scripting import run


def main() -> None:
    cells = read_parts(snakemake.input.comparisons)
    published_and_reproduced(snakemake.output.figures[0], cells)


run(main, snakemake.log[0])
