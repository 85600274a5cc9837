"""The rules held_out and table_normal_scores: all items scored by models of the other folds."""

import pandas as pd

from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.experiments.train import train_folds
from fairpairs.papers.studies.xauc.held_out import held_out_calibration, held_out_ranking
from fairpairs.papers.studies.xauc.normal_scores import normal_score_disparities

ENDINGS = ("csv", "md", "provenance.json", "tex")


def test_the_tables_are_those_of_all_items_scored_by_folds(ranked):
    dataset = read_prepared(*(ranked / f"data/prepared/loans.{e}" for e in ("parquet", "json")))
    predictions = train_folds(
        dataset, model="rankboost", treatment="none", folds=3, seed=7, rounds=10
    )
    for kind, rows in (
        ("held_out", held_out_ranking(predictions, dataset)),
        ("calibration", held_out_calibration(predictions, dataset)),
    ):
        stem = f"results/tables/xauc/{kind}/loans"
        assert ranked.files(f"results/tables/xauc/{kind}") == [f"{stem}.{e}" for e in ENDINGS]
        frame = ranked.frame(f"{stem}.csv")
        assert len(frame) == len(rows) > 0
        pd.testing.assert_frame_equal(frame, rows, check_dtype=False)
        assert "Synthetic loans" in ranked.text(f"{stem}.md")
        assert ranked.text(f"{stem}.tex").isascii()


def test_the_closed_form_is_computed_beside_them(ranked):
    frame = ranked.frame("results/tables/xauc/normal_scores.csv")
    pd.testing.assert_frame_equal(frame, normal_score_disparities())


def test_without_folds_there_are_no_such_tables(done):
    assert not done.files("results/tables/xauc")
