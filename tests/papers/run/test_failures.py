"""Why a job failed, or a data set is left out, from the logs of a run."""

import logging
import os
from pathlib import Path

import pytest

from fairpairs import InputError
from fairpairs.base.scripting import run
from fairpairs.papers.run.failures import error_in, failure_text, why_unavailable

RAW, PREPARED = ["data/raw/loans/loans.csv"], "data/prepared/loans.parquet"


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    """The folder of a project, and a root logger of its own, whose handlers `run` replaces."""
    monkeypatch.chdir(tmp_path)
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers = []
    (tmp_path / "card.yaml").touch()
    yield tmp_path
    for handler in root.handlers:
        handler.close()
    root.handlers = handlers
    root.setLevel(level)


def script(log, error=None):
    """Run a script, which may fail."""

    def main():
        logging.getLogger().warning("ERROR is a word")
        if error is not None:
            raise error

    try:
        run(main, log)
    except (SystemExit, ValueError):
        assert error is not None


def put(*files):
    for file in files:
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        Path(file).touch()


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (None, ""),
        (InputError("no column: correct it."), "no column: correct it."),
        (ValueError("two\n  lines"), "ValueError: two lines"),
    ],
)
def test_the_error_of_a_log_is_one_line(error, line):
    script("script.log", error)
    assert error_in("script.log") == line


def test_no_log_has_no_error():
    assert error_in("nothing.log") == ""


def test_a_data_set_whose_files_are_there_is_available():
    put(*RAW)
    assert why_unavailable(RAW, PREPARED, "card.yaml") == ""


def test_a_missing_file_has_the_reason_of_its_log_or_the_remedy():
    missing = why_unavailable(RAW, PREPARED, "card.yaml")
    assert missing.startswith("the file data/raw/loans/loans.csv is not there: connect to ")
    assert missing.endswith(" FAIRPAIRS_MIRROR.")
    script("logs/fetch/loans/loans.csv.log", InputError("no such file: connect."))
    assert why_unavailable(RAW, PREPARED, "card.yaml") == "no such file: connect."
    put(*RAW)
    assert why_unavailable(RAW, PREPARED, "card.yaml") == ""


def test_what_could_not_be_prepared_has_the_reason_until_it_is_or_the_card_changes():
    put(*RAW)
    script("logs/prepare/loans.log", InputError("no column: correct it."))
    assert why_unavailable(RAW, PREPARED, "card.yaml") == "no column: correct it."
    later = Path("logs/prepare/loans.log").stat().st_mtime + 1
    os.utime("card.yaml", (later, later))
    assert why_unavailable(RAW, PREPARED, "card.yaml") == ""
    os.utime("card.yaml", (later - 9, later - 9))
    put(PREPARED)
    assert why_unavailable(RAW, PREPARED, "card.yaml") == ""


def test_each_failed_job_is_a_line():
    script("a.log", ValueError("wrong"))
    script("b.log")
    failed = [("Training on loans", ["b.log"]), ("Testing", ["a.log"])]
    assert failure_text(failed, {"adult": "no file."}).splitlines() == [
        "",
        "  FAILED: Testing: ValueError: wrong (log: a.log)",
        "  FAILED: Training on loans: it ended without a message, as a job does that is killed. "
        "(log: b.log)",
        "  MISSING: the data set adult is left out: no file.",
    ]


def test_an_error_of_an_earlier_run_is_not_told():
    script("a.log", ValueError("corrected"))
    failed = [("Training", ["a.log"]), ("Testing", ["none.log"])]
    since = Path("a.log").stat().st_mtime + 1
    why = "it was not begun: see what Snakemake or the cluster says of it above."
    assert failure_text(failed, {}, since=since).splitlines() == [
        "",
        f"  FAILED: Testing: {why} (log: none.log)",
        f"  FAILED: Training: {why} (log: a.log)",
    ]
