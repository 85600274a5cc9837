"""The page: its parts, in their order, from the results of a small run."""

import os
import re
from pathlib import Path

import pytest
import yaml

from fairpairs.base.files import write_json, write_parquet, write_text
from fairpairs.papers.experiments.arms import Arm
from fairpairs.papers.plan.experiment import Experiment
from fairpairs.papers.published.comparison import compare
from fairpairs.papers.report.report import write_report
from tests.page import Page

pytestmark = pytest.mark.slow

MADE = yaml.safe_load(Path(__file__).with_name("report.yaml").read_text("utf-8"))
PREPARED, WORDS, SIDECAR, CLAIMS = (
    MADE[name] for name in ("prepared", "words", "sidecar", "claims")
)
SVG = '<?xml version="1.0"?>\n<!DOCTYPE svg>\n<svg><g id="a"/><use href="#a"/></svg>'
ROWS = [
    ("f1, Simulation", "simulated", 4, [0.4772]),
    ("f1, Expected", "computed", 4, [0.4743]),
    ("f1, Given", "input", 3, [0.22]),
]
SECTION = 'def section(results):\n    return {"words": "of " + results.study}\n'


@pytest.fixture
def write(tmp_path, make_published, make_reproduced, summary, estimates, schema):
    """A function that writes the report of a run with one experiment and one published table."""

    def make(*, title="Made & tested", repeats=1000, ours=0.48, claims="", **changes):
        results = tmp_path / "results"
        if claims:
            write_text(results / "claims.csv", claims)
        published = make_published(ROWS, name="first/table_3")
        cells = [(name, "ours", value, error) for (name, *_), value, error in
                 zip(ROWS, (ours, 0.4743, 0.22), (0.016, 0.0, 0.0), strict=True)]  # fmt: skip
        comparison = compare(published, make_reproduced(*cells))
        write_parquet(results / "comparisons/first/table_3.parquet", comparison)
        for part, frame in (("", summary), (".estimates", estimates)):
            write_parquet(results / f"summaries/classification{part}.parquet", frame)
        for figure in ("comparison", "first/table_3", "classification"):
            write_text(results / f"figures/{figure}.svg", SVG)
        write_json(tmp_path / "data/prepared/compas.json", PREPARED)
        sidecar = results / "tables/classification.provenance.json"
        write_json(sidecar, SIDECAR)
        for study in ("first", "second", "silent"):
            write_text(tmp_path / f"studies/{study}/study.py", "")
        write_text(tmp_path / "studies/second/section.py", SECTION)
        write_text(tmp_path / "studies/second/section.html.j2", "<p>Results {{ words }}</p>")
        config = {"seed": 1, "alpha": 0.05, "repeats": repeats, "chunk_size": 250}
        model = "logistic_regression"
        arms = {name: Arm(model, name, {"call": model}, ()) for name in ("none", "fairbalance")}
        tests = ("separation", "comparative_separation")
        experiment = Experiment("classification", title, ("compas",), arms, repeats, 250, tests)
        arguments = {
            "studies": {
                name: {
                    "title": f"The {name}",
                    "citation": f"Nobody: The {name} paper",
                    "words": {"Loan": "Money <lent>"} if name == "first" else {},
                    "folder": str(tmp_path / f"studies/{name}"),
                }
                for name in ("first", "second", "silent")
            },
            "published": [published.path],
            "schema": schema,
            "config": config,
            "experiments": {"classification": experiment},
            "missing": {},
            "datasets": ["compas"],
            "words": {"compas": WORDS},
            "titles": {"classification": {"compas": WORDS["title"]}},
            "repeats": {"first/table_3": repeats},
            "provenance": [sidecar],
            **changes,
        }
        write_report(results / "report.html", **arguments)
        return (results / "report.html").read_text("utf-8")

    return make


@pytest.fixture(scope="module")
def written():
    """The report that most tests read, once it is written."""
    return []


@pytest.fixture
def text(write, written):
    if not written:
        written.append(write())
    return written[0]


@pytest.fixture
def page(text):
    return Page(text)


