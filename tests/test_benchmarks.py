"""The benchmarks: parts of the page, tools beside; small runs of what they measure."""

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
def test_a_part_of_the_page_is_written_and_the_others_stay(load, tmp_path):
    run, path = load("run"), tmp_path / "benchmarks.md"
    text = (FOLDER.parent / "docs/reference/benchmarks.md").read_text("utf-8")
    path.write_text(text, "utf-8")
    path.with_suffix("").mkdir()
    notes = list(re.finditer(r"(?s)(?<=csv -->\n\n)(.*?)(?=\n\n|\n\Z)", text))
    assert len(notes) == len(run.PARTS)
    for part, note in zip(run.PARTS, notes, strict=True):
        run.write(path, part, pd.DataFrame({"what": [part]}), "A machine.")
        written = f"{text[: note.start()]}A machine.{text[note.end() :]}"
        assert path.read_text("utf-8") == written
        assert pd.read_csv(tmp_path / f"benchmarks/{part}.csv").to_dict("list") == {"what": [part]}
        path.write_text(text, "utf-8")


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


def test_rates_are_those_of_the_audit(load):
    beside = load("beside")
    table = pd.DataFrame(
        {"attribute": "sex", "group": ["f", "f"], "measure": ["TPR", "accuracy"], "estimate": 0.5}
    )
    assert beside.rates_of(table) == {"sex": {"f": {"TPR": 0.5}}}
    ours = {"sex": {"f": {"TPR": 0.5}}}
    beside.check(ours, {"sex": {"f": {"TPR": 0.5, "FPR": 1}}}, "x")
    with pytest.raises(SystemExit, match=r"x: TPR of sex f is 0\.6, not 0\.5"):
        beside.check(ours, {"sex": {"f": {"TPR": 0.6}}}, "x")


def test_items_are_made_in_pieces_with_scores_of_all_digits(load, tmp_path, monkeypatch):
    cases = load("cases")
    monkeypatch.setattr(cases, "PIECE", 1000)
    cases.write_items(tmp_path / "items.parquet", 2500)
    made = pd.read_parquet(tmp_path / "items.parquet")
    assert len(made) == made["score"].nunique() == 2500
    assert set(made["race"]) == set(cases.RACES)
    assert (made["yhat"] == (made["score"] > 0.5)).all()
