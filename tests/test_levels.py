"""What every test promises, measured on few data sets: the program runs, and has every test."""

import importlib
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import fairpairs
from benchmarks.levels import treatments
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


@pytest.mark.parametrize("measure", ["accuracy", "tpr_gap"])
def test_two_learners_are_fitted_and_measured_as_by_a_loop(measure):
    rng = np.random.default_rng(1)
    x, y, group = rng.normal(size=(2, 80)), rng.integers(0, 2, 80), rng.integers(0, 2, 80)
    test = rng.random((3, 80)) < 0.4
    found = treatments.measured(x, y, group, test, measure)
    for r in range(3):
        for learner in (0, 1):
            of = x[learner]
            train = ~test[r]
            cut = (of[train & (y == 0)].mean() + of[train & (y == 1)].mean()) / 2
            decided = of > cut
            if measure == "accuracy":
                expected = (decided == y)[test[r]].mean()
            else:
                rate = [decided[test[r] & (y == 1) & (group == code)].mean() for code in (0, 1)]
                expected = rate[1] - rate[0]
            assert found[r, learner] == pytest.approx(expected)


def test_every_comparison_has_a_p_in_every_world():
    for world in treatments.WORLDS:
        found, halves = treatments.values(world, np.random.default_rng(2))
        assert found.shape == (treatments.WORLDS[world][2], 2) and halves.shape == (5, 2, 2)
        assert all(0 <= test(found, world) <= 1 for test in treatments.TESTS.values())
        assert 0 <= treatments.five_by_two(halves, world) <= 1


def test_five_by_two_is_dietterichs():
    world = "accuracy, 600 items, 30 × 70/30"
    halves = np.random.default_rng(3).normal(size=(5, 2, 2))
    p = [[other - one for one, other in split] for split in halves]
    s2 = [sum((d - sum(two) / 2) ** 2 for d in two) for two in p]
    t = p[0][0] / np.sqrt(sum(s2) / 5)
    assert treatments.five_by_two(halves, world) == pytest.approx(2 * stats.t.sf(abs(t), 5))
