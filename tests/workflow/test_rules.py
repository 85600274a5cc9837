"""The rules of an experiment, from fetch to figures: each makes what the package does."""

import json

import numpy as np
import pandas as pd
import pytest

from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.experiments.predictions import Settings, run_tests
from fairpairs.papers.experiments.summaries import read_results, summarise
from fairpairs.papers.experiments.train import train_repeats
from fairpairs.papers.studies.comparative_separation.simulation import simulate
from tests.svg import words
from tests.workflow.projects import FULL

CHUNKS = {
    "0000000-0000003": range(4),
    "0000004-0000007": range(4, 8),
    "0000008-0000011": range(8, 12),
}
RAW = "data/raw/loans/loans.csv"
PREPARED = tuple(f"data/prepared/loans.{ending}" for ending in ("parquet", "json"))
PREDICTIONS, TESTS = (f"results/{folder}/loans/loans" for folder in ("predictions", "tests"))
TABLES = ("section_4_1_2", "table_1", "table_2", "table_3")
FIGURES = (
    *("comparative_separation/figure_1", "comparative_separation/table_3", "comparison", "loans"),
)
COLUMNS = [
    *("paper", "table", "row", "column", "published", "reproduced", "standard_error"),
    *("z", "p_adjusted", "verdict", "note"),
]


def test_there_are_the_files_of_what_the_run_has_and_no_others(done):
    assert done.files("data/raw") == [RAW]
    for folder in (PREDICTIONS, TESTS):
        files = [f"{folder}/fairbalance/{chunk}.parquet" for chunk in CHUNKS]
        assert done.files(folder.removesuffix("/loans/loans")) == files
    tables = [f"comparative_separation/{table}" for table in TABLES]
    comparisons = [f"results/comparisons/{table}.parquet" for table in tables]
    assert done.files("results/comparisons") == comparisons
    normality = "results/tables/comparative_separation/normality"
    endings = ("csv", "md", "provenance.json", "tex")
    assert done.files("results/tables") == sorted(
        [
            *(f"results/tables/{t}.{ending}" for t in [*tables, "loans"] for ending in endings),
            *(f"{normality}.{ending}" for ending in ("csv", "provenance.json")),
        ]
    )
    assert done.files("results/figures") == sorted(
        f"results/figures/{figure}.{ending}" for figure in FIGURES for ending in ("svg", "png")
    )


def test_the_raw_file_is_that_of_the_mirror(done):
    assert (done / RAW).read_bytes() == (done / "mirror/loans/loans.csv").read_bytes()
    assert "from mirror/loans/loans.csv" in done.text("logs/fetch/loans/loans.csv.log")
    sha256 = json.loads(done.text(PREPARED[1]))["raw_sha256"]["loans.csv"]
    assert f"sha256: {sha256}" in done.text("config/datasets/loans.yaml")


def test_each_chunk_has_the_predictions_and_tests_of_its_repeats(done):
    dataset = read_prepared(*(done / path for path in PREPARED))
    experiment = FULL["experiments"]["loans"]
    for chunk, repeats in CHUNKS.items():
        predictions = train_repeats(
            dataset, model="logistic_regression", treatment="fairbalance", repeats=repeats, seed=7,
            test_fraction=0.5,
        )  # fmt: skip
        found = done.frame(f"{PREDICTIONS}/fairbalance/{chunk}.parquet")
        pd.testing.assert_frame_equal(found, predictions, check_exact=True)
        results = run_tests(
            experiment["tests"], predictions, dataset, treatment="fairbalance",
            settings=Settings(7, 0.05, 2),
        )  # fmt: skip
        found = done.frame(f"{TESTS}/fairbalance/{chunk}.parquet")
        pd.testing.assert_frame_equal(found, results, check_exact=True)


def test_the_summary_is_that_of_all_chunks(done):
    paths = [done / f"{TESTS}/fairbalance/{chunk}.parquet" for chunk in CHUNKS]
    violations, estimates = summarise(read_results(paths))
    found = done.frame("results/summaries/loans.parquet")
    pd.testing.assert_frame_equal(found, violations, check_exact=True)
    found = done.frame("results/summaries/loans.estimates.parquet")
    pd.testing.assert_frame_equal(found, estimates, check_exact=True)
    rows = done.frame("results/tables/loans.csv").drop(columns="quantity")
    expected = violations.rename(columns={"violated": "value"})[list(rows)]
    pd.testing.assert_frame_equal(rows, expected, check_dtype=False)
    assert 0 < violations["violated"].mean() < 1


def test_the_simulation_is_that_of_the_config(done):
    settings = FULL["comparative_separation"]["simulation"]
    found = done.frame("results/comparative_separation/simulation.parquet")
    expected, _ = simulate(settings, seed=7, alpha=0.05)
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


def test_all_published_cells_are_beside_ours_in_one_table(done):
    frame = done.frame("results/comparison.csv")
    assert list(frame) == COLUMNS
    assert list(frame["table"]) == [1] * 32 + [2] * 16 + [3] * 32
    frames = [
        done.frame(f"results/comparisons/comparative_separation/{table}.parquet")
        for table in TABLES
    ]
    tables = pd.concat(frames[1:], ignore_index=True)
    frame["note"] = frame["note"].fillna("")
    pd.testing.assert_frame_equal(frame, tables[COLUMNS], check_dtype=False)
    text = done.frame("results/comparison_of_text.csv")
    assert list(text) == [column.replace("table", "section") for column in COLUMNS]
    pd.testing.assert_series_equal(text["reproduced"], frames[0]["reproduced"])
    verdicts = frame.groupby("table")["verdict"].agg(set)
    assert verdicts.to_dict() == {1: {"not comparable"}, 2: {"agrees"}, 3: {"agrees"}}


