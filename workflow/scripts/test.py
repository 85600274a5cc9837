"""Test one chunk of predictions. Input: predictions, table, roles, extensions. Output: results."""

from fairpairs.base.files import Pieces
from fairpairs.base.scripting import run
from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.experiments.blocks import write_in_blocks
from fairpairs.papers.experiments.predictions import Settings, run_tests


def main() -> None:
    dataset = read_prepared(snakemake.input.table, snakemake.input.roles)
    predictions, params = Pieces(snakemake.input.predictions), snakemake.params
    settings = Settings(params.seed, params.alpha, params.pairs_per_item, params.draws)

    def test(block, repeats):
        return run_tests(
            params.tests,
            predictions.read(block),
            dataset,
            treatment=snakemake.wildcards.treatment,
            settings=settings,
            extensions=snakemake.input.extensions,
        )

    write_in_blocks(snakemake.output.results, test, snakemake)


run(main, snakemake.log[0])
