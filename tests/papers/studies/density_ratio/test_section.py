"""What the report shows of density ratios."""

import numpy as np
import pandas as pd
import pytest

from fairpairs.papers.display.layouts import display
from fairpairs.papers.display.tables import write_table
from fairpairs.papers.studies.density_ratio import regressor_tables as module
from fairpairs.papers.studies.density_ratio.synthetic_tables import known_separation_rows
from tests.page import Page


@pytest.fixture
def known():
    """Measures of regressions of known separation: a ratio of 1, and one of 1.86."""
    estimators = {"ulsif": 0.0, "ulsif_published": np.log(1.5), "logistic": 0.01}
    rows = [
        (i, gap, 1.0, truth, name, truth * np.exp(bias), pvalue, "")
        for gap, truth in ((0.0, 1.0), (1.0, 1.86))
        for name, bias in estimators.items()
        for i, pvalue in enumerate((0.01, 0.3, 0.4, 0.5))
    ]
    columns = ["repeat", "gap", "noise", "truth", "estimator", "value", "pvalue", "note"]
    return known_separation_rows(pd.DataFrame(rows, columns=columns), alpha=0.05)


@pytest.fixture
def made(tmp_path, known):
    """Tables of the study, as the workflow writes them, by name."""
    caps = pd.DataFrame(
        {
            "dataset": "communities", "regressor": "r1", "cap": [0.0, 0.9],
            "independence": [1 / 3, np.nan], "median": 1.5, "smallest": 0.5, "largest": 2.0,
            "failed": [0, 1], "items": [7, 3], "tested": 1200,
        }
    )  # fmt: skip
    estimators = pd.DataFrame(
        {"cap": 0.0, "interval": "0 - 0.9", "estimator": ["ridge", "lasso"], "bias": 0.1, "sd": 0.2,
         "standard_error": 0.1, "failed": [0.0, 0.5], "n": 4}
    )  # fmt: skip
    tables = {"caps": caps, "known_separation": known, "estimators": estimators}
    for name, rows in tables.items():
        write_table(tmp_path / f"results/tables/density_ratio/{name}", rows)
    return {name: display(module.__file__, name, rows, alpha=0.05) for name, rows in tables.items()}


@pytest.mark.slow
def test_each_table_is_the_one_that_was_written(section_of, made):
    page = Page(section_of("density_ratio", figures=("synthetic",)))
    place = 0
    for name in ("estimators", "known_separation", "caps"):  # in this order
        words = made[name]
        place = page.text.index(words.title, place)
        assert words.note in page.text
        flat = words.table.reset_index()
        at = page.cells.index(flat.columns[0])
        size = len(flat.columns) * (len(flat) + 1)
        assert page.cells[at : at + size] == [*flat.columns, *flat.to_numpy().ravel()]
    assert page.text.count("One point per regressor") == 0  # there is no such figure
    assert page.text.count("Synthetic data by the mean") == 1
    assert "1, 1 (ratio 1.86)" in page.cells
    assert "0.01 ± 0.00, rejected 0.25 ± 0.22" in page.cells


def test_asterisks_are_counted_from_the_table(tmp_path, section_of):
    rows = pd.DataFrame(
        {"table": [1, 2], "published": [0.5, np.nan], "published_asterisk": [1, 0],
         "verdict": ["agrees", "not comparable"], "note": ["", ""], "pvalue": [0.01, np.nan]}
    )  # fmt: skip
    words = display(module.__file__, "regressor_asterisks", rows)
    write_table(tmp_path / "results/tables/density_ratio/regressor_asterisks", rows)
    page = Page(section_of("density_ratio"))
    assert {*words.table.columns, *words.table.to_numpy().ravel()} <= set(page.cells)


def test_without_results_there_is_no_section(section_of):
    assert section_of("density_ratio", figures=("synthetic",)) == ""
