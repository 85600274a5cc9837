"""The benchmarks: parts of the page, slopes, tools beside; small runs of what they measure."""

import importlib.util
import json
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import fairpairs as fp
from fairpairs.cli import app

FOLDER = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture
def load(monkeypatch):
    """Import a module of the benchmarks, which are scripts beside each other."""
    monkeypatch.syspath_prepend(str(FOLDER))
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(variable, "1")

    def module(name):
        found = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
        loaded = importlib.util.module_from_spec(found)
        monkeypatch.setitem(sys.modules, name, loaded)
        found.loader.exec_module(loaded)
        return loaded

    return module


def answer(*command):
    done = subprocess.run(
        [sys.executable, *map(str, command)], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_a_part_of_the_page_is_written_and_the_others_stay(load, tmp_path):
    page, path = load("page"), tmp_path / "benchmarks.md"
    text = (FOLDER.parent / "docs/reference/benchmarks.md").read_text("utf-8")
    path.write_text(text, "utf-8")
    path.with_suffix("").mkdir()
    notes = re.findall(r"(?s)csv -->\n\n(.*?)(?=\n\n|\n\Z)", text)
    assert len(notes) == len(page.PARTS)
    for part, note in zip(page.PARTS, notes, strict=True):
        page.write(path, part, pd.DataFrame({"what": [part]}), "A machine.")
        assert path.read_text("utf-8") == text.replace(note, "A machine.", 1)
        assert pd.read_csv(tmp_path / f"benchmarks/{part}.csv").to_dict("list") == {"what": [part]}
        path.write_text(text, "utf-8")


def test_the_slope_is_that_of_a_power(load):
    growth = load("growth")
    assert growth.slope([10, 100, 1000], [2, 63.2456, 2000]) == pytest.approx(1.5, abs=1e-5)
    assert growth.slope([10, 100, 1000], [math.nan, 1, 10]) == pytest.approx(1)
    assert math.isnan(growth.slope([10, 100], [math.nan, 1]))


@pytest.mark.parametrize("work", ["train", "test", "all pairs", "audit", "summarise"])
def test_each_work_can_be_done(load, work):
    load("measure")
    assert load("works").WORKS[work](300, 3)() is not None


@pytest.mark.slow
def test_a_work_is_measured_in_a_process_of_its_own():
    measured = answer(FOLDER / "works.py", "all pairs", "--n", 300)
    assert measured["seconds"] > 0
    assert measured["peak"] > 0


@pytest.mark.slow
def test_judgments_of_judges_are_summed_over_pairs(load):
    load("measure")
    plain = load("plain")
    drawn = load("judged").judgments(1000, np.random.default_rng(0))
    tpr, covariance = plain.judgments(**drawn)
    result = fp.comparative_separation_from_judgments(**drawn)
    assert np.allclose(result.tpr.ravel(), tpr)
    assert np.allclose(covariance, covariance.T)
    assert (np.diag(result.tpr_covariance) >= np.diag(covariance)).all()  # with a least variance


@pytest.mark.slow
def test_tools_are_measured_where_they_are_installed(load, tmp_path, monkeypatch):
    beside, path = load("beside"), tmp_path / "predictions.parquet"
    load("items").write_items(path, 3000)
    made = pd.read_parquet(path)
    rates = {
        a: {
            g: {"selection rate": p.yhat.mean(), "TPR": p.yhat[p.y == 1].mean(),
                "FPR": p.yhat[p.y == 0].mean()}
            for g, p in made.groupby(a)
        }
        for a in ("sex", "race")
    }  # fmt: skip
    script = tmp_path / "tools/by_fairlearn.py"
    script.parent.mkdir()
    answer = json.dumps({"version": "1.0", "rates": rates})
    script.write_text(f"import sys\nassert sys.argv[1] == {str(path)!r}\nprint({answer!r})")
    run = beside.run

    def run_here(command):
        """Run an audit in this process, and other commands as they are."""
        if command[: len(beside.COMMAND)] != beside.COMMAND:
            return run(command)
        done = CliRunner().invoke(app, [*map(str, command[len(beside.COMMAND) - 1 :])])
        return beside.Ran({}, 1.0, 1.0, 1.0) if done.exit_code == 0 else None

    monkeypatch.setattr(beside, "run", run_here)
    monkeypatch.setattr(beside, "HERE", tmp_path)
    monkeypatch.setattr(beside, "OTHERS", sys.executable)
    monkeypatch.setattr(beside, "has", lambda python, tool: tool == "fairlearn")
    rows = beside.of_audit("audit", path, 1)
    assert [row.who for row in rows] == [
        "FairPairs, all tests", "FairPairs, and its page", "fairlearn (1.0)",
        "aequitas", "aequitas, with its tests", "aif360",
    ]  # fmt: skip
    table = beside.table(rows)
    assert (table == "not installed").sum().sum() == 3


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
    load("measure")
    any_size = load("any_size")
    monkeypatch.delitem(any_size.AUDITS, "scores too")
    (audit,) = any_size.audited([2000])
    assert (audit.n, audit.what) == (2000, "decisions")
    assert audit.scan < audit.seconds and audit.peak > 50


@pytest.mark.slow
def test_made_results_have_the_shape_of_real_ones(load, tmp_path):
    load("measure")
    repeats = load("repeats")
    repeats.CHUNK = 2
    files = repeats.write_results(tmp_path, 3)
    assert len(files) == 2 * 3 * 2
    made = pd.read_parquet(files[0])
    real = load("works").test(400, 2, repeats.EXPERIMENT["tests"])()
    assert (made.dtypes == real.astype({"repeat": "int32"}).dtypes).all()
    keys = ["test", "repeat", "attribute", "hypothesis"]
    pd.testing.assert_frame_equal(made[keys], real[keys], check_dtype=False)
