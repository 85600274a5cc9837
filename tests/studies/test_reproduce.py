"""What a published table is reproduced from, whatever its paper."""

import json

import numpy as np
import pandas as pd
import pytest

from fairpairs.files import write_parquet
from fairpairs.published.cells import by, name, reproduced
from fairpairs.studies.reproduce import (
    TABLES,
    TEXTS,
    read_source,
    read_summaries,
    reproduce,
    words,
)


def test_a_cell_is_cleared_of_rounding_and_negative_zeros():
    assert reproduced(0.1 + 0.2)["reproduced"] == 0.3
    zero = reproduced(-1e-17)["reproduced"]
    assert zero == 0
    assert not np.signbit(zero)
    cell = reproduced(0.25, 0.01, runs=50, note="few")
    assert {k: cell[k] for k in ("standard_error", "runs", "note")} == {
        "standard_error": 0.01,
        "runs": 50,
        "note": "few",
    }
    assert np.isnan(cell["run_sd"])


def test_rows_are_looked_up_by_their_keys():
    frame = pd.DataFrame({"a": ["x", "x"], "b": ["y", "z"], "value": [1, 2]})
    assert by(frame, "a", "b") == {("x", "y"): {"value": 1}, ("x", "z"): {"value": 2}}


@pytest.mark.parametrize(("text", "key"), [("H0w", "h0w"), ("Adult income", "adult_income")])
def test_words_of_a_table_have_a_name_in_the_config(text, key):
    assert name(text) == key


@pytest.mark.parametrize("table", sorted(TABLES))
def test_a_table_of_which_the_run_has_nothing_has_the_columns_and_no_row(shipped, table):
    frame = reproduce(shipped(table), None)
    assert frame.empty
    assert {column: str(kind) for column, kind in frame.dtypes.items() if column not in
            ("row", "column", "note", "mark")} == dict.fromkeys(
        ("reproduced", "standard_error", "run_sd", "runs", "z"), "float64")  # fmt: skip
    assert words(shipped(table), None) == {}


def test_only_tables_with_words_have_functions_for_them(shipped):
    assert set(TEXTS) == {table for table in TABLES if "texts" in shipped(table).about}
    for table in set(TABLES) - set(TEXTS):
        assert words(shipped(table), {"anything": 1}) == {}


@pytest.fixture
def summary_paths(tmp_path):
    """Summaries of two experiments, whose names are alike."""
    paths = []
    for experiment in ("ranking", "ranking_more"):
        for part, ending in (("violations", ""), ("estimates", ".estimates")):
            paths.append(tmp_path / f"{experiment}{ending}.parquet")
            write_parquet(paths[-1], pd.DataFrame({"is": [f"{experiment}, {part}"]}))
    return paths


def test_summaries_are_read_by_experiment_and_part(summary_paths):
    found = read_summaries(summary_paths)
    assert {
        experiment: {part: frame["is"].item() for part, frame in parts.items()}
        for experiment, parts in found.items()
    } == {
        experiment: {part: f"{experiment}, {part}" for part in ("violations", "estimates")}
        for experiment in ("ranking", "ranking_more")
    }


def test_a_table_of_several_experiments_has_all_that_are_there(make_published, summary_paths):
    rows = [("r", "computed", 0, [1])]
    several = make_published(rows, **{"from": {"experiments": ["ranking", "ranking_more"]}})
    assert set(read_source(several, summary_paths, None)) == {"ranking", "ranking_more"}
    assert set(read_source(several, summary_paths[:2], None)) == {"ranking"}
    assert read_source(several, [], None) == {}


def test_a_table_of_one_experiment_has_its_summary_alone(make_published, summary_paths):
    one = make_published([("r", "computed", 0, [1])], **{"from": {"experiment": "ranking_more"}})
    found = read_source(one, summary_paths, None)
    assert found["estimates"]["is"].item() == "ranking_more, estimates"
    assert read_source(one, summary_paths[:2], None) is None


def test_settings_descriptions_and_items_are_read_too(make_published, tmp_path):
    def table(**source):
        return make_published([("r", "computed", 0, [1])], **{"from": source})

    settings = {"repeats": 3}
    assert read_source(table(simulation="settings"), [], settings) is settings
    (tmp_path / "loans.json").write_text(json.dumps({"counts": 3}), "utf-8")
    described = read_source(table(datasets=["loans"]), [tmp_path / "loans.json"], None)
    assert described == {"loans": {"counts": 3}}
    write_parquet(tmp_path / "items.parquet", pd.DataFrame({"x": [1, 2]}))
    assert len(read_source(table(items="jira"), [tmp_path / "items.parquet"], None)) == 2
    assert read_source(table(items="jira"), [], None) is None
