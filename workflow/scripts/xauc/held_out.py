"""Test the ranking of all held-out items. Input: prepared, roles. Output: tables."""

from fairpairs.base.scripting import run
from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.display.tables import write_table
from fairpairs.papers.run.provenance import write_provenance
from fairpairs.papers.studies.xauc.held_out import held_out_tables


def main() -> None:
    params = snakemake.params
    ranking, calibration = held_out_tables(
        map(read_prepared, snakemake.input.prepared, snakemake.input.roles),
        model=params.model,
        treatment=params.treatment,
        folds=params.folds,
        seed=params.seed,
        extensions=snakemake.input.extensions,
        title=params.title,
    )
    write_table(snakemake.output.ranking[0], *ranking)
    write_table(snakemake.output.calibration[0], *calibration)
    write_provenance(snakemake)


run(main, snakemake.log[0])
