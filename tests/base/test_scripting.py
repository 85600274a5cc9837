import logging

import pytest

from fairpairs import InputError
from fairpairs.base.scripting import run


@pytest.fixture(autouse=True)
def root_logger():
    """Give the test a root logger of its own: `run` replaces its handlers, pytest's among them."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers = []
    yield root
    for handler in root.handlers:
        handler.close()
    root.handlers = handlers
    root.setLevel(level)


def test_a_script_that_succeeds_logs_and_says_nothing(tmp_path, capsys):
    done = []

    def main():
        logging.getLogger("fairpairs.made").info("came from a mirror")
        done.append(True)

    run(main, tmp_path / "logs/deep/script.log")
    assert done == [True]
    assert "came from a mirror" in (tmp_path / "logs/deep/script.log").read_text("utf-8")
    assert capsys.readouterr() == ("", "")
    names, numbers = (tmp_path / "logs/deep/script.tsv").read_text("utf-8").splitlines()
    assert names.split("\t") == ["cpu_time", "max_rss"]
    assert min(map(float, numbers.split("\t"))) > 0


def test_bad_input_is_one_sentence_on_the_terminal_and_in_the_log(tmp_path, capsys):
    def main():
        try:
            {}["income"]
        except KeyError as error:
            raise InputError("loans.csv: there is no column `income`: correct the card.") from error

    with pytest.raises(SystemExit) as stopped:
        run(main, tmp_path / "script.log")
    assert stopped.value.code == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.strip() == "fairpairs: loans.csv: there is no column `income`: correct the card."
    assert err.splitlines()[1] == err.strip()  # it starts a line, whatever stood there before
    log = (tmp_path / "script.log").read_text("utf-8")
    assert "loans.csv: there is no column `income`: correct the card." in log
    assert "Traceback" not in log + err
    assert stopped.value.__suppress_context__  # Python does not print what stood behind it


def test_what_is_not_expected_leaves_a_traceback(tmp_path, capsys):
    def main():
        raise ZeroDivisionError("made")

    with pytest.raises(ZeroDivisionError, match="made"):
        run(main, tmp_path / "script.log")
    log = (tmp_path / "script.log").read_text("utf-8")
    assert "Traceback" in log
    assert "ZeroDivisionError: made" in log
    assert "fairpairs:" not in capsys.readouterr().err


def test_a_value_error_of_the_program_is_not_taken_for_bad_input(tmp_path):
    def main():
        int("x")

    with pytest.raises(ValueError, match="invalid literal"):
        run(main, tmp_path / "script.log")


def test_a_log_is_of_the_last_run(tmp_path):
    for word in ("first", "second"):
        run(lambda word=word: logging.getLogger().info(word), tmp_path / "script.log")
    log = (tmp_path / "script.log").read_text("utf-8")
    assert "second" in log
    assert "first" not in log
