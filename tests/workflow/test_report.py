"""The rule report, and what a run says at its end."""

import json
import re
import zipfile
from pathlib import Path

import pytest

from tests.page import Page


@pytest.fixture
def page(done):
    return Page(done.text("results/report.html"))


def test_the_report_has_the_experiment_the_data_and_the_figures(done, page):
    text = done.text("results/report.html")
    for row in done.frame("results/summaries/loans.parquet").itertuples():
        assert f"{row.violated:.3f}" in page.cells
    for word in (
        "Synthetic loans",
        "12 repeats: random splits",
        "1,200",
        "Repaid: 513",
        "Male (A = 1)",
    ):
        assert word in text
    assert text.count("<svg") == text.count("</svg>") == 4


def test_the_page_stands_alone_and_names_no_folder(done, page):
    text = done.text("results/report.html")
    assert not re.search(r"<(img|link|iframe|object|embed)\b|@import", text)
    assert not re.search(r"(?:src|href)\s*=\s*[\"'](?!#)", text)
    assert str(done.folder) not in text
    assert not re.search(
        r"\b(nan|NaN|Undefined)\b|{{|{%", re.sub("<svg.*?</svg>", "", text, flags=re.S)
    )
    # a link past the menu; the run is of data of its own, so its experiments come first
    parts = ["answer", "experiments", "answer", "study-comparative_separation"]
    links = [link for link in page.hrefs if link in {f"#{part}" for part in parts}]
    assert links[: len(parts)] == [f"#{part}" for part in parts]
    assert {link.removeprefix("#") for link in page.hrefs} <= set(page.ids)


def test_the_run_ends_with_a_summary(done):
    terminal = done.text("terminal.txt")
    assert "comparative separation, table 1: 0 agree, 0 differ, 32 not comparable" in terminal
    assert "comparative separation, table 3: 32 agree, 0 differ\n" in terminal
    assert "comparative separation, section 4.1.2: 12 agree, 0 differ\n" in terminal
    assert f"report: {done / 'results/report.html'}\n" in terminal
    assert "MISSING" not in terminal


def test_the_report_of_snakemake_has_each_result_in_its_place(finished, tmp_path):
    finished.snakemake("--report", str(tmp_path / "report.zip")).check()
    with zipfile.ZipFile(tmp_path / "report.zip") as archive:
        results = {Path(name).name for name in archive.namelist() if "/data/raw/" in name}
        page = archive.read("report/report.html").decode()
    assert results == {
        *("report.html", "claims.csv", "comparison.csv", "comparison_of_text.csv"),
        *("loans.csv", "loans.svg"),
    }
    categories = json.loads(re.search(r"var categories = (\{.*\})", page)[1])
    assert {name: sum(map(len, parts.values())) for name, parts in categories.items()} == {
        "1. At a glance": 4,
        "4. Experiments": 2,
    }
    shown = json.loads(re.search(r"var results = (\{.*\})", page)[1])
    assert shown["results/figures/loans.svg"]["labels"] == {"result": "loans", "form": "figure"}
    assert shown["results/report.html"]["labels"]["result"] == "Everything on one page"
    assert "loans: how often each test found a violation" in page
    assert "puts each" in page  # the first page
    assert not re.search(r"<(script|link|img)[^>]*(src|href)=.https?:", page)


def rules_of(root, folder):
    return "".join(path.read_text("utf-8") for path in sorted((root / folder).glob("*.smk")))


def test_every_caption_belongs_to_an_output(root):
    rules = rules_of(root, "workflow/rules")
    caption = r'\bshown(?:_first)?\(\s*f?"?[^,]+,(?:\s*\w+,)?\s*"(\w+)"'
    captions = re.findall(caption, rules)
    assert {*captions, "workflow"} == {path.stem for path in (root / "workflow/report").iterdir()}
    # no output is marked without caption, category and labels
    assert len(re.findall(r"\breport\(", rules)) == 1
    assert "report(" not in rules_of(root, "workflow/studies")


def test_every_result_of_a_study_has_a_text(root):
    head = r"^(?:use rule \w+ as|rule) (\w+)(?: with)?:"
    rules = re.split(head, rules_of(root, "workflow/studies"), flags=re.M)[1:]
    bodies = dict(zip(rules[::2], rules[1::2], strict=True))
    marked = {name for name, body in bodies.items() if re.search(r"of_study\(|tables_of\(", body)}
    texts = (root / "workflow/report/study.rst").read_text("utf-8")
    assert set(re.findall(r'^  "(\w+)": "', texts, re.M)) == marked
    # and none is left out
    assert {name for name in bodies if name.startswith(("table_", "figure_"))} <= marked


def test_the_first_report_shows_its_tables_alone(copy):
    tables = ["comparative_separation/table_2", "comparative_separation/table_3"]
    copy.configure(lambda config: config.update(first=tables))
    copy.snakemake("results/first_report.html").check()
    page = Page(copy.text("results/first_report.html"))
    assert "This page is written before the others are made" in page.warnings[0]
    assert "report.html" in page.hrefs
    own = [f"comparative_separation-table_{number}" for number in (1, 2, 3)]
    assert [name in page.ids for name in own] == [False, True, True]
