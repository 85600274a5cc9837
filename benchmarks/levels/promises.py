"""Simulations of tests on the harness of promises: few sets by default, SETS=1000 for the docs."""

import os

from scipy.stats import binom

import fairpairs as fp

#: A world that just keeps its promise fails a test with this chance.
ALARM = 1e-4


def sets(default):
    """Data sets of a simulation: SETS of the environment, or a default."""
    return int(os.environ.get("SETS", default))


def some(cases, *places):
    """Cases of a simulation: all with SETS, else those at some places, one of each kind."""
    cases = list(cases)
    return cases if "SETS" in os.environ else [cases[place] for place in places]


def check(name, say, promised=0.05, *, number, seed=0):
    """Print how often each statement is wrong; raise where chance does not explain it.

    `say` draws a data set with a generator and returns p-values, or whether something is found, by
    name. `promised` is one level, or one for each name; names without one are printed only.
    """
    found = fp.check_promises(say, fp.World(name, lambda rng: {"rng": rng}), sets=number, seed=seed)
    shares = ", ".join(f"{row.of} {row.rate:.4f} ± {row.error:.4f}" for row in found.measured)
    print(f"\n| {name} | {shares} |", end="")
    for row in found.measured:
        level = promised.get(row.of, 1) if isinstance(promised, dict) else promised
        assert row.count <= binom.isf(ALARM, row.sets, level), (name, row.of, row.rate)
    return {row.of: row.rate for row in found.measured}
