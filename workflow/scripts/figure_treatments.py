"""Draw what the treatments of an experiment did. Input: comparison, measures. Output: figures."""

from pathlib import Path

from fairpairs.base.files import read_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.display.treatments import read_treatments
from fairpairs.papers.display.treatments_figure import write_figures


def main() -> None:
    write_figures(
        Path(snakemake.output.figures[0]).with_suffix(""),
        read_parquet(snakemake.input.measures),
        read_treatments(snakemake.input.comparison),
        snakemake.params.titles,
        alpha=snakemake.params.alpha,
    )


run(main, snakemake.log[0])
