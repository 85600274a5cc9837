"""The published cells as tasks: each once, and a grader that notices what is wrong or copied."""

import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from fairpairs.base.errors import InputError
from fairpairs.papers.article.tasks import (
    TASKS,
    cell_tasks,
    grade,
    grade_text,
    read_answers,
    read_tasks,
    tasks_text,
)

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    with zipfile.ZipFile(ROOT / "expected/tables.zip") as packed:
        packed.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def tasks(run):
    return cell_tasks(run)


@pytest.fixture(scope="module")
def cells(run):
    files = [pd.read_csv(run / f"results/comparison{kind}.csv") for kind in ("", "_of_text")]
    return pd.concat(files, ignore_index=True)


def honest(tasks, seed, factor=1.0):
    """Answers of someone who simulates as we do; `factor` times as far off."""
    rng = np.random.default_rng(seed)
    return {
        task["task"]: {"value": task["published"] + factor * rng.normal() * (task["error"] or 0.0)}
        for task in tasks
    }


@pytest.mark.slow
def test_each_cell_that_is_compared_is_one_task(tasks, cells):
    compared = cells[cells["verdict"] != "not comparable"]
    assert len({task["task"] for task in tasks}) == len(tasks) == len(compared)
    assert sum(task["published"] for task in tasks) == pytest.approx(compared["published"].sum())
    differs = [task for task in tasks if "our own reproduction differs" in " ".join(task["traps"])]
    assert len(differs) == (compared["verdict"] == "differs").sum()


@pytest.mark.slow
def test_our_own_numbers_get_our_own_verdicts(tasks, cells):
    compared = cells[cells["verdict"] != "not comparable"].reset_index(drop=True)
    ours = {
        task["task"]: {"value": value}
        for task, value in zip(tasks, compared["reproduced"], strict=True)
    }
    found = grade(tasks, ours).cells
    same = found["verdict"].to_numpy() == compared["verdict"].to_numpy()
    # a cell of a single run of the paper has a spread of another form
    assert same.mean() > 0.99
    assert not grade(tasks, ours).looks_copied


@pytest.mark.slow
def test_honest_answers_agree_and_do_not_look_copied(tasks):
    for seed in range(20):
        found = grade(tasks, honest(tasks, seed))
        assert not found.looks_copied
        assert (found.cells["verdict"] == "differs").sum() <= 6
    wrong = grade(tasks, honest(tasks, 0, factor=10)).cells
    assert (wrong["verdict"] == "differs").mean() > 0.5


def test_copied_answers_are_noticed(tasks):
    copied = {task["task"]: {"value": task["published"]} for task in tasks}
    found = grade(tasks, copied)
    assert found.looks_copied
    assert "NEARER THAN CHANCE" in grade_text(found)
    assert grade(tasks, honest(tasks, 3, factor=0.5)).looks_copied  # half as far off as chance


def test_a_standard_error_of_the_answer_takes_the_place_of_ours():
    task = {
        "task": "a", "paper": "p", "place": "table 1", "published": 0.5, "error": 0.05,
        "own_error": 0.03, "rounding": None, "telling": True,
    }  # fmt: skip
    (z,) = grade([task], {"a": {"value": 0.6}}).cells["z"]
    assert z == pytest.approx(0.1 / 0.05)
    (z,) = grade([task], {"a": {"value": 0.6, "standard_error": 0.0}}).cells["z"]
    assert z == pytest.approx(0.1 / 0.04)
    (z,) = grade([task], {"a": {"value": 0.6, "standard_error": 0.3}}).cells["z"]
    assert z == pytest.approx(0.1 / np.hypot(0.04, 0.3))
    (z,) = grade([task], {"a": {"value": 1e308, "standard_error": 1e308}}).cells["z"]
    assert z == pytest.approx(1)


