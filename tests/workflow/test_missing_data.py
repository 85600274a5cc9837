"""`make reproduce` where data sets cannot be fetched or prepared: the rest is made."""

import json
import re
import shutil
from dataclasses import replace

import pandas as pd
import pytest

from tests.workflow.projects import FULL

pytestmark = pytest.mark.slow
NEVER = (
    "data/raw/adult/loans.csv: column `repaid` never holds 'maybe', which `label` of the card "
    "lists: correct or remove it."
)


@pytest.fixture(scope="module")
def incomplete(new_project):
    """The project and its run: `compas` are the loans, `german` is nowhere, `adult` is wrong."""
    shared = FULL["experiments"]["loans"]
    project = new_project(
        "incomplete",
        experiments={
            "classification": {
                **shared,
                "title": "Both data sets",
                "datasets": ["compas", "german", "adult"],
                "treatments": ["none"],
                "test_fraction": 0.25,
            },
            "lost": {**shared, "title": "The missing one alone", "datasets": ["german"]},
        },
    )
    project.copy_card("compas", region="race")
    project.copy_card("german", region="age")
    project.copy_card("adult", region="race")
    project.change_card(lambda card: card["label"].update(one=["yes", "maybe"]), "adult")
    project.change_card(
        lambda card: (
            card.update(title="Lost & gone"),
            card["files"][0].update(
                name="german.data", mirror="german/german.data", urls=["http://127.0.0.1:1/x"]
            ),
        ),
        "german",
    )
    return project, project.reproduce("--config", "repeats=6")


@pytest.fixture
def project(incomplete):
    return incomplete[0]


@pytest.fixture
def run(incomplete):
    return incomplete[1]


@pytest.fixture
def page(project):
    """The words of the report."""
    text = re.sub(r"<(style|svg).*?</\1>", "", project.text("results/report.html"), flags=re.S)
    return " ".join(re.sub(r"</?(t[dhr]|p|div|h\d|d[dtl]|b)\b[^>]*>", " ", text).split())


def test_the_terminal_names_the_data_set_the_file_and_the_remedy(run):
    assert run.returncode == 1
    other, sentence = sorted(run.sentences, reverse=True)
    assert other == f"fairpairs: {NEVER}"
    for word in ("german.data", "`german`", "http://127.0.0.1:1/x", "FAIRPAIRS_MIRROR"):
        assert word in sentence
    *_, end = run.stderr.rpartition("FairPairs: the published cells")
    adult, german = [line for line in end.splitlines() if "MISSING" in line]
    assert adult == f"  MISSING: the data set adult is left out: {NEVER}"
    assert german == f"  MISSING: the data set german is left out: {sentence[len('fairpairs: ') :]}"
    assert "table 4: 0 agree, 1 differ, 1 not comparable" in end
    assert "differs: comparative_separation, table 4, Compas, |X|: 1200 where 7214 " in end
    assert "nan" not in end.split()
    assert re.search(r"^  time: \d+ min \d+ s; \d+ min \d+ s of processor time$", end, re.M)


def test_the_report_names_the_data_sets_and_the_remedy(page):
    _, _, warning = page.partition("Incomplete. These data sets could not be fetched or prepared")
    assert f"adult (Synthetic loans): {NEVER.replace(chr(39), '&#39;')}" in warning
    assert (
        "german (Lost &amp; gone): The file german.data of the data set `german` could" in warning
    )
    assert "connect to the internet, or put the file at german/german.data in a mirror" in warning
    assert page.count("Lost &amp; gone") == 1  # where it is said to be missing
    assert "The missing one alone" not in page.partition("seed:")[0]
    assert "nan" not in page.lower().split()
    _, _, look = page.partition("A quick look.")
    assert "Table 5: 6 repeats where the paper has 1,000" in look
    assert "Table 3" not in look.partition("Incomplete")[0]  # not part of this run