def test_the_figures_show_what_the_run_has(done):
    for figure in FIGURES:
        png = (done / f"results/figures/{figure}.png").read_bytes()
        assert png.startswith(b"\x89PNG\r\n\x1a\n")
    text = words(done / "results/figures/comparative_separation/table_3")
    assert {*(f"f{i}, Simulation" for i in range(4)), "ours", "published"} <= set(text)
    text = words(done / "results/figures/loans")
    assert {"Loans, sex", "Loans, region", "FairBalance", "Separation"} <= set(text)


def test_a_mirror_of_the_environment_comes_first(small):
    (small / "mirror").rename(small / "elsewhere")
    (small / "mirror/loans").mkdir(parents=True)
    (small / "mirror/loans/loans.csv").write_text("not the file")
    run = small.snakemake("fetched", FAIRPAIRS_MIRROR=str(small / "elsewhere")).check()
    assert run.jobs == {"fetch": 1, "fetched": 1}
    log = small.text("logs/fetch/loans/loans.csv.log")
    assert f"from {small / 'elsewhere/loans/loans.csv'}" in log
    assert "refused" not in log


def test_columns_that_the_card_does_not_name_are_left_out_of_any_card(small):
    """Also of one that no experiment names."""

    def add_people(text):
        header, *rows = text.splitlines()
        people = [f"Person {i},{row},{1900 + i % 100}" for i, row in enumerate(rows)]
        return "\n".join([f"name,{header},born", *people]) + "\n"

    small.change_raw(add_people)
    small.copy_card("spare")
    paths = [path.replace("loans", "spare") for path in PREPARED]
    assert small.snakemake(paths[0]).check().jobs == {"fetch": 1, "prepare": 1}
    assert b"Person" not in (small / paths[0]).read_bytes()
    assert "Person" not in small.text(paths[1])
    assert small.snakemake("--dry-run").check().jobs["prepare"] == 1  # of the loans alone


def test_a_data_set_without_a_card_is_named(small):
    run = small.snakemake("data/prepared/lones.parquet")
    assert run.returncode == 1
    sentence = "There is no data set `lones`: write its card config/datasets/lones.yaml, or use one"
    assert f"{sentence} of loans, adult, " in run.stderr


@pytest.mark.parametrize(
    ("change", "planned", "kept"),
    [
        (lambda config: config.update(mirrors=["another"]), {}, {"fetch", "prepare"}),
        (lambda config: config.update(repeats=16), {"train": 1}, {"fetch", "simulate"}),
        (lambda config: config["experiments"]["loans"]["treatments"].append("reweighing"),
         {"train": 3, "test": 3}, {"simulate"}),
    ],
    ids=["mirror", "repeats", "treatment"],
)  # fmt: skip
def test_a_changed_config_runs_again_what_rests_on_it(copy, change, planned, kept):
    copy.configure(change)
    jobs = copy.snakemake("--dry-run").check().jobs
    assert planned.items() <= jobs.items()
    assert not kept & set(jobs)


def test_other_words_of_a_card_train_nothing_again(copy):
    """Only the report, which shows them, is written anew."""
    said = ("title", "citation", "licence", "homepage", "warning", "dropped")
    copy.change_card(lambda card: card.update({key: f"https://{key}.org" for key in said}))
    assert copy.snakemake("results/report.html").check().jobs == {"report": 1}
    assert all(f"https://{key}.org" in copy.text("results/report.html") for key in said[:-1])


def test_a_changed_card_prepares_again_without_fetching(copy):
    copy.change_card(lambda card: card["features"].update(income="categorical"))
    jobs = copy.snakemake("--dry-run").check().jobs
    assert jobs["prepare"] == 1
    assert not {"fetch", "simulate"} & set(jobs)


def test_another_level_and_classifier_test_and_draw_again_without_training(copy):
    def change(config):
        config["alpha"] = 0.01
        cells = config["comparative_separation"]["simulation"]["classifiers"]["f3"]
        cells["C=1, Y=1, A=1"] -= 0.03
        cells["C=0, Y=1, A=1"] += 0.03

    tests = f"{TESTS}/fairbalance/0000004-0000007.parquet"
    figure = "results/figures/comparative_separation/figure_1.svg"
    before = copy.frame(tests)
    assert "1.96σ" in copy.text(figure)
    copy.configure(change)
    table = "comparative_separation/table_1"
    jobs = copy.snakemake(tests, figure, f"results/tables/{table}.csv").check().jobs
    assert jobs == {"test": 1, "figure_acceptance_region": 1, "table": 1}
    after = copy.frame(tests)
    pd.testing.assert_frame_equal(before.drop(columns="rejected"), after.drop(columns="rejected"))
    np.testing.assert_array_equal(after["rejected"], after["p_value"] < 0.01)
    assert "2.58σ" in copy.text(figure)
    cells = copy.frame(f"results/comparisons/{table}.parquet")
    differing = cells[cells["verdict"] == "differs"]
    assert set(differing["column"]) == {"f3"}
    assert set(differing["row"]) == {"P(C=1, Y=1, A=1)", "P(C=0, Y=1, A=1)"}


def test_a_table_of_several_experiments_is_made_of_those_that_the_config_has(unranked):
    def rename(config):
        config["experiments"]["ranking_rankboost"] = config["experiments"].pop("loans")

    unranked.configure(rename)
    run = unranked.snakemake("results/tables/xauc/table_1.md", "--dry-run").check()
    assert run.jobs == {"fetch": 1, "prepare": 1, "train": 2, "test": 2, "summarise": 1, "table": 1}
    assert "ranking_logistic_regression" not in run.stdout