def test_computed_cells_must_round_to_the_print_and_papers_are_counted():
    computed = {
        "paper": "p", "place": "table 2", "published": 0.25, "error": None,
        "own_error": None, "rounding": 0.005, "telling": False,
    }  # fmt: skip
    tasks = [{"task": name, **computed} for name in "abc"]
    found = grade(tasks, {"a": {"value": 0.2549}, "b": {"value": 0.2551}})
    assert found.cells["verdict"].tolist() == ["agrees", "differs", "missing"]
    (paper,) = found.papers.to_dict("records")
    low, high = binomtest(1, 2).proportion_ci(method="exact")
    assert (paper["agree"], paper["answered"], paper["tasks"]) == (1, 2, 3)
    assert (paper["low"], paper["high"]) == (low, high)
    assert grade_text(found).startswith("1 of 2 answers agree with the print, of 3 tasks.")
    assert grade_text(grade(tasks, {})).endswith("p: no answer")


def test_tasks_are_read_again(tasks, tmp_path):
    path = tmp_path / "tasks.jsonl"
    path.write_bytes(tasks_text(tasks))
    assert read_tasks(path) == tasks


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"task": "a"}', "line 1 lacks `task` or `value`: give both"),
        ('{"task": "a", "value": "x"}', "line 1: `value` must be a number"),
        ('{"task": "a", "value": NaN}', "line 1: `value` must be a number"),
        (f'{{"task": "a", "value": {10**400}}}', "line 1: `value` must be a number"),
        ('{"task": "a", "value": true}', "line 1: `value` must be a number"),
        ('{"task": "a", "value": 1, "standard_error": -1}', "line 1: `standard_error` is negative"),
        ('{"task": "a", "value": 1, "standard_error": []}', "`standard_error` must be a number"),
        ('\n{"task": "a", "value": 1}\n{"task": "a", "value": 2}', "line 3 answers a task again"),
        ("[1]", "line 1 is no object"),
        ("{", "line 1 is no JSON: correct it"),
        ("[" * 100_000, "line 1 is no JSON: correct it"),
        ("\0" * 9, "not a text in UTF-8 (it has zero bytes)"),
    ],
)
def test_wrong_answers_are_refused_in_one_sentence(tmp_path, text, words):
    path = tmp_path / "answers.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as raised:
        read_answers(path)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


def test_other_files_and_tasks_are_refused(tasks, tmp_path):
    path = tmp_path / "tasks.jsonl"
    with pytest.raises(InputError, match=r"cannot be read \(No such file"):
        read_tasks(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"line 1 is no text in UTF-8"):
        read_tasks(path)
    path.write_text('{"a": 1}', "utf-8")
    with pytest.raises(InputError, match=rf"not the tasks of a run: `make article` writes {TASKS}"):
        read_tasks(path)
    with pytest.raises(InputError, match="a pipe or a device, not a file"):
        read_tasks(Path(os.devnull))
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(10 * 2**30)
    with pytest.raises(InputError, match="it has zero bytes"):
        read_tasks(tmp_path / "sparse")
    with pytest.raises(InputError, match="there is no task 'z': take the names of the tasks"):
        grade(tasks, {"z": {"value": 1}})
    with pytest.raises(InputError, match=r"comparison\.csv: there is no such file: finish"):
        cell_tasks(tmp_path)


def test_the_command_grades_a_file(tasks, tmp_path):
    from typer.testing import CliRunner

    from fairpairs.cli import app

    (tmp_path / "tasks.jsonl").write_bytes(tasks_text(tasks))
    answers = [{"task": name, **answer} for name, answer in honest(tasks[:30], 1).items()]
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, answers)), "utf-8")
    options = ["--tasks", str(tmp_path / "tasks.jsonl"), "--out", str(tmp_path / "cells.csv")]
    result = CliRunner().invoke(app, ["grade", str(tmp_path / "answers.jsonl"), *options])
    assert result.exit_code == 0
    assert f"of 30 answers agree with the print, of {len(tasks)} tasks." in result.stdout
    written = pd.read_csv(tmp_path / "cells.csv")
    assert (written["verdict"] != "missing").sum() == 30
    bad = CliRunner().invoke(app, ["grade", str(tmp_path / "none.jsonl"), *options[:2]])
    assert bad.exit_code == 2
    assert bad.stderr.count("\n") == 1
