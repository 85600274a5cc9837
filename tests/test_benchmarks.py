"""The benchmarks: their page, and small runs of what they measure."""

import importlib.util
import re
import sys
from pathlib import Path

import pandas as pd
import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture
def load(monkeypatch):
    """Import a module of the benchmarks, which are scripts beside each other."""
    monkeypatch.syspath_prepend(str(FOLDER))

    def module(name):
        found = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
        loaded = importlib.util.module_from_spec(found)
        monkeypatch.setitem(sys.modules, name, loaded)
        found.loader.exec_module(loaded)
        return loaded

    return module


@pytest.mark.slow
def test_table_and_note_of_the_page_are_written_and_the_rest_stays(load, tmp_path):
    run, path = load("run"), tmp_path / "benchmarks.md"
    text = (FOLDER.parent / "docs/reference/benchmarks.md").read_text("utf-8")
    path.write_text(text, "utf-8")
    path.with_suffix("").mkdir()
    (note,) = re.finditer(r"(?s)(?<=csv -->\n\n)(.*?)(?=\n\n|\n\Z)", text)
    run.write(path, pd.DataFrame({"what": ["a"]}), "A machine.")
    assert path.read_text("utf-8") == f"{text[: note.start()]}A machine.{text[note.end() :]}"
    assert pd.read_csv(tmp_path / "benchmarks/promises.csv").to_dict("list") == {"what": ["a"]}


def test_the_page_has_the_figures_of_all_cases(load):
    run = load("run")
    table = pd.read_csv(FOLDER.parent / "docs/reference/benchmarks/promises.csv")
    commands = [*map(run.audits, run.SIZES), *run.COMMANDS]
    named = [f"{case.name}, {figure}" for some in commands for case in some.cases
             for figure in case.bounds]  # fmt: skip
    assert table["what"].tolist() == [*run.FUNCTIONS, *named]


def test_a_promise_is_broken_if_no_round_keeps_its_bound(load, capsys):
    figures = [("a", [1.0, 3.0], 2.0), ("b", [2.5, 3.0], 2.0)]
    table = load("run").promises(figures, 2)
    assert table["broken"].tolist() == ["", "BROKEN"]
    assert table.loc[0, "median"] == "2" and "BROKEN" in capsys.readouterr().out


@pytest.mark.slow
def test_commands_are_measured_in_one_folder_beside_a_plain_way(load):
    run = load("run")
    found = {name: values for name, values, _ in run.of_commands(run.audits(2000), 1)}
    assert len(found) == 2 and all(seconds > 0 for (seconds,) in found.values())
    (audit, _) = run.audits(10**7).cases
    small = run.Cases([audit], run.audits(2000).files)
    figures = {name.rpartition(", ")[2]: values[0] for name, values, _ in run.of_commands(small, 1)}
    assert figures["times DuckDB's scan"] > 1 and 50 < figures["peak MB"] < 1000


def test_items_are_made_in_pieces_with_scores_of_all_digits(load, tmp_path, monkeypatch):
    cases = load("cases")
    monkeypatch.setattr(cases, "PIECE", 1000)
    cases.write_items(tmp_path / "items.parquet", 2500)
    made = pd.read_parquet(tmp_path / "items.parquet")
    assert len(made) == made["score"].nunique() == 2500
    assert set(made["race"]) == set(cases.RACES)
    assert (made["yhat"] == (made["score"] > 0.5)).all()
