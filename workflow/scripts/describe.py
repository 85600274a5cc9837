"""Describe a data set of which no table is prepared. Input: raw. Output: roles."""

from fairpairs.base.files import write_json
from fairpairs.base.scripting import run
from fairpairs.papers.datasets.card import description
from fairpairs.papers.datasets.integrity import check_sha256


def main() -> None:
    card = snakemake.params.card
    check_sha256(snakemake.input.raw, card)
    write_json(snakemake.output.roles, description(card, snakemake.wildcards.dataset))


run(main, snakemake.log[0])
