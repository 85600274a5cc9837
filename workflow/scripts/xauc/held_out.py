"""Test the ranking of all held-out items. Input: prepared, roles. Output: tables."""

from inspect import getfile

from fairpairs.base.scripting import run
from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.display.layouts import display
from fairpairs.papers.display.tables import write_table
from fairpairs.papers.run.provenance import write_provenance
from fairpairs.papers.studies.xauc.held_out import held_out_tables


def main() -> None:
    params, output = snakemake.params, snakemake.output
    tables = held_out_tables(
        map(read_prepared, snakemake.input.prepared, snakemake.input.roles),
        model=params.model,
        treatment=params.treatment,
        folds=params.folds,
        seed=params.seed,
        extensions=list(snakemake.input.extensions),
    )
    for layout, rows in zip(("held_out", "calibration"), tables, strict=True):
        shown = display(
            getfile(held_out_tables), layout, rows, title=params.title, folds=params.folds
        )
        write_table(output.get(layout)[0], rows, shown)
    write_provenance(snakemake)


run(main, snakemake.log[0])
