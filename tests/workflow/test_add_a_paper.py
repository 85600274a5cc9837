"""The tutorial for a paper: its files, put into a project, add a study without another edit."""

import pytest
import yaml

from fairpairs.base.files import write_text

from .test_extensions import blocks

pytestmark = pytest.mark.slow
TABLE_1 = "config/published/loan_gaps/table_1.yaml"
STUDY = "extensions/studies/loan_gaps/study.py"


@pytest.fixture(scope="module")
def documented(root):
    return blocks((root / "docs/tutorials/add-a-paper.md").read_text("utf-8"))


@pytest.fixture(scope="module")
def paper(new_project, documented):
    """A project with the files of the tutorial and nothing else."""
    project = new_project("paper")
    for path, code in documented.items():
        if path != "config/config.yaml":
            write_text(project / path, code)
    project.configure(
        lambda config: config.update(yaml.safe_load(documented["config/config.yaml"]))
    )
    project.snakemake("loan_gaps", "results/report.html").check()
    return project


def test_every_number_of_the_paper_is_beside_ours(paper):
    cells = paper.frame("results/comparison.csv")
    assert list(cells["paper"].unique()) == ["loan_gaps"]
    assert list(cells["published"]) == [0.31, 0.12, 0.55, 0.61]
    summary = paper.frame("results/summaries/lending.parquet")
    summary = summary[summary["attribute"] == "sex"].set_index("treatment")
    assert list(cells["reproduced"][:2]) == list(summary["violated"][["none", "fairbalance"]])
    rates = paper.frame("results/loan_gaps/rates.parquet").groupby("group")["share"].mean()
    assert list(cells["reproduced"][2:]) == pytest.approx(list(rates))
    assert set(cells["verdict"]) <= {"agrees", "differs"}


def test_the_study_has_its_tables_and_its_place_in_the_report(paper):
    for table in ("table_1", "table_2", "rates"):
        for ending in ("csv", "md", "tex", "provenance.json"):
            assert (paper / f"results/tables/loan_gaps/{table}.{ending}").is_file()
    assert "| Women   | 0." in paper.text("results/tables/loan_gaps/rates.md")
    page = paper.text("results/report.html")
    assert "Doe (2026): Who gets a loan?" in page
    assert "Probability of detecting a violation of separation" in page
    share = paper.frame("results/tables/loan_gaps/rates.csv")["share"][0]
    assert f"<li>Women: {100 * share:.1f} % get a loan.</li>" in page


def test_the_conclusions_of_the_paper_are_judged(paper):
    (claim,) = paper.frame("results/claims.csv").to_dict("records")
    assert (claim["study"], claim["claim"]) == ("loan_gaps", "fairbalance-helps")
    assert claim["verdict"] in {"holds", "does not hold", "cannot be told"}
    assert claim["evidence"] == "tables/lending.csv"


def test_an_edit_of_the_study_reruns_its_tables_alone(paper):
    write_text(paper / STUDY, paper.text(STUDY).replace("The study of", "A study of"))
    jobs = paper.snakemake("loan_gaps", "--dry-run").check().jobs
    assert jobs == {"table": 2, "figure_table": 2, "loan_gaps": 1}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("dataset: loans", "dataset: laons", "`laons`"),
        ("{treatment: none,", "{treatment: none, group: 2,", "`group`"),
    ],
)
def test_a_key_that_matches_nothing_is_an_error_before_anything_runs(paper, old, new, words):
    text = paper.text(TABLE_1)
    try:
        write_text(paper / TABLE_1, text.replace(old, new, 1))
        sentence = paper.refusal()
    finally:
        write_text(paper / TABLE_1, text)
    assert words in sentence
    assert "loan_gaps/table_1" in sentence
