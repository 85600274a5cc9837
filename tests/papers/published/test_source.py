"""What of a run a published table is reproduced from: planned, and read."""

import pandas as pd
import pytest

from fairpairs.base.files import write_json, write_parquet
from fairpairs.papers.experiments.summaries import read_summaries
from fairpairs.papers.published.source import Result, Source

EXPERIMENTS = {"one": {"datasets": ["compas", "german"]}, "two": {"datasets": ["adult"]}}
RESULTS = {"simulation": Result(("simulation.parquet",)), "caps": Result((), ("communities",))}


@pytest.mark.parametrize(
    ("spec", "datasets"),
    [
        ({"settings": True}, set()),
        ({"datasets": ["jira"]}, {"jira"}),
        ({"items": "jira"}, {"jira"}),
        ({"experiments": ["one", "two"]}, {"compas", "german", "adult"}),
        ({"experiments": ["two", "three"]}, {"adult"}),
        ({"results": "simulation"}, set()),  # so that it is never blamed on a data set
        ({"results": "caps", "published": ["table_1"]}, {"communities"}),
        ({"results": "unknown"}, set()),
    ],
)
def test_a_source_rests_on_data_sets(spec, datasets):
    assert Source.of("study", spec).rests_on(EXPERIMENTS, RESULTS) == datasets


@pytest.mark.parametrize(
    ("spec", "asked"),
    [
        ({"settings": True}, True),
        ({"datasets": ["jira"]}, False),
        ({"datasets": ["jira", "adult"]}, True),
        ({"items": "adult"}, True),
        ({"experiments": ["two"]}, True),
        ({"experiments": ["three"]}, False),
        ({"results": "simulation"}, True),
        ({"results": "caps"}, False),
        ({"results": "unknown"}, False),
    ],
)
def test_a_config_asks_for_a_source_by_its_settings_data_sets_or_simulations(spec, asked):
    source = Source.of("study", spec)
    assert source.is_asked_for(["adult"], EXPERIMENTS, RESULTS, {"seed": 1}) == asked


def test_settings_that_the_config_does_not_have_are_not_asked_for():
    assert not Source.of("study", {"settings": True}).is_asked_for([], {}, {}, {})


@pytest.fixture
def read():
    """A function that reads a source: `read(spec, settings=…, **files)`."""

    def read(spec, settings=None, **files):
        return Source.of("study", spec).read(files, settings=settings, cells=pd.DataFrame())

    return read


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


def test_a_table_of_several_experiments_has_all_that_are_there(read, summary_paths):
    several = {"experiments": ["ranking", "ranking_more"]}
    assert set(read(several, summaries=summary_paths).experiments) == {"ranking", "ranking_more"}
    assert set(read(several, summaries=summary_paths[:2]).experiments) == {"ranking"}
    assert read(several, summaries=[]).experiments == {}
    assert read(several).is_empty


def test_a_result_in_several_chunks_is_read_as_one(read, tmp_path):
    paths = [tmp_path / f"{name}.parquet" for name in ("one", "two")]
    for i, path in enumerate(paths):
        write_parquet(path, pd.DataFrame({"x": [i, i]}))
    data = read({"results": "bridges/split"}, results=paths)
    assert list(data.results["x"]) == [0, 0, 1, 1]
    assert list(data.results.index) == [0, 1, 2, 3]
    assert not data.is_empty
    assert read({"results": "bridges/split"}).results is None


def test_settings_descriptions_and_items_are_read_too(read, tmp_path):
    settings = {"repeats": 3}
    assert read({"settings": True}, settings).settings is settings
    assert read({"items": "jira"}, settings).settings is None
    write_json(tmp_path / "loans.json", {"counts": 3})
    described = read({"datasets": ["loans"]}, datasets=[tmp_path / "loans.json"])
    assert described.datasets == {"loans": {"counts": 3}}
    write_parquet(tmp_path / "items.parquet", pd.DataFrame({"x": [1, 2]}))
    assert len(read({"items": "jira"}, prepared=[tmp_path / "items.parquet"]).items) == 2
    assert read({"items": "jira"}).items is None
