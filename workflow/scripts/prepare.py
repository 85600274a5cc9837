"""Prepare one data set. Input: raw. Output: table, roles."""

from fairpairs.base.files import write_json, write_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.datasets.integrity import check_sha256
from fairpairs.papers.datasets.prepare import prepare


def main() -> None:
    card = snakemake.params.card
    check_sha256(snakemake.input.raw, card)
    frame, about = prepare(snakemake.input.raw[0], card, name=snakemake.wildcards.dataset)
    write_parquet(snakemake.output.table, frame)
    write_json(snakemake.output.roles, about)


run(main, snakemake.log[0])
