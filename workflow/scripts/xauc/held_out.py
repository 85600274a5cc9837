"""Test the ranking of all held-out items. Input: prepared, roles. Output: tables."""

import pandas as pd

from fairpairs.datasets.prepared import read_prepared
from fairpairs.experiments.train import train_folds
from fairpairs.output.provenance import write_provenance
from fairpairs.output.tables import write_table
from fairpairs.scripting import run
from fairpairs.studies.xauc.held_out import (
    calibration_display,
    held_out_calibration,
    held_out_ranking,
    ranking_display,
)


def main() -> None:
    params, ranking, calibration = snakemake.params, [], []
    for table, roles in zip(snakemake.input.prepared, snakemake.input.roles, strict=True):
        dataset = read_prepared(table, roles)
        predictions = train_folds(
            dataset,
            model=params.model,
            treatment=params.treatment,
            folds=params.folds,
            seed=params.seed,
            rounds=params.rounds,
            extensions=snakemake.input.extensions,
        )
        ranking.append(held_out_ranking(predictions, dataset))
        calibration.append(held_out_calibration(predictions, dataset))
    rows = pd.concat(ranking, ignore_index=True)
    display = ranking_display(rows, folds=params.folds, title=params.title)
    write_table(snakemake.output.ranking[0], rows, display)
    rows = pd.concat(calibration, ignore_index=True)
    display = calibration_display(rows, title=params.title)
    write_table(snakemake.output.calibration[0], rows, display)
    write_provenance(snakemake)


run(main, snakemake.log[0])
