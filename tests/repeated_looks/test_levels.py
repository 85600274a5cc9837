"""Mistakes at any look, the figure, and the command that prints them."""

import sys
from itertools import islice

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp
from benchmarks.repeated_looks import __main__ as command, changes, levels, weeks
from benchmarks.repeated_looks.streams import Rows

pytestmark = pytest.mark.slow


def test_holm_rejects_step_by_step():
    evidence = np.log([[100, 30, 70], [59, 39, 1], [1, 39, 61]]).astype(float)
    rejected = levels.holm(evidence, 0.05)
    assert rejected.T.tolist() == [
        [True, True, False], [False, False, False], [True, False, True],
    ]  # fmt: skip


def test_the_figure_is_the_same_for_the_same_seed(tmp_path):
    numbers = [weeks.weeks_figure(tmp_path / name, seed=0, alpha=0.05) for name in ("a", "b")]
    assert numbers[0] == numbers[1]
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_the_command_prints_a_table(monkeypatch, capsys):
    call = ["sequential", "repeated", "--streams", "20", "--processes", "1"]
    monkeypatch.setattr(sys, "argv", call)
    command.main()
    assert "| 1,000 rows a week | 0." in capsys.readouterr().out


def test_bets_of_a_stream_are_those_of_the_monitor(tmp_path):
    rng = np.random.default_rng(4)
    y, in_group, chance = rng.integers(0, 2, 3000), rng.random(3000) < 0.3, rng.random(3000)
    rows = pd.DataFrame({"y": y, "p": (chance < np.where(y == 1, 0.8, 0.2)).astype(int)})
    rows["g"] = np.where(in_group, "a", "b")
    for batch in np.array_split(np.arange(3000), 30):
        result = fp.monitor(
            tmp_path / "s", rows.iloc[batch], y_true="y", y_pred="p", sensitive_features="g"
        )
    for measure, label in (("TPR", 1), ("FPR", 0)):
        streams = Rows(in_group[None], (rows["p"] == 1).to_numpy()[None], (y == label)[None])
        evidence = levels.largest_evidence(streams, 3000)
        found = result.lines.set_index("measure").loc[measure, "pvalue"]
        assert found == pytest.approx(np.exp(-evidence[0]), rel=1e-9)


def test_detectors_of_groups_that_join_keep_the_run_length_together():
    design = changes.Design(share=0.3, joins=(3, 5))
    sizes = [counts.shape for counts in islice(design.batches(np.random.default_rng(0)), 5)]
    assert sizes == [(1, 2, 2, 2)] * 2 + [(1, 4, 2, 2)] * 2 + [(1, 6, 2, 2)]
    lines = [*changes.detectors(design, 50)]
    changes.first(design, lines, lambda: False, np.random.default_rng(0), 6, 50)
    assert [line.changes.threshold for line in lines] == [50 * 6] * 6
    assert all(line.counts.sum() > 0 for line in lines)