def test_everything_is_made_of_the_data_set_that_is_there(project):
    summary = project.frame("results/summaries/classification.parquet")
    assert set(summary["dataset"]) == {"compas"}
    assert len(summary) == 4
    assert set(summary["repeats"]) == {6}  # the override reached the run
    chunks = ("0000000-0000003", "0000004-0000005")
    folder = "results/predictions/classification/compas/none"
    assert project.files(folder) == [f"{folder}/{chunk}.parquet" for chunk in chunks]
    items = project.frame("data/prepared/compas.parquet")
    quarters = items.groupby(["label", "sensitive_sex", "sensitive_race"]).size() // 4
    assert len(project.frame(f"{folder}/{chunks[0]}.parquet")) == 4 * quarters.sum()
    files = project.files("results")
    for stem in (
        "tables/classification",
        *(f"tables/comparative_separation/table_{i}" for i in (4, 5)),
        "comparison",
        "comparison_of_text",
    ):
        assert {f"results/{stem}.{ending}" for ending in ("csv", "md", "tex")} <= set(files)


def test_nothing_is_made_of_the_one_that_is_missing(project):
    assert not [path for path in project.files() if "german" in path or "lost" in path]
    assert [path for path in project.files() if "adult" in path] == ["data/raw/adult/loans.csv"]
    table = project.frame("results/tables/comparative_separation/table_5.csv").set_index("row")
    ours = ["German, age", "German, sex"]
    assert table[[*ours, *(f"{name} (standard error)" for name in ours)]].isna().all(axis=None)
    assert table[[f"{name} (published)" for name in ours]].notna().all(axis=None)
    words = project.frame("results/tables/comparative_separation/table_4.csv").set_index("row")
    assert words.loc["German"].drop("|X| (published)").isna().all()
    assert words.loc["Compas"].notna().sum() >= 6
    counts = json.loads(project.text("data/prepared/compas.json"))["counts"]
    text = project.text("results/tables/comparative_separation/table_4.md")
    assert f"sex: Male ({counts['sensitive.sex']:,}); race: North" in text


def test_its_cells_stand_in_the_comparison_with_the_reason(project):
    cells = project.frame("results/comparison.csv")
    german = cells[cells["column"].str.startswith("German") | cells["row"].eq("German")]
    assert len(german) == 13  # one in Table 4, two columns of six rows in Table 5
    assert german["reproduced"].isna().all()
    assert german["z"].isna().all()
    assert set(german["verdict"]) == {"not comparable"}
    assert set(german["note"]) == {"not part of this run (unavailable: german)"}


def test_once_the_file_is_there_the_run_completes(incomplete, tmp_path):
    shutil.copytree(incomplete[0].folder, tmp_path / "project", symlinks=True)
    project = replace(incomplete[0], folder=tmp_path / "project")
    (project / "mirror/german").mkdir()
    content = (project / "mirror/loans/loans.csv").read_bytes()
    (project / "mirror/german/german.data").write_bytes(content)
    kept = "results/predictions/classification/compas/none/0000000-0000003.parquet"
    before = (project / kept).stat().st_mtime_ns
    project.change_card(lambda card: card["label"].update(one=["yes"]), "adult")
    project.configure(lambda config: config["experiments"].pop("lost"))  # to be quicker
    run = project.reproduce("--config", "repeats=6")
    assert run.returncode == 0, run.stderr
    assert "MISSING" not in run.stderr
    assert "Incomplete" not in project.text("results/report.html")
    summary = project.frame("results/summaries/classification.parquet")
    assert set(summary["dataset"]) == {"compas", "german", "adult"}
    cells = project.frame("results/comparison.csv").set_index(["table", "row", "column"])
    assert pd.notna(cells.loc[(4, "German", "|X|"), "reproduced"])
    assert pd.notna(cells.loc[(5, "None, Separation", "German, sex"), "reproduced"])
    assert (project / kept).stat().st_mtime_ns == before
