"""Gather what the figures of a ranking show. Input: predictions, table, roles. Output: curves."""

from fairpairs.base.files import read_parts, write_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.studies.xauc.curves import ranking_curves


def main() -> None:
    predictions = read_parts(snakemake.input.predictions)
    dataset = read_prepared(snakemake.input.table, snakemake.input.roles)
    curves = ranking_curves(predictions, dataset, treatment=snakemake.params.treatment)
    write_parquet(snakemake.output.curves, curves)


run(main, snakemake.log[0])
