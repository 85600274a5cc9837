"""Train one chunk of repeats. Input: table, roles, embedded, extensions. Output: predictions."""

from fairpairs.base.files import write_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.experiments.train import train_repeats


def main() -> None:
    predictions = train_repeats(
        read_prepared(
            snakemake.input.table, snakemake.input.roles, next(iter(snakemake.input.embedded), None)
        ),
        model=snakemake.params.model,
        treatment=snakemake.params.treatment,
        repeats=snakemake.params.repeats,
        seed=snakemake.params.seed,
        test_fraction=snakemake.params.test_fraction,
        extensions=snakemake.input.extensions,
    )
    write_parquet(snakemake.output.predictions, predictions)


run(main, snakemake.log[0])
