"""Errors of audits of many groups.

`SETS=1000 pytest -s benchmarks/levels/test_groups.py` prints the tables of the docs.
"""

import numpy as np
import pytest

from benchmarks.levels import promises
from benchmarks.levels.worlds import attributes_of, audited, sampled, truth

#: Data sets of each world.
SETS = promises.sets(4)
#: Sizes of 1,000 groups that fall as 1 / rank.
ZIPF = 1 / np.arange(1, 1001)
EVEN = np.ones(1000)


def fair(tpr, fpr, cells=1000):
    return np.tile([fpr, tpr], (cells, 1))


#: World → attributes, items, share of each cell, base rate, TPR and FPR, depth.
WORLDS = {
    "1,000 disjoint groups of 100": ((1000,), 100_000, EVEN, 0.5, (0.7, 0.3), 1),
    "Zipf sizes": ((1000,), 200_000, ZIPF, 0.5, (0.7, 0.3), 1),
    "Zipf, a million items": ((1000,), 1_000_000, ZIPF, 0.5, (0.7, 0.3), 1),
    "tiny groups, of 20": ((1000,), 20_000, EVEN, 0.5, (0.8, 0.2), 1),
    "rare decisions (TPR 0.05, FPR 0.005)": ((1000,), 200_000, ZIPF, 0.3, (0.05, 0.005), 1),
    "rare decisions, 12 in each group": ((1000,), 2_400_000, EVEN, 0.5, (0.01, 0.01), 1),
    "rare labels, 2 %": ((1000,), 200_000, ZIPF, 0.02, (0.7, 0.1), 1),
    "overlapping: 1,298 groups to depth 3": ((8, 8, 6, 4), 200_000, None, 0.4, (0.7, 0.3), 3),
    "overlapping, 20 million items": ((8, 8, 6, 4), 20_000_000, None, 0.4, (0.7, 0.3), 3),
    "overlapping, 5,000 items": ((8, 8, 6, 4), 5_000, None, 0.4, (0.7, 0.3), 3),
    "two groups of 600 and 1,400": ((2,), 2_000, np.array([0.3, 0.7]), 0.5, (0.7, 0.3), 1),
    "two groups, rare decisions": ((2,), 2_000, np.array([0.1, 0.9]), 0.3, (0.05, 0.005), 1),
    "10 groups, Zipf, 5,000 items": ((10,), 5_000, ZIPF[:10], 0.5, (0.7, 0.3), 1),
}  # fmt: skip
SOME_WORLDS = promises.some(WORLDS, 3, 5, 7, 10)


def share_of(sizes, share):
    if share is not None:
        return share
    joint = np.ones(1)
    for k in sizes:
        joint = np.outer(joint, 1 / np.arange(1, k + 1)).ravel()
    return joint


def described(share):
    return f"{share:.3f} ± {np.sqrt(share * (1 - share) / SETS):.3f}"


def runs(seed, world, rates_of):
    """Yield audits of data sets of a world whose rates a function draws, with its truth."""
    sizes, items, share, base, (tpr, fpr), depth = WORLDS[world]
    attributes, share = attributes_of(*sizes), share_of(sizes, share)
    for i in range(SETS):
        rng = np.random.default_rng([seed, i, len(share), items])
        rates = rates_of(rng, fair(tpr, fpr, len(share)))
        bases = np.clip(base * rng.choice([0.5, 1, 1.5], len(share)), 0, 1)  # groups differ in it
        counts, labels = sampled(rng, attributes, items, share, bases, rates)
        yield counts, attributes, labels, rates, depth


@pytest.mark.slow
@pytest.mark.parametrize("world", SOME_WORLDS)
def test_a_fair_model_is_rarely_violated_and_its_intervals_cover(world):
    violated = missed = lines = 0
    smallest = []
    for counts, _, _, _, depth in runs(1, world, lambda _, rates: rates):
        result = audited(counts, depth=depth)
        tests = result.tests
        violated += bool(result.violated)
        missed += bool(((tests["ci_low"] > 0) | (tests["ci_high"] < 0)).any())
        lines = len(tests)
        smallest.append(tests["pvalue"].min())
    # the level of single tests that has a family-wise error of 0.05, by that of Bonferroni
    room = np.quantile(smallest, 0.05) * lines / 0.05
    print(f"{world}: {lines:,} lines; violated {described(violated / SETS)}, "
          f"an interval misses {described(missed / SETS)}; room {room:.2f}")  # fmt: skip
    error = 4 * np.sqrt(0.05 * 0.95 / SETS)
    assert violated / SETS < 0.05 + error
    assert missed / SETS < 0.05 + error


@pytest.mark.slow
@pytest.mark.parametrize("world", SOME_WORLDS)
def test_intervals_cover_all_differences_of_an_unfair_model(world):
    missed = 0
    for counts, attributes, labels, rates, depth in runs(
        2, world, lambda rng, rates: np.clip(rates + rng.normal(0, rates / 4), 0, 1)
    ):
        result = audited(counts, depth=depth)
        true, tests = truth(result, attributes, labels, rates), result.tests
        missed += bool(((tests["ci_low"] > true) | (tests["ci_high"] < true)).any())
    print(f"{world}, unfair: an interval misses {described(missed / SETS)}")
    assert missed / SETS < 0.05 + 4 * np.sqrt(0.05 * 0.95 / SETS)
