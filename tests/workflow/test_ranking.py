"""The rules of rankings: what they write is what the package computes from all repeats at once."""

import pandas as pd
import pytest

from fairpairs.base.files import write_parquet
from fairpairs.papers.datasets.prepared import read_prepared, read_roles
from fairpairs.papers.display.layouts import display
from fairpairs.papers.display.tables import write_table
from fairpairs.papers.experiments.predictions import Settings, run_tests
from fairpairs.papers.experiments.summaries import summarise
from fairpairs.papers.experiments.train import train_folds, train_repeats
from fairpairs.papers.studies.xauc import tables
from fairpairs.papers.studies.xauc.curves import ranking_curves
from fairpairs.papers.studies.xauc.held_out import held_out_calibration, held_out_ranking
from fairpairs.papers.studies.xauc.study import FIGURES
from fairpairs.papers.studies.xauc.tables import normal_score_disparities, ranking_table

CURVES = "results/xauc/curves/loans/loans.parquet"
TABLE = "results/tables/xauc/loans"
RANKBOOST = {"call": "rankboost", "with": {"rounds": 10}}
ENDINGS = ("csv", "md", "provenance.json", "tex")


@pytest.fixture
def dataset(ranked):
    return read_prepared(*(ranked / f"data/prepared/loans.{e}" for e in ("parquet", "json")))


def test_there_are_the_files_of_the_ranking_and_no_others(ranked):
    assert ranked.files("results/xauc/curves") == [CURVES]
    stems = ["held_out/loans", "calibration/loans", "loans"]
    own = [file for file in ranked.files("results/tables/xauc") if "normal_scores" not in file]
    assert own == sorted(f"results/tables/xauc/{stem}.{e}" for stem in stems for e in ENDINGS)
    drawn = ("loans", "xauc/loans", *(f"xauc/{kind}/loans" for kind in FIGURES))
    assert ranked.files("results/figures") == sorted(
        f"results/figures/{stem}.{ending}" for stem in drawn for ending in ("svg", "png")
    )


def test_curves_and_the_table_are_the_bytes_of_all_repeats_at_once(ranked, dataset, tmp_path):
    predictions = train_repeats(
        dataset, model=RANKBOOST, treatment="none", repeats=range(3), seed=7, test_fraction=0.3
    )
    write_parquet(tmp_path / "c.parquet", ranking_curves(predictions, dataset, treatment="none"))
    assert (ranked / CURVES).read_bytes() == (tmp_path / "c.parquet").read_bytes()
    results = [
        run_tests([test], predictions, dataset, treatment="none", settings=Settings(7, 0.05, 2))
        for test in ("xauc", "ranking", "xauc_adjustment")
    ]
    violations, estimates = summarise(results)
    summary = {"violations": violations, "estimates": estimates}
    rows, shown = ranking_table(summary, [read_roles(ranked / "data/prepared/loans.json")])[
        "ranking"
    ]
    words = display(tables.__file__, "ranking", **shown, title="Synthetic loans", words={})
    write_table(tmp_path / "loans.csv", rows, words)
    for ending in ("csv", "md", "tex"):
        expected = (tmp_path / f"loans.{ending}").read_bytes()
        assert (ranked / f"{TABLE}.{ending}").read_bytes() == expected


def test_the_tables_are_those_of_all_items_scored_by_folds(ranked, dataset):
    predictions = train_folds(dataset, model=RANKBOOST, treatment="none", folds=3, seed=7)
    for kind, rows in (
        ("held_out", held_out_ranking(predictions, dataset)),
        ("calibration", held_out_calibration(predictions, dataset)),
    ):
        stem = f"results/tables/xauc/{kind}/loans"
        pd.testing.assert_frame_equal(ranked.frame(f"{stem}.csv"), rows, check_dtype=False)
        assert "Synthetic loans" in ranked.text(f"{stem}.md")
    closed_form = ranked.frame("results/tables/xauc/normal_scores.csv")
    pd.testing.assert_frame_equal(closed_form, normal_score_disparities())


def test_curves_rest_on_the_predictions_of_the_first_treatment_alone(unranked):
    unranked.configure(
        lambda config: config["experiments"]["loans"].update(treatments=["fairbalance", "none"])
    )
    run = unranked.snakemake(CURVES, "--dry-run").check()
    assert run.jobs == {"fetch": 1, "prepare": 1, "train": 2, "curves": 1}
    assert "with treatment fairbalance" in run.stdout
    assert "with treatment none" not in run.stdout


def test_what_the_config_does_not_ask_for_is_not_made(unranked, done):
    """Neither curves and folds nor, with one of its two tests, a ranking."""

    def ask_for_less(config):
        experiment = config["experiments"]["loans"]
        experiment.update(tests=["ranking"], curves=False)
        del experiment["folds"]

    unranked.configure(ask_for_less)
    jobs = unranked.snakemake("--dry-run").check().jobs
    assert jobs["test"] == 2
    assert not {"curves", "figure_curves", "table_ranking", "figure_ranking"} & set(jobs)
    assert not {"held_out", "table_normal_scores"} & set(jobs)
    words = ("ranking", "curves", "xroc", "xauc", "densities")
    assert [path for path in done.files("results", "logs") if any(w in path for w in words)] == []
    assert "rank fairly" not in done.text("results/report.html")
