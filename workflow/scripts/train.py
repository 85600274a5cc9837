"""Train one chunk of repeats. Input: table, roles, embedded, extensions. Output: predictions."""

from fairpairs.base.scripting import run
from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.experiments.blocks import write_in_blocks
from fairpairs.papers.experiments.train import train_repeats


def main() -> None:
    dataset = read_prepared(
        snakemake.input.table, snakemake.input.roles, next(iter(snakemake.input.embedded), None)
    )

    def train(block, repeats):
        return train_repeats(
            dataset,
            model=snakemake.params.model,
            treatment=snakemake.params.treatment,
            repeats=repeats,
            seed=snakemake.params.seed,
            test_fraction=snakemake.params.test_fraction,
            extensions=snakemake.input.extensions,
        )

    write_in_blocks(snakemake.output.predictions, train, snakemake)


run(main, snakemake.log[0])
