"""Embed one data set. Input: table, roles, pictures, weights. Output: vectors."""

from fairpairs.base.files import write_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.datasets.integrity import check_sha256
from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.experiments.embed import embed


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
