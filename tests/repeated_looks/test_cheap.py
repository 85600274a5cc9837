"""Streams with cheap labels: blocks are those of the monitor, levels, and delays."""

import sys

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.repeated_looks import __main__ as command, cheap

pytestmark = pytest.mark.slow

STREAMS = 20
#: So many mistakes happen with a chance of 0.0001 at a level of 0.05.
MOST = binom.isf(1e-4, STREAMS, 0.05)


@pytest.mark.parametrize(
    "name", ["a group of 0.1", "TPR from 0.5 to 0.8, the group from 0.2 to 0.8"]
)
def test_false_alarms_are_rare(name):
    mistakes = cheap.false_alarms(cheap.FAIR[name], np.random.default_rng(0), STREAMS, 0.05)
    assert mistakes.sum(axis=1).max() <= MOST


def test_gaps_are_found_sooner_than_by_human_labels_alone_or_bets_on_pairs():
    design = cheap.Design(rows=10**6, gap=0.2)
    both, alone = cheap.delays(design, np.random.default_rng(0), STREAMS, 0.05).mean(axis=1)
    assert both < 0.8 * alone
    assert cheap.rows_of_pairs(design) > 2


def test_the_command_prints_a_table(monkeypatch, capsys):
    monkeypatch.setattr(command.cheap, "FAIR", {"fair": cheap.Design(rows=2000)})
    monkeypatch.setattr(command, "_cheap_delays", lambda design, rng, number: np.ones((2, number)))
    monkeypatch.setattr(sys, "argv", ["sequential", "cheap", "--streams", "4", "--processes", "1"])
    command.main()
    assert "| fair | 0." in capsys.readouterr().out
