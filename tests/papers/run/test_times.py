"""How long the jobs of a run took."""

import json

import pytest
import yaml

from fairpairs.papers.run.times import keep_seconds, read_seconds, time_text

RECORDS = [
    {"rule": "train", "log": ["a.log"], "starttime": 100.0, "endtime": 130.0},
    {"rule": "train", "log": ["a.log"], "starttime": 100.001, "endtime": 130.0},  # the same job
    {"rule": "train", "log": ["b.log"], "starttime": 101.0, "endtime": 111.0},
    {"rule": "test", "log": ["c.log"], "starttime": 120.0, "endtime": 125.0},
    {"rule": "fetch", "log": ["d.log"], "starttime": 20.0, "endtime": 99.0},  # of an earlier run
    {"rule": "report", "log": ["e.log"], "starttime": 130.0, "endtime": None},  # did not end
]


@pytest.fixture
def metadata(tmp_path):
    folder = tmp_path / "metadata"
    folder.mkdir()
    for i, record in enumerate(RECORDS):
        (folder / str(i)).write_text(json.dumps(record), "utf-8")
    return folder


def test_the_time_is_that_of_the_jobs_of_this_run(metadata):
    assert time_text(metadata, 100) == "  where it went: 3 jobs of 45 s together: train 40, test 5"


def test_a_run_that_made_nothing_took_no_time(tmp_path):
    assert time_text(tmp_path / "metadata", 0) == ""


def test_the_mean_time_of_a_job_is_kept_by_rule(metadata, tmp_path):
    keep_seconds(metadata, tmp_path / "seconds.yaml")
    seconds = yaml.safe_load((tmp_path / "seconds.yaml").read_text("utf-8"))
    assert seconds == {"train": 20.0, "test": 5.0, "fetch": 79.0}


def test_a_run_without_times_keeps_those_of_before(tmp_path):
    (tmp_path / "seconds.yaml").write_text("{train: 1.0}", "utf-8")
    keep_seconds(tmp_path / "metadata", tmp_path / "seconds.yaml")
    assert (tmp_path / "seconds.yaml").read_text("utf-8") == "{train: 1.0}"


def test_records_that_cannot_be_read_are_left_out(metadata):
    (metadata / "empty").touch()
    long = metadata / "@of_long_names"
    long.mkdir()
    record = {"rule": "embed", "log": ["f.log"], "starttime": 100.0, "endtime": 107.0}
    (long / "name").write_text(json.dumps(record), "utf-8")
    assert "4 jobs of 52 s together: train 40, embed 7, test 5" in time_text(metadata, 100)


@pytest.mark.parametrize(
    "text", ["", "- 1", "42", "a: [1", "a: 1\na: 2", "train: abc", "train: null", "train: -5",
             "train: .nan", "train: .inf", "train: 0"]
)  # fmt: skip
def test_times_that_are_none_are_left_out(tmp_path, text):
    (tmp_path / "seconds.yaml").write_text(text, "utf-8")
    assert read_seconds(tmp_path / "seconds.yaml") == {}


def test_times_are_read_as_they_were_kept(metadata, tmp_path):
    keep_seconds(metadata, tmp_path / "seconds.yaml")
    assert read_seconds(tmp_path / "seconds.yaml")["train"] == 20.0
    assert read_seconds(tmp_path) == read_seconds(tmp_path / "none") == {}
