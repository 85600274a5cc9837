"""What every test promises, measured on few data sets: the program runs, and has every test."""

import importlib
import sys
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest

import fairpairs
from benchmarks.levels.suite import TESTS


def test_every_public_test_is_measured():
    ends = ("_test", "_raters", "_bridge", "_from_judgments", "density_ratio_fairness")
    public = {name for name in dir(fairpairs) if name.endswith(ends) or name in ("audit", "xauc")}
    # any statistic of one's own; and the bridge that holds its level only if the model is unbiased
    public -= {"permutation_test", "unbiased_bridge"}
    # their data have judges: tests/mathematics/judgments/test_shares.py
    public -= {"outcome_ties_test", "first_place_test", "judge_lean_test"}
    assert {name for name in public if any(test.startswith(name) for test in TESTS)} == public


@pytest.mark.slow
def test_the_program_writes_the_tables_and_the_figures(monkeypatch, tmp_path):
    parts = ("comparative_separation_from_judgments", "margin_of_means", "two_proportion_test")
    call = ["levels", *parts, "f1", "regression_alike", "--sets", "2", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", call)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "1")  # which the program sets when it is imported
    command = importlib.import_module("benchmarks.levels.__main__")
    monkeypatch.setattr(command, "ProcessPoolExecutor", lambda _: ThreadPoolExecutor(1))
    command.main()
    table = pd.read_csv(tmp_path / "levels.csv")
    assert set(table["test"]) == set(parts)
    assert set(table["promise"]) == {"level", "coverage", "margin"}
    assert table["sets"].isin([1, 2]).all()
    assert table["kept"].is_monotonic_increasing
    worst = pd.read_csv(tmp_path / "worst.csv")
    assert set(worst["Test"]) == set(parts)
    designs = pd.read_csv(tmp_path / "pairs.csv")
    assert set(designs["Design"]) == {"f1 of Table I", "Regression, labels alike"}
    figures = ("levels", "rejections", "label_mix", "power")
    assert all((tmp_path / f"{name}.svg").stat().st_size > 10_000 for name in figures)
