"""The rule table_ranking: how the scores of an experiment rank within and across groups."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import brier_score_loss, roc_auc_score

from fairpairs.papers.datasets.prepared import read_prepared, read_roles
from fairpairs.papers.experiments.predictions import Settings
from fairpairs.papers.experiments.summaries import summarise
from fairpairs.papers.experiments.testing import run_tests
from fairpairs.papers.experiments.train import train_repeats
from fairpairs.papers.studies.xauc.tables import write_ranking_table

STEM = "results/tables/xauc/loans"
CHUNKS = ("0000000-0000001", "0000002-0000002")


@pytest.fixture
def rows(ranked):
    return ranked.frame(f"{STEM}.csv").set_index(["attribute", "measure"])


def test_there_is_a_table_of_the_ranking(ranked, rows):
    endings = ("csv", "md", "provenance.json", "tex")
    files = [file for file in ranked.files("results/tables/xauc") if file.startswith(f"{STEM}.")]
    assert files == [f"{STEM}.{ending}" for ending in endings]
    assert set(rows["dataset"]) == {"loans"}
    assert set(rows["treatment"]) == {"none"}
    assert set(rows["repeats"]) == {3}
    assert not rows.index.duplicated().any()
    assert len(rows) == 2 * (9 + 4 + 3 + 9)


def gathered(project, folder):
    """What lies in the chunks of a folder."""
    return pd.concat(project.frame(f"results/{folder}/{chunk}.parquet") for chunk in CHUNKS)


def area(part, positive, negative):
    used = part[((part["label"] == 1) & positive) | ((part["label"] == 0) & negative)]
    return roc_auc_score(used["label"], used["score"])


@pytest.mark.parametrize("attribute", ["sex", "region"])
def test_the_numbers_are_the_means_over_the_kept_predictions(ranked, rows, attribute):
    items = ranked.frame("data/prepared/loans.parquet")
    predictions = gathered(ranked, "predictions/loans/loans/none").merge(items, on="item")
    predictions["group"] = predictions[f"sensitive_{attribute}"]
    found = {name: [] for name in ("AUC", "AUC(1)", "xAUC(0,1)", "xAUC_1(0)", "Brier(1)")}
    for _, part in predictions.groupby("repeat"):
        zero, one = part["group"] == 0, part["group"] == 1
        found["AUC"].append(area(part, zero | one, zero | one))
        found["AUC(1)"].append(area(part, one, one))
        found["xAUC(0,1)"].append(area(part, zero, one))
        found["xAUC_1(0)"].append(area(part, zero, zero | one))
        found["Brier(1)"].append(brier_score_loss(part["label"][one], part["score"][one]))
    for name, values in found.items():
        row = rows.loc[(attribute, name)]
        assert row["mean"] == pytest.approx(np.mean(values), rel=1e-12)
        assert row["standard_error"] == pytest.approx(np.std(values, ddof=1) / np.sqrt(3))


def test_the_rejections_are_those_of_the_tests(ranked, rows):
    tests = gathered(ranked, "tests/loans/loans/none")
    tests = tests[tests["test"] == "xauc"]
    shares = tests.groupby(["attribute", "hypothesis"])["rejected"].mean()
    for attribute in ("sex", "region"):
        assert rows.loc[(attribute, "ΔxAUC"), "rejected"] == pytest.approx(
            shares[attribute, "xAUC(0,1) = xAUC(1,0)"]
        )


def test_the_display_tables_have_the_numbers_and_the_names_of_the_groups(ranked, rows):
    markdown, latex = (ranked.text(f"{STEM}.{ending}") for ending in ("md", "tex"))
    assert markdown.startswith("# Synthetic loans: ranking\n")
    row = rows.loc[("sex", "ΔxAUC")]
    assert f"{row['mean']:.3f} ± {row['standard_error']:.3f} [{row['own_error']:.3f}]" in markdown
    assert "Loans, sex: 0 Female, 1 Male; Loans, region: 0 Elsewhere, 1 North." in markdown
    assert latex.isascii()
    assert r"\caption{Synthetic loans: ranking}" in latex
    assert f"{row['mean']:.3f} $\\pm$ {row['standard_error']:.3f}" in latex


def test_the_bytes_do_not_depend_on_the_chunks(ranked, tmp_path):
    """All repeats at once, without the workflow."""
    dataset = read_prepared(*(ranked / f"data/prepared/loans.{e}" for e in ("parquet", "json")))
    predictions = train_repeats(
        dataset, model="rankboost", treatment="none", repeats=range(3), seed=7, test_fraction=0.3,
        rounds=10,
    )  # fmt: skip
    results = [
        run_tests([test], predictions, dataset, treatment="none", settings=Settings(7, 0.05, 2))
        for test in ("xauc", "ranking", "xauc_adjustment")
    ]
    violations, estimates = summarise(results)
    write_ranking_table(
        {"violations": violations, "estimates": estimates},
        [read_roles(ranked / "data/prepared/loans.json")],
        tmp_path / "loans.csv",
        title="Synthetic loans",
    )
    for ending in ("csv", "md", "tex"):
        expected = (tmp_path / f"loans.{ending}").read_bytes()
        assert (ranked / f"{STEM}.{ending}").read_bytes() == expected


def test_an_experiment_without_the_tests_of_a_ranking_has_no_files_of_one(done):
    words = ("ranking", "curves", "xroc", "xauc", "densities")
    assert [path for path in done.files("results", "logs") if any(w in path for w in words)] == []
    assert "rank fairly" not in done.text("results/report.html")
