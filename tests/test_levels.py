"""What every test promises, measured on few data sets: the program runs, and has every test."""

import importlib
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import fairpairs
from benchmarks.levels import looks, margins, treatments
from benchmarks.levels.parts import PARTS, TESTS


def test_every_public_test_is_measured():
    ends = ("_test", "_raters", "_bridge", "_from_judgments", "density_ratio_fairness")
    public = {name for name in dir(fairpairs) if name.endswith(ends) or name in ("audit", "xauc")}
    # any statistic of one's own; and the bridge that holds its level only if the model is unbiased
    public -= {"permutation_test", "unbiased_bridge"}
    # their data have judges: tests/mathematics/judgments/test_shares.py
    public -= {"outcome_ties_test", "first_place_test", "judge_lean_test"}
    measured = [*TESTS, "audit"]
    assert {name for name in public if any(test.startswith(name) for test in measured)} == public


@pytest.mark.slow
@pytest.mark.parametrize("name", PARTS)
def test_each_part_says_something_in_its_first_world(name):
    part = PARTS[name]
    first = replace(part, cases=lambda: [next(iter(part.cases()))])
    rows = [row for _, row in first.measured(2)]
    assert rows and all(row.sets for row in rows if row.kind in ("level", "power"))
    assert all(0 <= row.rate <= 1 for row in rows if row.sets)


@pytest.mark.slow
def test_the_program_writes_the_tables(monkeypatch, tmp_path):
    parts = ("comparative_separation_from_judgments", "differential_parity_of_raters", "treatments")
    call = ["levels", *parts, "--sets", "2", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", call)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "1")  # which the program sets when it is imported
    command = importlib.import_module("benchmarks.levels.__main__")
    monkeypatch.setattr(command, "ProcessPoolExecutor", lambda _: ThreadPoolExecutor(1))
    monkeypatch.setattr(treatments, "WORLDS", treatments.WORLDS[:1])
    command.main()
    table = pd.read_csv(tmp_path / "levels.csv")
    assert set(table["test"]) == set(parts)
    assert set(table["promise"]) == {"level", "coverage", "power"}
    assert table["kept"].is_monotonic_increasing
    worst = pd.read_csv(tmp_path / "worst.csv")
    assert set(worst["Test"]) == set(parts[:2])  # the others promise nothing
    compared = pd.read_csv(tmp_path / "treatments.csv")
    assert compared["world"].str.startswith("power: ").tolist() == [False, True]
    assert set(compared.columns[1:]) == {"corrected resampled t", *treatments.BESIDE}


@pytest.mark.slow
@pytest.mark.parametrize("measure", margins.TESTS)
def test_groups_at_the_margin_differ_by_it(measure):
    worlds = {test.args: world for test, world, _ in margins.worlds()}
    for (of, step), world in worlds.items():
        test, start = margins.TESTS[of]
        gaps = []
        for number in range(40 if of == measure else 0):
            drawn = world.null(np.random.default_rng([3, number]))
            group, *columns = (drawn[name] for name in ("group", *sorted(set(drawn) - {"group"})))
            columns = columns if "label" in drawn else columns[::-1]
            rows = test(*columns, sensitive_features=group).to_frame()
            gaps.append(rows.loc[rows["hypothesis"].str.startswith(start), "estimate"].iloc[0])
        if gaps:
            assert abs(np.mean(gaps) - step) < 4 * np.std(gaps) / np.sqrt(40)


def test_batches_are_what_a_stream_says():
    stream = looks.Stream(rows=5, joins=(2, 4), late=1.0)
    batches = list(stream.batches(np.random.default_rng(0)))
    rows = [batch for batch in batches if "p" in batch]
    came = [batch for batch in batches if "p" not in batch]
    assert [len(batch) for batch in rows] == [looks.ROWS] * looks.BATCHES
    assert [batch["g"].nunique() for batch in rows] == [2, 3, 3, 4, 4]
    assert set(pd.concat(rows)["person"].value_counts()) == {5}
    ids = pd.concat(came)["id"]
    assert ids.is_unique and 0.5 < len(ids) / (looks.ROWS * looks.BATCHES) < 1
