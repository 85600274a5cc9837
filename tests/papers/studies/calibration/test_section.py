"""What the report shows of the calibration of the tests."""

import numpy as np
import pandas as pd
import pytest

from fairpairs.papers.studies.calibration.designs.tables import (
    NOTE,
    display_table,
    write_design_tables,
)
from fairpairs.papers.studies.calibration.levels.tables import write_level_tables
from fairpairs.papers.studies.calibration.section import findings
from tests.page import Page

SIZE = {"permutations": 199, "level_repeats": 100, "margin_repeats": 10, "beside_repeats": 10}
CONFIG = {
    "calibration": {
        "size": "quick",
        "sizes": {
            "quick": {**SIZE, "repeats": 2000, "permutation_repeats": 400},
            "full": {**SIZE, "repeats": 9876, "permutation_repeats": 543},
        },
    }
}
FIGURES = ("rejections", "label_mix", "power")


@pytest.fixture
def tables(tmp_path):
    """The folder of the tables of the study."""
    folder = tmp_path / "results/tables/calibration"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def text(section_of, study, tables):
    """The section of a run with designs."""
    stems = {kind: tables / f"{kind}.csv" for kind in ("items", "pairs")}
    write_design_tables([study], stems, tables / "rejections.csv")
    return section_of("calibration", config=CONFIG, figures=FIGURES)


@pytest.mark.slow
def test_the_report_shows_the_calibration_study(text):
    page = Page(text)
    words = " ".join(page.text.split())
    assert page.headings == ["Do the tests hold their level?"]
    assert "calibration" in page.ids
    assert "2,000 test sets of each design" in words
    assert "(400 for the permutation tests)" in words  # of the size that is run
    assert "9,876" not in words
    assert NOTE in page.text
    assert "test at 0.05 should find a violation in 5 %" in words
    assert "0.05 and 0.0975" in words


@pytest.mark.slow
def test_the_report_has_every_cell_of_the_calibration_tables(text, study):
    written = set(Page(text).cells)
    for kind in ("items", "pairs"):
        table = display_table(study, kind)
        assert {*table, *table.to_numpy().ravel()} <= written
    assert "nan" not in written


@pytest.mark.slow
def test_the_figures_of_the_study_are_in_the_page_once(text):
    page = Page(text)
    assert text.count("<svg") == text.count("</svg>") == len(FIGURES)
    assert {f"calibration-{name}-a" for name in FIGURES} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    assert page.loads == []


def test_the_levels_are_shown_without_designs_too(section_of, tables):
    columns = ["test", "case", "promise", "of", "noted", "promised", "measured", "standard_error"]
    rows = [
        ("xauc", "ties", "level", "H0", False, 0.05, 0.051, 0.002),
        ("xauc", "rare", "coverage", "AUC", True, 0.9, 0.7, 0.01),
    ]
    levels = pd.DataFrame(rows, columns=columns).assign(bound=0.06, sets=1000, kept=[True, False])
    write_level_tables([levels], tables / "levels")
    page = Page(section_of("calibration", config=CONFIG, figures=("levels",)))
    assert page.headings == ["Does every test keep what it promises?"]
    assert (
        "What the tests promise: 2 promises measured, 1 broken (up to 1 by chance, where tests "
        "just keep them): the worst cases" in page.text
    )
    assert page.cells[:9] == [
        *("Test", "Promise", "Note", "Promised", "Measured", "Of", "Worst case", "Data sets"),
        "Kept",
    ]
    assert {"0.700 ± 0.010", "≥ 0.9", "≤ 0.05", "1,000", "yes", "no"} <= set(page.cells)


def test_without_results_there_is_no_section(section_of):
    assert section_of("calibration") == ""
    assert section_of("calibration", config=CONFIG) == ""


def calibration_row(design, test, quantity, n, pairs, rejected):
    columns = ("design", "test", "quantity", "n", "pairs_per_item", "rejected", "standard_error")
    values = (design, test, quantity, n, pairs, rejected, 0.002)
    return dict(zip(columns, values, strict=True))


@pytest.fixture
def rejections():
    return pd.DataFrame(
        [
            calibration_row("f0", "binomial", "either", 100, 2.0, 0.9),
            calibration_row("f0", "binomial", "either", 5000, 2.0, 0.271),
            calibration_row("f0", "binomial", "either", 5000, 16.0, 0.712),
            calibration_row("f0", "drawn_pairs", "holm", 5000, 16.0, 0.049),
            calibration_row("f0", "all_pairs", "holm", 5000, np.nan, 0.047),
            calibration_row("regression_labels_differ", "all_pairs_raw", "holm", 1000, np.nan, 0.4),
            calibration_row(
                "regression_labels_differ", "all_pairs_balanced", "holm", 1000, np.nan, 0.053
            ),
        ]
    )


def test_each_finding_has_its_numbers(rejections):
    published, mix = (text for _, text in findings(rejections))
    assert "one test set of 5,000 items" in published
    for number in ("27.1 ± 0.2 %", "71.2 ± 0.2 % with 16", "4.9 ± 0.2 %", "4.7 ± 0.2 %"):
        assert number in published
    assert "40.0 ± 0.2 %" in mix
    assert "5.3 ± 0.2 %" in mix


def test_what_was_not_simulated_is_not_found(rejections):
    assert list(findings(rejections.iloc[:0])) == []
    assert len(list(findings(rejections.iloc[:5]))) == 1


def test_the_findings_stand_with_their_evidence(section_of, rejections, tables):
    rejections.to_csv(tables / "rejections.csv", index=False)
    page = Page(section_of("calibration", config=CONFIG))
    assert page.headings == [title for title, _ in findings(rejections)]
    assert page.text.count("(results/tables/calibration/rejections.csv)") == 2
