"""Numbers of the paper on xAUC: the published ones, and their cells from made results."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from fairpairs.papers.published.comparison import compare

ROOT = Path(__file__).parents[4]
NAME = "xauc/table_1"
#: Model of a row → experiment.
EXPERIMENTS = {
    "Logistic regression": "ranking_logistic_regression",
    "RankBoost cal.": "ranking_rankboost",
}
#: Column → data set, sensitive attribute, group.
COLUMNS = {
    "COMPAS, Black": ("compas_filtered", "race", 0),
    "COMPAS, White": ("compas_filtered", "race", 1),
    "Framingham, Non-F.": ("framingham", "sex", 0),
    "Framingham, Female": ("framingham", "sex", 1),
    "German, < 25": ("german_age_25", "age", 0),
    "German, ≥ 25": ("german_age_25", "age", 1),
    "Adult, Black": ("adult", "race", 0),
    "Adult, White": ("adult", "race", 1),
}
MEASURES = ["AUC", "Brier", "xAUC", "xAUC_1", "xAUC_0"]


@pytest.fixture
def printed(paper):
    """The rows of the printed table, by model and measure, from the text of the paper."""
    lines = iter(paper("xauc").splitlines())
    assert any(line.startswith("Table 1: Ranking error metrics") for line in lines)
    rows, model = {}, ""
    for line in lines:
        first, *rest = line.split("\t")
        if rest and re.fullmatch(r"[0-9.]+", rest[-1]):
            model = first or model
            measure = re.sub(r"X?AUC <sup>(\d)</sup>", r"XAUC_\1", rest[0]).replace("X", "x")
            rows[model, measure] = [float(number) for number in rest[1:]]
        elif rows:
            break
    return rows


def test_the_published_file_holds_exactly_the_printed_numbers(shipped, printed):
    table = shipped(NAME)
    models = {"Logistic Reg.": "Logistic regression", "RankBoost cal.": "RankBoost cal."}
    assert list(printed) == [(model, measure) for model in models for measure in MEASURES]
    wide = table.cells.pivot(index="row", columns="column", values="published")
    assert len(wide) == len(printed)
    for (model, measure), numbers in printed.items():
        assert len(numbers) == 8
        assert list(wide.loc[f"{models[model]}, {measure}", list(COLUMNS)]) == numbers


def hypothesis(measure, group):
    return f"{measure}({group},{1 - group})" if measure == "xAUC" else f"{measure}({group})"


@pytest.fixture
def summaries():
    """Made results of both experiments: every mean is another number."""
    found = {}
    for e, name in enumerate(EXPERIMENTS.values()):
        rows = [
            (dataset, attribute, "none", "ranking", hypothesis(measure, group))
            for dataset, attribute in dict.fromkeys(place[:2] for place in COLUMNS.values())
            for measure in MEASURES
            for group in (0, 1)
        ]
        rows += [(*row[:3], "xauc_adjustment", "AUC before it") for row in rows[:1]]
        estimates = pd.DataFrame(
            rows, columns=["dataset", "attribute", "treatment", "test", "hypothesis"]
        )
        estimates["mean"] = np.arange(len(rows)) / 100 + 0.001 * e
        estimates["run_sd"] = 0.02 + np.arange(len(rows)) / 1000
        estimates["standard_error"] = estimates["run_sd"] / np.sqrt(50)
        found[name] = {"violations": pd.DataFrame(), "estimates": estimates}
    return found


def test_every_cell_is_taken_from_its_place(summaries, reproduced_from):
    ours = reproduced_from(NAME, experiments=summaries).set_index(["row", "column"])
    assert len(ours) == 80
    for model, experiment in EXPERIMENTS.items():
        estimates = summaries[experiment]["estimates"].set_index(
            ["dataset", "attribute", "test", "hypothesis"]
        )
        for measure in MEASURES:
            for column, (dataset, attribute, group) in COLUMNS.items():
                expected = estimates.loc[dataset, attribute, "ranking", hypothesis(measure, group)]
                cell = ours.loc[(f"{model}, {measure}", column)]
                assert cell["reproduced"] == pytest.approx(expected["mean"])
                assert cell["standard_error"] == expected["standard_error"]
                assert cell["run_sd"] == expected["run_sd"]
                assert np.isnan(cell["runs"])  # no share


def test_an_experiment_or_a_data_set_that_is_not_there_leaves_its_cells_out(
    shipped, summaries, reproduced_from
):
    del summaries["ranking_rankboost"]
    estimates = summaries["ranking_logistic_regression"]["estimates"]
    summaries["ranking_logistic_regression"]["estimates"] = estimates[
        estimates["dataset"] != "german_age_25"
    ]
    table = shipped(NAME)
    cells = compare(table, reproduced_from(NAME, experiments=summaries), missing=["german_age_25"])
    had = cells[cells["reproduced"].notna()]
    assert len(had) == 5 * 6
    assert had["row"].str.startswith("Logistic regression").all()
    assert not had["column"].str.startswith("German").any()
    absent = cells[cells["reproduced"].isna()]
    assert set(absent["verdict"]) == {"not comparable"}
    german = absent["column"].str.startswith("German")
    assert set(absent.loc[german, "note"]) == {"not part of this run (unavailable: german_age_25)"}
    assert set(absent.loc[~german, "note"]) == {"not part of this run"}


def test_the_sizes_are_those_of_the_prepared_data_sets(shipped, reproduced_from):
    table = shipped("xauc/section_5")
    names = {"COMPAS": "compas_filtered", "Framingham": "framingham", "German": "german_age_25"}
    prepared = {
        name: {"counts": {"rows": 100 + i, "features": i}} for i, name in enumerate(names.values())
    }
    ours = reproduced_from(table.name, datasets=prepared).set_index(["row", "column"])["reproduced"]
    assert len(ours) == 6  # Adult is not there
    for i, row in enumerate(names):
        assert (ours[row, "n"], ours[row, "p"]) == (100 + i, i)


def test_the_printed_sizes_are_those_of_the_cards_and_of_the_text(shipped, paper):
    cells = shipped("xauc/section_5").cells.set_index(["row", "column"])["published"]
    for row, name in (("COMPAS", "compas_filtered"), ("Framingham", "framingham"),
                      ("German", "german_age_25"), ("Adult", "adult")):  # fmt: skip
        card = yaml.safe_load((ROOT / f"config/datasets/{name}.yaml").read_text("utf-8"))
        assert cells[row, "n"] == card["counts"]["rows"]
        assert cells[row, "p"] == card["counts"]["features"]
    text = re.findall(r"n = ?(\d+), p = ?(\d+)", paper("xauc"))
    wide = cells.unstack().loc[["COMPAS", "Framingham", "German", "Adult"], ["n", "p"]]
    assert [[float(n) for n in pair] for pair in text] == wide.to_numpy().tolist()


@pytest.mark.slow
def test_the_difference_of_the_text_is_that_of_the_table_and_ours(
    shipped, summaries, reproduced_from
):
    table = shipped("xauc/section_5_1")
    estimates = summaries["ranking_logistic_regression"]["estimates"]
    row = {**estimates.iloc[0].to_dict(), "hypothesis": "ΔxAUC", "mean": -0.2133}
    row |= {"run_sd": 0.03, "standard_error": 0.0043}
    summaries["ranking_logistic_regression"]["estimates"] = pd.concat(
        [estimates, pd.DataFrame([row])]
    )
    for run, verdicts in ((summaries, ["agrees", "agrees"]), ({}, ["agrees", "not comparable"])):
        cells = compare(table, reproduced_from(table.name, experiments=run))
        assert list(cells["verdict"]) == verdicts
        assert cells["reproduced"].iloc[0] == pytest.approx(0.604 - 0.813)
        if run:
            assert cells["reproduced"].iloc[1] == -0.2133


def test_the_number_of_white_recidivists_is_that_of_the_text_and_of_the_curves(
    shipped, paper, reproduced_from
):
    table = shipped("xauc/section_6")
    (number,) = re.findall(r"there are (\d+) white recidivators", paper("xauc"))
    assert list(table.cells["published"]) == [float(number)]
    keys = {"dataset": "compas_filtered", "attribute": "race", "repeats": 50}
    curves = pd.DataFrame(
        [
            {**keys, "kind": kind, "curve": curve, "mean": mean, "sd": 3.5}
            for kind, curve, mean in [
                ("conditional", "xAUC(0,1)", 0.6),
                ("conditional", "xAUC(0,1)", 0.7),
                ("misranked", "xAUC(0,1)", 16.0),
                ("misranked", "xAUC(1,0)", 3.0),
            ]
        ]
    )
    cell = compare(table, reproduced_from(table.name, results=curves)).iloc[0]
    assert cell["reproduced"] == 16
    assert cell["run_sd"] == 3.5
    assert cell["standard_error"] == pytest.approx(3.5 / np.sqrt(50))
    assert cell["verdict"] == "not comparable"  # what nearly all is, is our choice
    assert reproduced_from(table.name, results=curves.iloc[:2]).empty
    assert reproduced_from(table.name).empty
