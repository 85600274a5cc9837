"""Compare people on split data. Input: what the model reads. Output: results."""

from fairpairs.base.files import write_parquet
from fairpairs.base.scripting import run
from fairpairs.papers.datasets.integrity import check_sha256
from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.studies.differential_parity.bridge_study import bridge_study, inputs_and_model


def main() -> None:
    given, params = snakemake.input, snakemake.params
    check_sha256([*given.pictures, *given.weights], {"files": params.files})
    dataset = read_prepared(given.table, given.roles, next(iter(given.embedded), None))
    inputs, model = inputs_and_model(
        dataset,
        params.settings["model"],
        pictures=next(iter(given.pictures), None),
        entry=params.entry,
        weights=next(iter(given.weights), None),
    )
    results = bridge_study(
        dataset, inputs, model, settings=params.settings, repeats=params.repeats, seed=params.seed
    )
    write_parquet(snakemake.output.results, results)


run(main, snakemake.log[0])
