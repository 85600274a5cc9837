"""Embed one data set. Input: table, roles, pictures, weights. Output: vectors."""

from fairpairs.datasets.integrity import check_sha256
from fairpairs.datasets.prepared import read_prepared
from fairpairs.experiments.embed import embed
from fairpairs.files import write_parquet
from fairpairs.scripting import run


def main() -> None:
    encoder = snakemake.params.encoder
    check_sha256(snakemake.input.pictures, snakemake.params.card)
    check_sha256(snakemake.input.weights, encoder)
    vectors, identity = embed(
        read_prepared(snakemake.input.table, snakemake.input.roles),
        snakemake.wildcards.encoder,
        encoder,
        pictures=next(iter(snakemake.input.pictures), None),
        entry=snakemake.params.entry,
        weights=next(iter(snakemake.input.weights), None),
    )
    write_parquet(snakemake.output.vectors, vectors, metadata=identity)


run(main, snakemake.log[0])
