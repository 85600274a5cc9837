"""Draw the curves of one experiment. Input: curves, roles. Output: figures."""

from pathlib import Path

from fairpairs.base.files import read_parts
from fairpairs.base.scripting import run
from fairpairs.papers.datasets.prepared import read_roles
from fairpairs.papers.studies.xauc.figures import curves, group_names


def main() -> None:
    shown = read_parts(snakemake.input.curves)
    names = group_names([read_roles(path) for path in snakemake.input.roles])
    for figure in snakemake.output.figures:
        if figure.endswith(".svg"):
            curves(figure, Path(figure).parent.name, shown, names)


run(main, snakemake.log[0])
