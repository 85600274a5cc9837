"""What a run prints at its end."""

import json

from fairpairs.reporting.summary import time_text


def test_the_time_is_that_of_the_jobs_of_this_run(tmp_path):
    records = [
        {"rule": "train", "log": ["a.log"], "starttime": 100.0, "endtime": 130.0},
        {
            "rule": "train",
            "log": ["a.log"],
            "starttime": 100.001,
            "endtime": 130.0,
        },  # too
        {"rule": "train", "log": ["b.log"], "starttime": 101.0, "endtime": 111.0},
        {"rule": "test", "log": ["c.log"], "starttime": 120.0, "endtime": 125.0},
        {
            "rule": "fetch",
            "log": ["d.log"],
            "starttime": 20.0,
            "endtime": 99.0,
        },  # before it
        {"rule": "report", "log": ["e.log"], "starttime": 130.0, "endtime": None},  # did not end
    ]
    for i, record in enumerate(records):
        (tmp_path / str(i)).write_text(json.dumps(record), "utf-8")
    assert time_text(tmp_path, 100) == "  where it went: 3 jobs of 45 s together: train 40, test 5"


def test_a_run_that_made_nothing_took_no_time(tmp_path):
    assert time_text(tmp_path / "metadata", 0) == ""
