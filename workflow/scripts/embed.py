"""Embed the texts of one data set. Input: table, roles. Output: vectors."""

from fairpairs.datasets.prepare import read_prepared
from fairpairs.experiments.embed import embed
from fairpairs.files import write_parquet
from fairpairs.scripting import run


def main() -> None:
    dataset = read_prepared(snakemake.input.table, snakemake.input.roles)
    vectors, identity = embed(dataset, snakemake.wildcards.encoder, snakemake.params.encoder)
    write_parquet(snakemake.output.vectors, vectors, metadata=identity)


run(main, snakemake.log[0])
