"""The tables in words, and the asterisks beside the printed ones."""

import numpy as np
import pandas as pd
import pytest

from fairpairs.base.files import write_parquet
from fairpairs.papers.display.layouts import display
from fairpairs.papers.display.tables import write_table
from fairpairs.papers.published.source import SourceData
from fairpairs.papers.published.table import read_published
from fairpairs.papers.studies.rejected_dialects import cells
from fairpairs.papers.studies.rejected_dialects.cells import CELLS, asterisk_rows
from fairpairs.papers.studies.rejected_dialects.measures import measure_effects, measure_gaps
from tests.page import Page

MODEL = "CIR-AMS/BTRM_Qwen2_7b_0613"


@pytest.fixture
def published(root):
    schema = root / "workflow/schemas/published.schema.yaml"
    folder = root / "config/published/rejected_dialects"
    return [read_published(file, schema) for file in sorted(folder.glob("*.yaml"))]


@pytest.fixture
def effects():
    """One model, whose drop has no asterisk and whose last d is missing."""
    quantities = ["accuracy", "drop", "d_translated", "d_aal_prompt", "d_wme_prompt"]
    return pd.DataFrame(
        {
            "model": MODEL,
            "quantity": quantities,
            "estimate": [0.824, -0.073, 0.492, -0.373, np.nan],
            "pvalue": [np.nan, 0.06, 0.01, 0.01, np.nan],
            "pvalue_holm": [np.nan, 0.06, 0.01, 0.01, np.nan],
        }
    )


def test_85_numbers_are_printed(published):
    assert [len(table.cells) for table in published] == [34, 17, 34]
    marks = pd.concat([table.cells["published_mark"] for table in published])
    assert (marks == "*").sum() == 63


def test_a_cell_is_its_effect_with_the_asterisk(published, effects):
    table = CELLS["table_1"](SourceData(published[0].cells, results=effects))
    assert table({"model": MODEL, "quantity": "accuracy"})["reproduced"] == 0.824
    assert table({"model": MODEL, "quantity": "drop"})["mark"] == ""
    assert table({"model": MODEL, "quantity": "d_translated"})["mark"] == "*"
    assert np.isnan(table({"model": MODEL, "quantity": "d_wme_prompt"})["reproduced"])
    assert table({"model": "o/none", "quantity": "drop"}) is None
    nothing = CELLS["table_1"](SourceData(published[0].cells))
    assert nothing({"model": MODEL, "quantity": "drop"}) is None


def test_asterisks_are_compared_where_the_run_has_them(published, effects):
    effects.loc[4, "pvalue"] = 0.01  # tested for another model
    rows = asterisk_rows(published, effects)
    assert len(rows) == 4 * 17
    own = rows[rows["row"] == MODEL]
    assert own["verdict"].tolist() == ["differs", "agrees", "agrees", "not comparable"]
    assert set(rows.loc[rows["row"] != MODEL, "verdict"]) == {"not comparable"}
    counts = display(cells.__file__, "asterisks", rows).table
    assert counts.loc["all"].tolist() == ["68", "63", "2", "2", "1"]


def test_each_model_has_a_row_with_both_gaps(make_scores):
    gaps = measure_gaps({"a/b": make_scores(1, lean=0.5), "c/d": make_scores(2)})
    table = display(cells.__file__, "gaps", gaps).table
    assert list(table.index) == ["a/b", "c/d"]
    row = gaps.query("model == 'a/b' and hypothesis == 'across'").iloc[0]
    assert table.loc["a/b", "across: gap"] == f"{row['estimate']:+.3f}"
    assert table.loc["a/b", "TPR(WME,AAL)"] == f"{row['first']:.3f}"
    assert table.loc["a/b", "across: interval"] == f"{row['ci_low']:+.3f} to {row['ci_high']:+.3f}"


@pytest.fixture
def made(tmp_path, make_scores):
    """Effects and gaps of two models, as the workflow writes them."""
    models = {"a/b": make_scores(1, lean=0.8, worse=0.5), "c/d": make_scores(2)}
    effects, gaps = measure_effects(models), measure_gaps(models)
    rows = asterisk_rows([], effects)
    write_parquet(tmp_path / "results/rejected_dialects/effects.parquet", effects)
    folder = tmp_path / "results/tables/rejected_dialects"
    write_table(folder / "gaps", gaps)
    write_table(folder / "asterisks", rows)


@pytest.mark.slow
def test_the_gaps_are_shown(section_of, made):
    page = Page(section_of("rejected_dialects", figures=("gaps",)))
    text = page.text
    assert "2 reward models score" in text
    assert "400 prompts" in text
    assert "may be worse text" in text


def test_without_results_there_is_no_section(section_of):
    assert section_of("rejected_dialects") == ""
