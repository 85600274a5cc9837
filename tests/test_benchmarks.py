"""The benchmarks: parts of the page, slopes, tools beside; small runs of what they measure."""

import importlib.util
import math
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


def test_a_part_of_the_page_is_written_and_the_others_stay(load, tmp_path):
    page, path = load("page"), tmp_path / "benchmarks.md"
    text = (FOLDER.parent / "docs/reference/benchmarks.md").read_text("utf-8")
    path.write_text(text, "utf-8")
    path.with_suffix("").mkdir()
    notes = list(re.finditer(r"(?s)(?<=csv -->\n\n)(.*?)(?=\n\n|\n\Z)", text))
    assert len(notes) == len(page.PARTS)
    for part, note in zip(page.PARTS, notes, strict=True):
        page.write(path, part, pd.DataFrame({"what": [part]}), "A machine.")
        written = f"{text[: note.start()]}A machine.{text[note.end() :]}"
        assert path.read_text("utf-8") == written
        assert pd.read_csv(tmp_path / f"benchmarks/{part}.csv").to_dict("list") == {"what": [part]}
        path.write_text(text, "utf-8")


def test_the_slope_is_that_of_a_power(load):
    growth = load("growth")
    assert growth.slope([10, 100, 1000], [2, 63.2456, 2000]) == pytest.approx(1.5, abs=1e-5)
    assert growth.slope([10, 100, 1000], [math.nan, 1, 10]) == pytest.approx(1)
    assert math.isnan(growth.slope([10, 100], [math.nan, 1]))


@pytest.mark.parametrize("work", ["train", "experiment", "test", "all pairs", "audit", "summarise"])
def test_each_work_can_be_done(load, work):
    assert load("works").WORKS[work](300, 3)() is not None


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
    items = load("items")
    monkeypatch.setattr(items, "PIECE", 1000)
    items.write_items(tmp_path / "items.parquet", 2500)
    made = pd.read_parquet(tmp_path / "items.parquet")
    assert len(made) == made["score"].nunique() == 2500
    assert set(made["race"]) == set(items.RACES)
    assert (made["yhat"] == (made["score"] > 0.5)).all()


@pytest.mark.slow
def test_audits_of_any_size_are_measured(load, monkeypatch):
    any_size = load("any_size")
    monkeypatch.delitem(any_size.AUDITS, "scores too")
    (audit,) = any_size.audited([2000])
    assert (audit.n, audit.what) == (2000, "decisions")
    assert audit.scan < audit.seconds and audit.peak > 50