def test_the_page_stands_alone_with_every_cell_and_figure_once(page, text):
    assert {"html", "head", "body", "table", "svg", "details"} <= page.tags
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert page.loads == []
    assert not {"link", "img", "image", "iframe", "object", "embed"} & page.tags
    assert not re.search(r"@import|url\(\s*[\"']?(?!#)", text)
    assert len(page.ids) == len(set(page.ids))
    assert {"0.4800 ± 0.0160 (0.4772)", "0.4743 (0.4743)", "0.220 (0.220)"} <= set(page.cells)
    assert not [cell for cell in page.cells if "nan" in cell.lower()]
    for count, words in ((2, "published cells agree"), (0, "differ"), (1, "not comparable")):
        assert f"<div><b>{count}</b>{words}</div>" in text
    assert text.count("<svg") == text.count("</svg>") == 3
    assert text.count("<!DOCTYPE") == 1
    assert text.count('aria-label="Table 3: ours and the published numbers') == 1
    assert text.index('aria-label="Table 3') < text.index('id="first-table_3"')
    # of missing data and of fewer repeats than the paper has
    assert "Incomplete" not in page.text
    assert "quick look" not in text


def test_every_link_leads_to_a_place_of_the_page(write):
    page = Page(write(claims=CLAIMS))
    assert {"#first-table_3", "#claim-first-one"} <= set(page.hrefs)
    assert WORDS["homepage"] in page.hrefs  # of the data
    for href in set(page.hrefs) - {WORDS["homepage"]}:
        assert href.startswith("#")
        assert href[1:] in page.ids


def test_the_words_of_a_paper_stand_above_its_conclusions(write):
    text = write(claims=CLAIMS)
    assert text.count("Words of this paper") == 1
    assert "<dt>Loan</dt><dd>Money &lt;lent&gt;</dd>" in text
    assert text.index("Words of this paper") < text.index("Conclusions of the paper")
    assert "Words of this page" in text


def test_words_of_the_user_are_escaped(write):
    text = write(title="<script>alert(1)</script> & more")
    page = Page(text)
    assert not re.search(r"<script>(?!// a click)", text)  # but for the one that sorts
    assert "<script>alert(1)</script> & more" in page.headings
    assert "Court & records <2016>" in page.headings
    assert "None < given" in page.text


def test_a_run_of_fewer_repeats_is_a_quick_look(write):
    page = Page(write(repeats=50))
    (warning,) = [words for words in page.warnings if "quick look" in words]
    assert "Table 3: 50 repeats where the paper has 1,000" in warning


def test_missing_data_are_named_with_the_reason(write):
    german = {"title": "Credit & risk", "reason": "the file is not there: connect."}
    adult = {"title": "A", "reason": "column `age`: correct it."}
    page = Page(write(missing={"german": german, "adult": adult}))
    (warning,) = [words for words in page.warnings if "Incomplete" in words]
    warning = " ".join(warning.split())
    assert "could not be fetched or prepared, so nothing here rests on them." in warning
    assert "german (Credit & risk): the file is not there: connect." in warning
    assert "adult (A): column `age`: correct it." in warning
    assert not re.search(r"[a-z][.;][A-Z]", warning)  # it is made of sentences


def test_a_cell_that_differs_is_marked_and_explained(write):
    page = Page(write(ours=0.9))
    assert any(cell.startswith("0.9000 ± ") and cell.endswith(" ≠") for cell in page.cells)
    differing = page.cells.index("f1, Simulation, ours")
    assert page.cells[differing + 1 : differing + 3] == ["0.9", "0.4772"]
    assert page.cells[differing + 3].startswith("20.")
    assert page.cells[differing + 5] == "more than chance allows"
    assert differing < page.cells.index("0.4743 (0.4743)")  # what differs comes first


@pytest.mark.skipif("REPORT" not in os.environ, reason="REPORT names no report of a finished run.")
def test_the_report_of_a_finished_run_is_at_most_8_mb():
    assert Path(os.environ["REPORT"]).stat().st_size <= 8e6


