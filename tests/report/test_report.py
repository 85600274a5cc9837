"""The report, from made results that are written by the functions of the package."""

import json
import re
import shutil
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from fairpairs.files import write_parquet, write_text
from fairpairs.output.figures import experiment_rates, published_against_reproduced
from fairpairs.output.summary import summary_text
from fairpairs.output.tables import write_comparison_table, write_long_table
from fairpairs.published.comparison import compare, gather
from fairpairs.report.report import quick_look, write_report
from fairpairs.studies.calibration.designs.figures import design_figure
from fairpairs.studies.calibration.designs.tables import (
    NOTE,
    display_table,
    write_design_tables,
)
from fairpairs.studies.calibration.label_mix import gap_of_label_mix, label_mix
from fairpairs.studies.calibration.power_curves import power_curves
from fairpairs.studies.comparative_separation.figures import acceptance_region
from fairpairs.studies.comparative_separation.simulation import simulate
from fairpairs.studies.differential_parity.bridge_study import ROWS
from fairpairs.studies.differential_parity.bridge_summaries import distributions, with_published
from fairpairs.studies.differential_parity.bridge_tables import (
    display_table as bridges_table,
    write_bridge_tables,
)
from fairpairs.studies.differential_parity.figures import (
    bridges as draw_bridges,
    predictions_and_labels,
    raters as draw_raters,
)
from fairpairs.studies.differential_parity.predictions_and_labels import (
    display_table as parity_table,
    parity_rows,
    write_parity_table,
)
from fairpairs.studies.differential_parity.rater_tables import summary as rater_summary
from fairpairs.studies.reproduce import reproduce_texts
from fairpairs.studies.xauc.figures import KINDS, curves, forest, group_names
from fairpairs.studies.xauc.tables import ranking_rows, treatment_effects

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
TABLES = [
    *(f"comparative_separation/table_{i}" for i in range(1, 6)),
    "comparative_separation/section_4_1_2",
]
PREPARED = {
    "dataset": "compas",
    "title": "Court & records <2016>",
    "licence": "None < given",
    "warning": "",
    "citation": "Nobody & Co",
    "features": {"age": "numeric"},
    "label": {"one": "Did not reoffend", "zero": "Reoffended"},
    "sensitive": {"sex": {"one": "Male", "zero": "Female"}},
    "counts": {"rows": 7214, "label": 3963, "sensitive.sex": 5819},
    "raw_sha256": {"compas.csv": "c451db85908b2f7f" + "0" * 48},
}
SIDECAR = {
    "table": "results/tables/classification.csv",
    "sha256": "5" * 64,
    "rule": "summarise",
    "made": "2026-01-01T00:00:00+00:00",
    "git_commit": "a" * 40 + "-dirty",
    "versions": {"python": "3.11.7", "numpy": "2.4.6", "blas": "openblas 0.3.30 Zen"},
    "platform": "Linux <made>",
    "kernels": {"OPENBLAS_CORETYPE": "Haswell"},
    "data": {"compas": PREPARED["raw_sha256"]},
}


class Page(HTMLParser):
    """What a browser would make of the page, and whether every tag is closed in its turn."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.hrefs, self.loads, self.cells = [], [], [], [], []
        self.headings, self.warnings, self.tags = [], [], set()
        self.text = ""
        self._into = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self._look(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)
            about = dict(attrs)
            for kind, place in (
                (tag in ("td", "th"), self.cells),
                (tag in ("h1", "h2", "h3", "h4"), self.headings),
                ("warn" in (about.get("class") or "").split(), self.warnings),
            ):
                if kind:
                    place.append("")
                    self._into.append((len(self.open), place, len(place) - 1))

    def handle_startendtag(self, tag, attrs):
        # HTML knows this in an SVG only
        assert "svg" in self.open or tag in VOID
        self._look(tag, attrs)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}> at {self.getpos()}"
        self._into = [place for place in self._into if place[0] < len(self.open)]
        self.open.pop()

    def handle_data(self, data):
        if not {"svg", "style"} & set(self.open):
            self.text += data
        for _, place, i in self._into:
            place[i] += data

    def _look(self, tag, attrs):
        self.tags.add(tag)
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice"
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "xlink:href"):
                self.hrefs.append(value)
            if name in ("src", "srcset", "data", "poster", "background", "action"):
                self.loads.append(value)


@pytest.fixture
def settings(table_1):
    return {"repeats": 40, "sizes": [1000], "pairs_per_item": 2, "classifiers": table_1}


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A folder of figures, which take long to draw and do not matter to most of these tests."""
    return tmp_path_factory.mktemp("drawn")


