"""The target decisions: bridges, everyone against everyone, and predictions against labels."""

import shutil
from dataclasses import replace

import pandas as pd
import pytest

from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.published.table import read_published
from fairpairs.papers.studies.differential_parity.bridge_study import bridge_study, inputs_and_model
from fairpairs.papers.studies.differential_parity.bridge_tables import (
    counts_rows,
    distributions,
    with_published,
)
from fairpairs.papers.studies.differential_parity.raters import compare_raters

CHUNKS = ("0000000-0000002", "0000003-0000004")
TABLES = ("bridges/loans", "bridges/loans_conclusions", "predictions/loans", "raters/loans")
FIGURES = ("bridges/loans", "raters/loans", "predictions/loans")
PEOPLE = ["P1", "P2", "Average"]


@pytest.fixture
def dataset(decided):
    return read_prepared(*(decided / f"data/prepared/loans.{end}" for end in ("parquet", "json")))


def study(project, name="loans", chunks=CHUNKS):
    return pd.concat(
        [
            project.frame(f"results/differential_parity/bridges/{name}/{chunk}.parquet")
            for chunk in chunks
        ],
        ignore_index=True,
    )


@pytest.fixture
def results(decided):
    return study(decided)


def published(root, name):
    schema = root / "workflow/schemas/published.schema.yaml"
    return read_published(root / f"config/published/differential_parity/{name}.yaml", schema).cells


def test_all_files_are_there(decided):
    assert decided.files("results/differential_parity/bridges") == [
        f"results/differential_parity/bridges/loans/{c}.parquet" for c in CHUNKS
    ]
    assert decided.files("results/differential_parity/raters") == [
        f"results/differential_parity/raters/loans.{part}.parquet" for part in ("pairs", "people")
    ]
    folder = "results/tables/differential_parity"
    assert decided.files(folder) == sorted(
        [
            *(f"{folder}/{stem}.{end}" for stem in TABLES for end in ("csv", "md", "tex")),
            "results/tables/differential_parity/raters/loans.pairs.csv",
            *(f"{folder}/{stem}.provenance.json" for stem in [*TABLES, "raters/loans.pairs"]),
        ]
    )
    folder = "results/figures/differential_parity"
    assert decided.files(folder) == sorted(
        f"{folder}/{stem}.{end}" for stem in FIGURES for end in ("svg", "png")
    )


def test_the_study_is_the_one_of_the_package(decided, dataset, results):
    assert list(dataset.decisions) == ["P1", "P2", "P3", "P4", "Average"]
    inputs, model = inputs_and_model(dataset, "ridge")
    assert inputs.shape == (1200, 2 + 2 + 3)  # two numbers, two attributes, three purposes
    settings = {"decisions": PEOPLE, "test_fraction": 0.2, "held_out": 0.25, "cross_fitted": 2}
    expected = bridge_study(dataset, inputs, model, settings=settings, repeats=range(5), seed=7)
    pd.testing.assert_frame_equal(results, expected)
    own = results[(results["row"] == "Biased Bridge, cross-fitted")]
    assert set(own["repeat"]) == {0, 1}


def test_the_tables_of_the_study(decided, root, results):
    printed, said = published(root, "table_3"), published(root, "section_4")
    cells = with_published(distributions(results), results, printed)
    pd.testing.assert_frame_equal(
        decided.frame("results/tables/differential_parity/bridges/loans.csv"),
        cells,
        check_dtype=False,
    )
    counted = decided.frame("results/tables/differential_parity/bridges/loans_conclusions.csv")
    expected = counts_rows(results, printed, said)
    pd.testing.assert_frame_equal(counted, expected, check_dtype=False)
    markdown = decided.text("results/tables/differential_parity/bridges/loans.md")
    assert markdown.startswith("# Made judges\n")
    for person in ("R_1", "R_2", "R_Avg"):
        assert f"| {person}, Biased Bridge, cross-fitted" in markdown


def test_everyone_is_compared(decided, dataset):
    pairs, people = compare_raters(dataset)
    assert set(people["decisions"]) == {"P1", "P2", "P3", "P4"}  # the mean is nobody
    for part, expected in (("pairs", pairs), ("people", people)):
        found = decided.frame(f"results/differential_parity/raters/loans.{part}.parquet")
        pd.testing.assert_frame_equal(found, expected)
    written = decided.frame("results/tables/differential_parity/raters/loans.pairs.csv")
    pd.testing.assert_frame_equal(written, pairs, check_dtype=False)


def test_a_study_of_a_published_name_is_compared_where_it_has_the_cells(decided, tmp_path):
    shutil.copytree(decided.folder, tmp_path / "project", symlinks=True)
    project = replace(decided, folder=tmp_path / "project")

    def change(config):
        bridges = config["differential_parity"]["bridges"]
        few = {"repeats": 3, "cross_fitted": 0, "decisions": ["P1", "P2"]}
        bridges["split_80_20"] = {**bridges["loans"], **few}

    project.configure(change)
    comparison = "results/comparisons/differential_parity/table_3.parquet"
    assert project.snakemake(comparison).check().jobs == {"bridge_study": 1, "table": 1}
    cells = project.frame(comparison)
    assert len(cells) == 320
    both = cells["row"].str.match("R_[12],") & cells["column"].isin(["R_1, Sex", "R_2, Sex"])
    assert both.sum() == 2 * 5 * 2 * 2
    assert set(cells[both]["verdict"]) <= {"agrees", "differs"}
    # the loans have regions, not races, and two people
    assert set(cells[~both]["verdict"]) == {"not comparable"}
    assert set(cells[~both]["note"]) == {"not part of this run"}
    first = study(project, "split_80_20", ["0000000-0000002"])
    own = first[
        (first["decisions"] == "P2") & (first["reference"] == "P1") & (first["attribute"] == "sex")
    ]
    cell = cells[(cells["row"] == "R_1, Label Test, DPD") & (cells["column"] == "R_2, Sex")]
    expected = own[own["row"] == "Label Test"]["dpd"].mean()
    assert cell["reproduced"].item() == pytest.approx(expected)


def test_without_bridges_and_raters_nothing_of_them_is_made(small):
    assert small.snakemake("differential_parity", "all", "--dry-run").check().jobs == {
        **{"fetch": 1, "prepare": 1, "train": 1, "test": 1, "summarise": 1},
        **{"figure_experiment": 1, "compare": 1, "claims": 1, "checksums": 1, "report": 1},
        **{"all": 1},
        "differential_parity": 1,
    }
