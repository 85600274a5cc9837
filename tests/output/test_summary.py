"""What a run prints at its end."""

import json

from fairpairs.output.summary import summary_text, time_text


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


def test_a_section_is_named_as_the_paper_does(tmp_path):
    """5 and 5.1 are words, not numbers."""
    columns = "row,column,published,reproduced,standard_error,z,p_adjusted,verdict,note\n"
    (tmp_path / "comparison.csv").write_text(f"paper,table,{columns}")
    rows = "".join(f"xauc,{name},n,p,1,1,0,,,agrees,\n" for name in ("5", "5.1"))
    (tmp_path / "comparison_of_text.csv").write_text(f"paper,section,{columns}{rows}")
    text = summary_text(tmp_path)
    assert "  xauc, section 5: 1 agree, 0 differ\n" in text
    assert "  xauc, section 5.1: 1 agree, 0 differ\n" in text
    assert "  all: 2 agree, 0 differ\n" in text