@pytest.fixture
def write(
    tmp_path, monkeypatch, shipped, data_of, reproduced_from, settings, summary, estimates, schema,
    drawn,
):  # fmt: skip
    """A function that writes all results and the report of a run, and returns the page."""
    simulated = simulate(settings, seed=3, alpha=0.05)

    def make(
        *,
        missing=None,
        title="Made & tested",
        repeats=1000,
        change=lambda comparison: None,
        folder=tmp_path,
        more=None,
    ):
        results = folder / "results"
        source = {
            **{key: {"results": simulated} for key in TABLES},
            **{key: {"settings": {"simulation": settings}} for key in TABLES[:2]},
            TABLES[3]: {"datasets": {"compas": PREPARED}},
            TABLES[4]: {
                "experiments": {"classification": {"violations": summary, "estimates": estimates}}
            },
        }
        comparisons = []
        for name in TABLES:
            published = shipped(name)
            comparison = compare(
                published, reproduced_from(name, **source[name]), missing=list(missing or {})
            )
            change(comparison)
            comparisons.append(comparison)
            write_parquet(results / f"comparisons/{name}.parquet", comparison)
            write_comparison_table(
                published,
                comparison,
                reproduce_texts(published, data_of(name, **source[name])),
                results / f"tables/{name}.csv",
            )
            if name in (TABLES[2], TABLES[4]) and not (drawn / f"{name}.svg").exists():
                published_against_reproduced(drawn / f"{name}.svg", comparison)
        for part, stem in zip(
            gather(comparisons), ("comparison", "comparison_of_text"), strict=True
        ):
            write_long_table(part, results / f"{stem}.csv", title=stem)
        write_parquet(results / "summaries/classification.parquet", summary)
        write_parquet(results / "summaries/classification.estimates.parquet", estimates)
        if not (drawn / "classification.svg").exists():
            experiment_rates(drawn / "classification.svg", summary)
            acceptance_region(drawn / "comparative_separation_figure_1.svg", alpha=0.05)
        shutil.copytree(drawn, results / "figures", dirs_exist_ok=True)
        write_text(folder / "data/prepared/compas.json", json.dumps(PREPARED))
        experiment = {
            "title": title,
            "datasets": ["compas"],
            "treatments": ["none", "fairbalance"],
            "model": "logistic_regression",
            "tests": ["separation", "comparative_separation"],
            "test_fraction": 0.5,
            "pairs_per_item": 2,
            "draws": 1,
            "repeats": repeats,
        }
        config = {
            "seed": 1,
            "alpha": 0.05,
            "repeats": repeats,
            "chunk_size": 250,
            "experiments": {"classification": experiment},
            "simulation": settings,
            **(more or {}),
        }
        sidecar = results / "tables/classification.provenance.json"
        write_text(sidecar, json.dumps(SIDECAR))
        root = schema.parents[2]
        arguments = {
            "published": [root / f"config/published/{name}.yaml" for name in TABLES],
            "schema": schema,
            "config": config,
            "experiments": {"classification": experiment},
            "missing": missing or {},
            "provenance": [sidecar],
        }
        with monkeypatch.context() as here:
            here.chdir(folder)
            write_report(results / "report.html", **arguments)
        return (results / "report.html").read_text("utf-8"), arguments

    return make


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A folder for the report that many tests look at."""
    return tmp_path_factory.mktemp("shared")


@pytest.fixture
def results(write, shared):
    """The folder of the results of a run, with its report."""
    if not (shared / "results/report.html").exists():
        write(folder=shared)
    return shared / "results"


@pytest.fixture
def text(results):
    return (results / "report.html").read_text("utf-8")


@pytest.fixture
def page(text):
    return Page(text)


def test_every_tag_is_closed_in_its_turn(page):
    assert {"html", "head", "body", "table", "svg", "details"} <= page.tags


def test_the_page_says_what_it_is(text):
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert '<meta charset="utf-8">' in text
    assert re.search(r"<title>\S.*</title>", text)


def test_every_link_leads_to_a_place_of_the_page(page):
    # the parts of a figure are named after it, with a dash
    links = {h for h in page.hrefs if "comparative_separation" in h and "-" not in h}
    assert links == {f"#{name}" for name in TABLES}
    for href in page.hrefs:
        assert href.startswith("#")
        assert href[1:] in page.ids


def test_no_id_is_given_twice(page):
    twice = sorted({name for name in page.ids if page.ids.count(name) > 1})
    assert twice == []


def test_the_page_loads_nothing(page, text):
    assert page.loads == []
    assert not {"link", "img", "image", "iframe", "object", "embed"} & page.tags
    assert "@import" not in text
    assert not re.search(r"url\(\s*[\"']?(?!#)", text)


def test_every_cell_stands_with_ours_and_the_published_number(page):
    written = set(page.cells)
    for cell in (
        "0.220 (0.220)",  # Table I
        "-0.064 (-0.064)",  # Table II
        "0.4743 (0.4743)",  # Table III, expected
        "– (0.7464)",  # Table III, at a size that is not part of this run
        "7,214 (7,214)",  # Table IV
        "sex: Male (5,819) (Sex-Male; Race-Caucasian)",
        "– (1,000)",
        "– (Sex-Male; Age>25)",
        "1.000 (1.000)",  # Table V
        "0.840 ± 0.012 (0.844)",
        "0.58 (0.58)",  # section 4.1.2
    ):
        assert cell in written
    assert not [cell for cell in written if "nan" in cell.lower()]


def test_the_tables_stand_in_the_order_of_the_paper(page):
    headings = [heading.partition(":")[0] for heading in page.headings]
    assert [heading for heading in headings if heading.startswith(("Table", "Section"))] == [
        *("Table 1", "Table 2", "Table 3", "Section 4.1.2", "Table 4", "Table 5")
    ]


def test_words_of_the_user_are_escaped(write):
    text = write(title="<script>alert(1)</script> & more")[0]
    page = Page(text)
    assert not re.search(r"<script>(?!\n// a click)", text)  # but for the one that sorts
    assert "<script>alert(1)</script> & more" in page.headings
    assert "Court & records <2016>" in page.headings
    assert "None < given" in page.text


def test_a_run_of_fewer_repeats_is_a_quick_look(write):
    page = Page(write(repeats=50)[0])
    (warning,) = [words for words in page.warnings if "quick look" in words]
    for note in (
        "Table 3: 40 repeats where the paper has 10,000",
        "Section 4.1.2: 40 repeats where the paper has 10,000",
        "Table 5: 50 repeats where the paper has 1,000",
    ):
        assert note in warning
    assert "50 repeats; made" in page.text


def test_a_run_of_as_many_repeats_as_the_paper_is_none(write, settings):
    settings["repeats"] = 10_000  # what the report looks at; the estimates are those of 40
    assert "quick look" not in write()[0]


def test_nothing_missing_nothing_said(page):
    assert "Incomplete" not in page.text


def test_missing_data_are_named_with_the_reason(write):
    german = {"title": "Credit & risk", "reason": "the file is not there: connect."}
    adult = {"title": "A", "reason": "column `age`: correct it."}
    page = Page(write(missing={"german": german, "adult": adult})[0])
    (warning,) = [words for words in page.warnings if "Incomplete" in words]
    warning = " ".join(warning.split())
    assert "could not be fetched or prepared, so nothing here rests on them." in warning
    assert "german (Credit & risk): the file is not there: connect." in warning
    assert "adult (A): column `age`: correct it." in warning
    assert "not part of this run (unavailable: german)" in page.text


def test_the_warning_about_missing_data_is_made_of_sentences(write):
    german = {"title": "Credit", "reason": "the file is not there: connect."}
    page = Page(write(missing={"german": german})[0])
    (warning,) = [words for words in page.warnings if "Incomplete" in words]
    assert not re.search(r"[a-z][.;][A-Z]", warning)


def test_a_cell_that_differs_is_marked_and_explained(write):
    def change(comparison):
        cell = comparison["row"].eq("f1, Simulation") & comparison["column"].eq(
            "Separation, n=1,000"
        )
        comparison.loc[cell, ["verdict", "reproduced", "z", "p_adjusted"]] = (
            *("differs", 0.9, 26.6),
            1e-20,
        )

    text = write(change=change)[0]
    page = Page(text)
    assert any(cell.startswith("0.9000 ± ") and cell.endswith(" ≠") for cell in page.cells)
    (warning,) = [words for words in page.warnings if "f1, Simulation" in words]
    assert "differs: ours 0.9, published 0.4772 (z = 26.60, adjusted p = 1e-20)" in warning


def test_the_verdicts_are_counted(text, results):
    frames = [(results / f"{n}.csv").read_text() for n in ("comparison", "comparison_of_text")]
    for verdict, what in (("agrees", "published cells agree"), ("differs", "differ")):
        count = sum(frame.count(f",{verdict},") for frame in frames)
        assert f"<div><b>{count}</b>{what}</div>" in text


def test_figures_are_in_the_page(text):
    assert text.count("<svg") == text.count("</svg>") == 4
    assert "<?xml" not in text
    assert text.count("<!DOCTYPE") == 1


def test_how_it_was_made_is_said(page):
    for word in (
        *("Seed 1, level 0.05", "chunk_size: 250", "python 3.11.7, numpy 2.4.6, blas openblas"),
        *(
            SIDECAR["git_commit"],
            SIDECAR["platform"],
            "OPENBLAS_CORETYPE=Haswell",
            PREPARED["raw_sha256"]["compas.csv"],
        ),
    ):
        assert word in page.text
    row = page.cells[page.cells.index(SIDECAR["table"]) :][:6]
    assert row[1:] == ["summarise", "compas", SIDECAR["made"], "aaaaaaa-dirty", "5" * 16 + "…"]


def test_only_the_moment_differs_between_two_reports(write):
    one, two = (re.sub(r"made \d{4}-\d\d-\d\d \d\d:\d\d UTC", "", write()[0]) for _ in range(2))
    assert one == two


def test_it_is_said_how_large_effects_are(page):
    assert "How large" in page.text
    at = page.cells.index("H0t")  # behind data set, attribute, treatment and test
    assert page.cells[at : at + 5] == ["H0t", "1.250", "0.010", "0.300", "0.875"]


def test_without_published_tables_the_report_is_of_ones_own_results(write, tmp_path):
    published, arguments = write()
    assert "FairPairs: published and reproduced" in Page(published).headings
    write_report(tmp_path / "results/report.html", **{**arguments, "published": []})
    own = Page((tmp_path / "results/report.html").read_text("utf-8"))
    assert own.headings[0] == "FairPairs: results"
    assert "published cells agree" not in own.text
    assert "Made & tested" in own.headings
    assert {link.removeprefix("#") for link in own.hrefs} <= set(own.ids)


def test_prepared_data_are_looked_for_beside_the_results(write, tmp_path, monkeypatch):
    """As `write_report` says: data/prepared beside the folder of the report."""
    _, arguments = write()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    write_report(tmp_path / "results/report.html", **arguments)
    assert "Court &amp; records" in (tmp_path / "results/report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("repeats", "simulated", "expected"),
    [
        (1000, 10_000, []),
        (2000, 20_000, []),
        (999, 10_000, ["Table 5: 999 repeats where the paper has 1,000"]),
        (1000, 9999, ["Table 3: 9,999 repeats where the paper has 10,000"]),
    ],
)
def test_quick_look_compares_with_the_runs_of_the_paper(repeats, simulated, expected):
    tables = [
        {"heading": "Table 3", "from": {"simulation": "estimates"}, "runs": 10_000},
        {"heading": "Table 4", "from": {"datasets": ["compas"]}, "runs": 0},
        {"heading": "Table 5", "from": {"experiment": "classification"}, "runs": 1000},
    ]
    experiments = {"classification": {}}
    config = {
        "repeats": repeats, "simulation": {"repeats": simulated}, "experiments": experiments
    }  # fmt: skip
    assert quick_look(config, tables) == expected
    without = {"repeats": repeats, "experiments": experiments}
    assert quick_look(without, tables[1:]) == [note for note in expected if "Table 5" in note]


def test_the_summary_counts_each_table(results):
    lines = summary_text(results).splitlines()
    assert lines[:2] == ["", "FairPairs: the published cells, and ours"]
    assert "  comparative separation, table 1: 0 agree, 0 differ, 32 not comparable" in lines
    assert "  comparative separation, table 2: 16 agree, 0 differ" in lines
    assert any(line.startswith("  comparative separation, section 4.1.2: ") for line in lines)
    tallies = [line.partition(": ")[2] for line in lines if " agree, " in line]
    counts = [
        [int(found[1]) if (found := re.search(rf"(\d+) {verdict}", words_of_it)) else 0
         for verdict in ("agree", "differ", "not comparable")]
        for words_of_it in tallies
    ]  # fmt: skip
    *parts, total = counts
    assert len(parts) == 6
    assert [sum(numbers) for numbers in zip(*parts, strict=True)] == total
    assert sum(total) == 32 + 16 + 32 + 2 + 24 + 12
    assert lines[-1] == f"  report: {results.resolve() / 'report.html'}"


def test_the_summary_names_what_differs(write, tmp_path):
    def change(comparison):
        cell = comparison["row"].eq("f1, Simulation") & comparison["column"].eq(
            "Separation, n=1,000"
        )
        comparison.loc[cell, ["verdict", "reproduced", "p_adjusted"]] = "differs", 0.9, 1e-20

    write(change=change)
    text = summary_text(tmp_path / "results")
    place = "comparative_separation, table 3, f1, Simulation, Separation, n=1,000"
    assert f"  differs: {place}: 0.9 where " in text
    assert "0.4772 is published (Holm-adjusted p = 1e-20)" in text


def test_the_summary_of_a_formula_that_differs_has_no_p_value(write, tmp_path):
    def change(comparison):
        cell = comparison["row"].eq("f1, Expected") & comparison["column"].eq("Separation, n=1,000")
        comparison.loc[cell, ["verdict", "reproduced"]] = "differs", 0.4744

    write(change=change)
    text = summary_text(tmp_path / "results")
    assert "f1, Expected, Separation, n=1,000: 0.4744 where 0.4743 is published" in text
    assert "nan" not in text


def test_the_summary_names_what_is_missing(results):
    text = summary_text(results, {"german": "no file: connect.", "adult": "no column: correct it."})
    assert [line for line in text.splitlines() if "MISSING" in line] == [
        "  MISSING: the data set german is left out: no file: connect.",
        "  MISSING: the data set adult is left out: no column: correct it.",
    ]
    assert "MISSING" not in summary_text(results)


def test_the_summary_of_a_run_without_published_cells(tmp_path):
    for part, stem in zip(gather([]), ("comparison", "comparison_of_text"), strict=True):
        write_long_table(part, tmp_path / f"{stem}.csv", title=stem)
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/mine.csv").touch()
    assert summary_text(tmp_path).splitlines() == [
        *("", "FairPairs", f"  table: {tmp_path}/tables/mine.csv"),
        f"  report: {tmp_path.resolve() / 'report.html'}",
    ]


CALIBRATION = {
    "calibration": {
        "size": "quick",
        "sizes": {
            "quick": {
                "repeats": 2000,
                "permutation_repeats": 400,
                "permutations": 199,
                "level_repeats": 100,
            },
            "full": {
                "repeats": 9876,
                "permutation_repeats": 543,
                "permutations": 199,
                "level_repeats": 1000,
            },
        },
        "designs": {"fair": {"kind": "classifier", "items": [200], "pairs_per_item": [1]}},
    }
}


def write_study(study, results):
    """All that the report shows of a study."""
    stems = {kind: results / f"tables/calibration_{kind}.csv" for kind in ("items", "pairs")}
    write_design_tables([study], stems, results / "calibration.csv")
    design_figure(results / "figures/calibration.svg", study, alpha=0.05)
    label_mix(results / "figures/label_mix.svg", gap_of_label_mix)
    power_curves(results / "figures/power.svg", alpha=0.05)


@pytest.fixture(scope="module")
def calibrated_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("calibrated")


@pytest.fixture
def calibrated(write, study, calibrated_folder):
    """The text of the report of a run with a calibration study."""
    report = calibrated_folder / "results/report.html"
    if not report.exists():
        write_study(study, calibrated_folder / "results")
        write(folder=calibrated_folder, more=CALIBRATION)
    return report.read_text("utf-8")


def test_the_report_shows_the_calibration_study(calibrated):
    page = Page(calibrated)
    assert "Do the tests hold their level?" in page.headings
    assert "calibration" in page.ids
    assert "2,000 test sets of each design" in " ".join(page.text.split())
    assert "(400 for the permutation tests)" in page.text  # of the size that is run
    assert "9,876" not in page.text
    assert NOTE in page.text
    assert "test at 0.05 should find a violation in 5 %" in " ".join(page.text.split())
    assert "0.05 and 0.0975" in page.text


def test_the_report_has_every_cell_of_the_calibration_tables(calibrated, study):
    written = set(Page(calibrated).cells)
    for kind in ("items", "pairs"):
        table = display_table(study, kind)
        assert {*table, *table.to_numpy().ravel()} <= written
    assert "nan" not in written


def test_the_figures_of_the_study_are_in_the_page_once(calibrated):
    assert calibrated.count("<svg") == calibrated.count("</svg>") == 4 + 3
    page = Page(calibrated)
    assert sorted(name for name in page.ids if page.ids.count(name) > 1) == []
    for word in ("labels balanced, any noise", "judgments over these items", "Nothing is violated"):
        assert calibrated.count(word) == 1, word
    assert page.loads == []


def test_the_calibration_study_stands_beyond_the_papers(calibrated):
    headings = Page(calibrated).headings
    place = headings.index("Do the tests hold their level?")
    assert headings.index("Beyond the papers") < place
    assert headings.index("Experiments") < headings.index("Beyond the papers")
    assert headings[place + 1] == "Data"


def test_a_config_without_calibration_has_no_such_section(page, text):
    assert "Do the tests hold their level?" not in text
    assert "calibration" not in page.ids
    assert "† more than" not in text
    assert "Experiments" in page.headings


def test_a_calibration_without_designs_has_no_such_section(write):
    """The schema admits it, and then the workflow makes none of the files of the section."""
    none = {"calibration": {**CALIBRATION["calibration"], "designs": {}}}
    assert "Do the tests hold their level?" not in write(more=none)[0]


def test_the_wide_table_of_an_experiment_is_in_the_page(page):
    for word in ("None, MAE", "1.250 ± 0.010", "– ± –"):  # stands nowhere else
        assert page.cells.count(word) == 1, word
    for word in ("None, Separation", "FairBalance, Comparative separation", "0.250 ± 0.014"):
        assert word in page.cells


@pytest.fixture(scope="module")
def ranking_drawn(tmp_path_factory):
    """A folder of the figures of a ranking."""
    return tmp_path_factory.mktemp("ranking_drawn")


@pytest.fixture
def write_ranked(tmp_path, schema, ranked, score_curves, score_roles, ranking_drawn):
    """A function that writes the report of experiments on scores: `write(name=changes, …)`."""

    def write(**changes):
        results = tmp_path / "results"
        write_text(tmp_path / "data/prepared/made_scores.json", json.dumps(score_roles[0]))
        if not any(ranking_drawn.iterdir()):
            for kind in KINDS:
                curves(ranking_drawn / f"{kind}.svg", kind, score_curves, group_names(score_roles))
            forest(ranking_drawn / "ranking.svg", ranking_rows(ranked))
            experiment_rates(ranking_drawn / "rates.svg", ranked["violations"])
        experiments = {}
        for name, change in changes.items():
            experiments[name] = {
                "title": f"Made {name}",
                "datasets": ["made_scores"],
                "treatments": ["none", "fairbalance"],
                "model": "logistic_regression",
                "tests": ["separation", "xauc", "ranking", "xauc_adjustment"],
                "test_fraction": 0.5,
                "pairs_per_item": 2,
                "draws": 1,
                "repeats": 3,
                "curves": True,
                **change,
            }
            for part, ending in (("violations", ""), ("estimates", ".estimates")):
                write_parquet(results / f"summaries/{name}{ending}.parquet", ranked[part])
            figures = {"rates": f"{name}.svg", "ranking": f"ranking/{name}.svg"}
            if experiments[name]["curves"]:
                figures |= {kind: f"{kind}/{name}.svg" for kind in KINDS}
            for drawing, path in figures.items():
                text = (ranking_drawn / f"{drawing}.svg").read_text("utf-8")
                write_text(results / "figures" / path, text)
        config = {"seed": 1, "alpha": 0.05, "repeats": 3, "chunk_size": 3,
                  "experiments": experiments}  # fmt: skip
        write_report(
            results / "report.html", published=[], schema=schema, config=config,
            experiments=experiments, missing={},
        )  # fmt: skip
        return (results / "report.html").read_text("utf-8")

    return write


QUESTION = "Do the scores rank fairly?"


def section(page):
    """The words below the question, up to the next heading of its level."""
    return page.text.partition(QUESTION)[2].partition("\nData\n")[0]


def test_the_report_asks_whether_scores_rank_fairly(write_ranked, ranked, score_roles):
    page = Page(write_ranked(scores={}))
    assert QUESTION in page.headings
    assert page.headings.count("Made scores") == 2  # among the experiments, and here
    text = section(page)
    (sentence,) = treatment_effects(ranking_rows(ranked))
    assert f"Does a treatment that repairs separation repair the ranking? {sentence}" in text
    for note in (
        "Means over 3 repeats",
        "Groups: Made scores, sex: 0 Female, 1 Male",
        "“Adjusted” shifts",
    ):
        assert note in text
    for title in KINDS.values():
        assert f"{title}." in text
    assert "how often separation was found violated" in text
    assert "nan" not in text.lower().split()


def test_the_ranking_stands_with_all_its_numbers(write_ranked, ranked):
    page = Page(write_ranked(scores={}))
    for row in ranking_rows(ranked).to_dict("records"):
        if row["measure"].startswith("xAUC("):
            own = f"{row['mean']:.3f} ± {row['standard_error']:.3f} [{row['own_error']:.3f}]"
            assert own in page.cells
    assert "Made scores, race, FairBalance" in page.cells


def test_the_warning_of_a_data_set_stands_where_its_ranking_does(write_ranked, score_roles):
    page = Page(write_ranked(scores={}))
    warning = "Scores & ranks <made>. Nobody was asked & nothing was <measured>."
    assert page.warnings == [warning]
    assert section(page).count("Nobody was asked") == 1
    score_roles[0]["warning"] = ""
    quiet = Page(write_ranked(scores={}))
    assert quiet.warnings == []
    assert "Nobody was asked" not in quiet.text


@pytest.mark.parametrize("features", [{}, {"sensitive_sex": "numeric"}])
def test_that_the_model_sees_the_groups_is_said_where_it_sees_all(
    write_ranked, score_roles, features
):
    score_roles[0]["features"] = features
    assert "The model sees" not in write_ranked(scores={})
    score_roles[0]["features"] = dict.fromkeys(("sensitive_sex", "sensitive_race"), "numeric")
    assert "The model sees\nthe sensitive attributes here" in write_ranked(scores={})


def test_two_rankings_share_no_names_of_the_parts_of_their_figures(write_ranked):
    text = write_ranked(first={}, second={})
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert {href[1:] for href in page.hrefs} <= set(page.ids)
    used = set(re.findall(r"url\(#([^)]+)\)", text))
    assert used
    assert used <= set(page.ids)
    assert text.count("<svg") == text.count("</svg>") == 2 * (1 + 1 + len(KINDS))


def test_without_curves_the_differences_are_drawn_alone(write_ranked):
    text = write_ranked(scores={"curves": False})
    assert text.count("<svg") == 2
    assert "Calibration by group" not in text


@pytest.mark.parametrize("tests", [["separation"], ["ranking"], ["xauc", "xauc_adjustment"]])
def test_an_experiment_without_the_tests_of_a_ranking_has_none(write_ranked, tests):
    text = write_ranked(scores={"tests": tests}, ranked={})
    assert Page(text).headings.count("Made scores") == 1
    assert Page(text).headings.count("Made ranked") == 2


def test_a_report_without_any_ranking_does_not_ask(write_ranked, page):
    assert QUESTION not in page.headings
    assert QUESTION not in write_ranked(scores={"tests": ["separation"]})


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (50, 50, []),
        (50, 49, ["Table 1: 49 repeats where the paper has 50"]),
        (7, None, ["Table 1: 7 repeats where the paper has 50"]),
        (60, None, ["Table 1: 40 repeats where the paper has 50"]),
    ],
)
def test_a_table_of_several_experiments_is_as_quick_as_the_quickest(first, second, expected):
    """An experiment without repeats of its own has those of the run."""
    tables = [
        {"heading": "Table 1", "from": {"experiments": ["one", "two", "not_run"]}, "runs": 50}
    ]
    experiments = {"one": {"repeats": first}, "two": {"repeats": second} if second else {}}
    assert quick_look({"repeats": 40, "experiments": experiments}, tables) == expected


@pytest.fixture
def compared(write, tmp_path, shipped, rated, parity_summary):
    """The page of a run with people who are called 1, 2 and NA, and what it shows of them."""
    results, (_, arguments) = tmp_path / "results", write()
    rng = np.random.default_rng(3)
    people = ("1", "2", "NA")
    rows = [
        (repeat, "sex", i, j, row) for repeat in range(3) for i in people for j in people
        for row in ROWS
    ]  # fmt: skip
    study = pd.DataFrame(rows, columns=["repeat", "attribute", "decisions", "reference", "row"])
    study["dpd"] = rng.normal(0.2, 0.3, len(study))
    study["pvalue_one_sided"] = rng.random(len(study)) / 10
    study = study.assign(
        pvalue=2 * study["pvalue_one_sided"], dpd_overall=study["dpd"], estimate=study["dpd"],
        dpt=10 * study["dpd"], dof=99.0, of_all_labels=0.2,
    )  # fmt: skip
    texts = [shipped(f"differential_parity/{name}").cells for name in ("table_3", "section_4")]
    stems = [results / f"tables/bridges/judges{part}.csv" for part in ("", "_conclusions")]
    write_bridge_tables(study, *texts, stems, title="Judges")
    cells = with_published(distributions(study), study, texts[0])
    draw_bridges(results / "figures/bridges/judges.svg", cells)
    each = [frame[frame["attribute"] == "sex"] for frame in rated]
    for part, frame in zip(("pairs", "people"), each, strict=True):
        write_parquet(results / f"raters/compas.{part}.parquet", frame)
    draw_raters(results / "figures/raters/compas.svg", *each, PREPARED)
    write_parity_table(
        parity_summary, results / "tables/differential_parity/classification.csv", title="x"
    )
    shown = parity_rows(parity_summary)
    predictions_and_labels(results / "figures/differential_parity/classification.svg", shown)
    experiment = arguments["experiments"]["classification"]
    experiment["tests"] += ["differential_parity", "differential_parity_effect_size"]
    write_report(
        results / "report.html",
        **arguments,
        bridges={"judges": {"title": "Judges & <juries>", "dataset": "compas"}},
        raters=["compas"],
    )
    text = (results / "report.html").read_text("utf-8")
    return text, bridges_table(cells), parity_table(shown), rater_summary(*each, PREPARED)


def test_the_report_shows_people_bridges_and_predictions(compared):
    text, cells, rows, sentences = compared
    page = Page(text)
    for heading in (
        "Who prefers a group more than another does?",
        "Court & records <2016>: everyone against everyone",
        "Judges & <juries>",
        "Made & tested: predictions against labels",
    ):
        assert page.headings.count(heading) == 1
    assert set(cells.to_numpy().ravel()) | {*cells.index, *cells.columns} <= set(page.cells)
    assert {"1, Label Train", "NA, Biased Bridge", "2, Sex", "NA, Sex"} <= set(page.cells)
    assert set(rows.to_numpy().ravel()) | {*rows.index, *rows.columns} <= set(page.cells)
    assert " ".join(sentences) in page.text
    assert text.count('class="green"') == "".join(cells.to_numpy().ravel()).count("▲") > 0
    assert text.count("<svg") == 4 + 3
    assert len(page.ids) == len(set(page.ids))
    assert not [cell for cell in page.cells if "nan" in cell.lower().split()]


def test_without_decisions_the_report_has_no_section_of_them(page):
    assert "differential-parity" not in page.ids
    assert not [heading for heading in page.headings if "prefers a group" in heading]
