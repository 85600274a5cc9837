"""Mistakes at any look, delays, the figure, and the command that prints them."""

import sys

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.repeated_looks import (
    __main__ as command,
    delays,
    levels,
    weeks,
    worlds,
)

pytestmark = pytest.mark.slow

STREAMS = 150
#: So many mistakes happen with a chance of 0.0001 at a level of 0.05.
MOST = binom.isf(1e-4, STREAMS, 0.05)


def test_holm_rejects_step_by_step():
    evidence = np.log([[100, 30, 70], [59, 39, 1], [1, 39, 61]]).astype(float)
    rejected = levels.holm(evidence, 0.05)
    assert rejected.T.tolist() == [
        [True, True, False], [False, False, False], [True, False, True],
    ]  # fmt: skip


@pytest.mark.parametrize("name", list(worlds.fair_worlds())[::3])
def test_fair_streams_are_seldom_called_different(name):
    rng = np.random.default_rng(3)
    found = levels.called_different(worlds.fair_worlds()[name], rng, STREAMS, 0.05)
    assert found.sum() <= MOST


@pytest.mark.parametrize("difference", [0, 0.1, -0.1])
def test_mistakes_about_a_known_difference_are_seldom(difference):
    for world in list(worlds.distant_worlds(difference).values())[::4]:
        found = levels.mistakes(world, difference, np.random.default_rng(5), STREAMS, 0.05)
        assert found.sum(axis=1).max() <= MOST


@pytest.mark.parametrize(("share", "tpr"), [(0.5, (0.6, 0.5)), (0.1, (0.1, 0.2))])
def test_gaps_are_found_within_the_promised_delay(share, tpr):
    of_08, of_09 = delays.planned(share, tpr, 0.1, 0.05)
    assert of_08 < of_09
    rows = delays.delays(np.random.default_rng(0), 300, share, tpr, 0.05)
    assert rows.mean() < 1.7 * of_08


def test_the_figure_is_the_same_for_the_same_seed(tmp_path):
    numbers = [weeks.weeks_figure(tmp_path / name, seed=0, alpha=0.05) for name in ("a", "b")]
    assert numbers[0] == numbers[1]
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_a_year_of_an_unfair_model_is_found_by_both():
    year = weeks.year(weeks.UNFAIR, np.random.default_rng(0), 0.05)
    assert year.found[-1] and year.always_found[-1]
    assert (year.always_low <= year.low).all() and (year.always_high >= year.high - 0.01).all()


def test_the_command_prints_a_table(monkeypatch, capsys):
    call = ["sequential", "repeated", "--streams", "20", "--processes", "1"]
    monkeypatch.setattr(sys, "argv", call)
    command.main()
    assert "| 1,000 rows a week | 0." in capsys.readouterr().out
