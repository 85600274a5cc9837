"""What the report reads of a run."""

import pandas as pd
import pytest

from fairpairs.base.files import write_json, write_parquet, write_text
from fairpairs.papers.display.tables import write_table
from fairpairs.papers.plan.results import Results


@pytest.fixture
def results(tmp_path):
    return Results("made", tmp_path, {"made": {"size": 3}}, {}, [])


def test_a_table_is_read_as_it_was_written(results, tmp_path):
    rows = pd.DataFrame(
        {"name": ["NA", ""], "code": ["01", "02"], "value": [0.1 + 0.2, float("nan")], "n": [1, 2]}
    )
    write_table(tmp_path / "results/tables/made/part/rows", rows)
    read = results.csv("part/rows", text=("name", "code"))
    pd.testing.assert_frame_equal(read, rows, check_exact=True)
    words = results.words("part/rows")
    assert words.to_numpy().tolist()[1] == ["", "02", "", "2"]


def test_what_the_run_did_not_make_is_nothing(results):
    assert results.csv("rows") is None
    assert results.words("rows") is None
    assert results.svg("figure") == ""


def test_parts_of_figures_are_named_after_study_and_figure(results, tmp_path):
    write_text(tmp_path / "results/figures/made/kind/one.svg", '<svg><g id="a"/></svg>')
    assert results.svg("kind/one") == '<svg><g id="made-kind-one-a"/></svg>'


def test_summaries_results_and_descriptions_are_found(results, tmp_path, summary, estimates):
    for part, frame in (("", summary), (".estimates", estimates)):
        write_parquet(tmp_path / f"results/summaries/loans{part}.parquet", frame)
    read = results.summary("loans")
    assert len(read["violations"]) == len(summary)
    assert len(read["estimates"]) == len(estimates)
    write_parquet(tmp_path / "results/made/pairs.parquet", summary)
    assert len(results.parquet("pairs")) == len(summary)
    write_json(tmp_path / "data/prepared/loans.json", {"title": "Loans"})
    assert results.roles("loans") == {"title": "Loans"}


def test_a_study_without_settings_has_none(results, tmp_path):
    assert results.settings == {"size": 3}
    assert Results("other", tmp_path, {}, {}, []).settings == {}
