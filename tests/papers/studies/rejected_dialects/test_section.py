"""What the report shows: tables and the figure."""

import pytest

from fairpairs.base.files import write_parquet
from fairpairs.papers.display.tables import write_table
from fairpairs.papers.studies.rejected_dialects.measures import measure_effects, measure_gaps
from fairpairs.papers.studies.rejected_dialects.tables import asterisk_rows
from tests.page import Page


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