def test_how_it_was_made_is_said(page):
    for word in (
        *("Seed 1, level 0.05", "chunk_size: 250", "python 3.11.7, numpy 2.4.6, blas openblas"),
        *(SIDECAR["git_commit"], SIDECAR["platform"], "OPENBLAS_CORETYPE=Haswell"),
        PREPARED["raw_sha256"]["compas.csv"],
    ):
        assert word in page.text
    row = page.cells[page.cells.index(SIDECAR["table"]) :][:6]
    assert row[1:] == ["summarise", "compas", SIDECAR["made"], "aaaaaaa-dirty", "5" * 16 + "…"]


def test_only_the_moment_differs_between_two_reports(write):
    one, two = (re.sub(r"made \d{4}-\d\d-\d\d \d\d:\d\d UTC", "", write()) for _ in range(2))
    assert one == two


def test_studies_stand_in_their_order_with_what_they_show(page):
    parts = ["The first", "The second", "The silent", "Experiments", "Data", "Provenance"]
    headings = ["The first", "The second", *parts[3:]]
    assert [heading for heading in page.headings if heading in {*headings, *parts}] == headings
    assert "Results of second" in page.text  # by its section; without published tables
    assert "study-silent" not in page.ids  # it has neither


def test_without_published_tables_the_report_is_of_ones_own_results(write):
    assert "FairPairs: Published and reproduced" in Page(write()).headings
    page = Page(write(published=[]))
    assert page.headings[:3] == ["FairPairs: Results", "Experiments", "Made & tested"]
    assert "published cells agree" not in page.text
    assert "The second" in page.headings
    assert {link.removeprefix("#") for link in page.hrefs} <= {*page.ids, WORDS["homepage"]}


def test_the_answer_comes_first(write):
    text = write(claims=CLAIMS)
    page = Page(text)
    assert page.headings[0] == "FairPairs: Do the papers' conclusions hold?"
    for mark, count, words in (("holds", 1, "holds"), ("fails", 1, "does not hold")):
        assert f'<div class="{mark}"><b>{count}</b>{words}</div>' in text
    assert text.index("It is &lt;fair&gt;.") < text.index("published cells agree")
    assert {"claim-first-one", "claim-first-two", "claim-silent-only"} <= set(page.ids)
    assert "This run made no weather." in page.text
    assert "<li>p: <b>1 (printed 2)</b></li><li>n: <b>5</b></li>" in text
    assert {"#first-table_3", "#experiment-classification"} <= set(page.hrefs)
    assert "results/x.csv" in page.text  # it is not on the page


@pytest.mark.parametrize("claims", ["", CLAIMS.split("\n", maxsplit=1)[0] + "\n"])
def test_without_claims_the_numbers_come_first(write, claims):
    page = Page(write(claims=claims))
    assert page.headings[:2] == [
        "FairPairs: Published and reproduced", "Published numbers, cell by cell"
    ]  # fmt: skip
    assert "Conclusions of the paper" not in page.headings


def test_every_published_table_can_be_folded_and_found(write):
    text = write(ours=0.9, claims=CLAIMS)
    (opening,) = re.findall(r'<details class="part" id="first-table_3"[^>]*>', text)
    assert 'data-study="first"' in opening
    assert 'data-verdicts="agrees|differs|not comparable"' in opening
    assert text.count('data-verdicts="does not hold"') == 2  # in the answer and with its paper
    assert {"query", "study", "verdict", "matches", "open", "close", "menu"} <= set(Page(text).ids)


def test_the_page_leads_with_data_of_the_users_own(write):
    page = Page(write(project_experiments=["classification"], claims=CLAIMS))
    headings = [
        "FairPairs: Results",
        "Your experiments",
        "The papers' conclusions",
        "Conclusions of the paper",
    ]
    assert [page.headings.index(heading) for heading in headings] == sorted(
        page.headings.index(heading) for heading in headings
    )
    assert "Further experiments" not in page.headings
    assert "make verify" not in page.text  # nothing committed to compare with
