"""What the report shows of the calibration of the tests."""

import numpy as np
import pandas as pd
import pytest

from fairpairs.papers.studies.calibration.section import findings
from tests.page import Page


def test_without_results_there_is_no_section(section_of):
    assert section_of("calibration") == ""


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


def test_the_findings_stand_with_their_evidence(section_of, rejections, tmp_path):
    folder = tmp_path / "results/tables/calibration"
    folder.mkdir(parents=True)
    rejections.to_csv(folder / "rejections.csv", index=False)
    page = Page(section_of("calibration"))
    assert page.headings == [title for title, _ in findings(rejections)]
    assert page.text.count("(results/tables/calibration/rejections.csv)") == 2
