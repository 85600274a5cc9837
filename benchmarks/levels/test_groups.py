"""Errors and power of audits of many groups.

`SETS=1000 pytest -s benchmarks/levels/test_groups.py` prints the tables of the docs.
"""

import numpy as np
import pytest

from benchmarks.levels import promises
from benchmarks.levels.worlds import attributes_of, audited, sampled, truth
from fairpairs.audits.lines.verdicts import VIOLATED
from fairpairs.mathematics.inference.proportions import pooled_or_fisher_difference
from fairpairs.mathematics.inference.results import adjusted

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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("groups", "items", "rate"),
    promises.some([(1000, 20_000_000, 0.5), (1000, 20_000_000, 0.2), (20, 50_000, 0.3)], 1, 2),
)
def test_certificates_at_the_margin_are_rarely_wrong(groups, items, rate):
    attributes, even = attributes_of(groups), np.ones(groups)
    sides = np.where(np.arange(groups) % 2, 0.1, -0.1)[:, None] * np.ones(2)
    wrong_within = wrong_beyond = 0
    for i in range(SETS):
        rng = np.random.default_rng([3, i, groups])
        counts, labels = sampled(rng, attributes, items, even, 0.5, rate + sides)
        tests = audited(counts).tests
        low, high = tests["ci_low"], tests["ci_high"]
        found = labels * (rate + sides)
        others = (found.sum(axis=0) - found) / (labels.sum(axis=0) - labels)
        true = np.abs(rate + sides - others)  # all nearly 0.1
        least, most = true.min(), true.max()
        # a margin says no more than the interval does
        wrong_within += bool(((low > -least) & (high < least)).any())
        wrong_beyond += bool(((low > most) | (high < -most)).any())
    wrong = f"{described(wrong_within / SETS)}, `beyond` {described(wrong_beyond / SETS)}"
    print(f"{groups} groups at the margin, rates {rate} ± 0.1: wrong `within` {wrong}")
    assert max(wrong_within, wrong_beyond) / SETS < 0.05 + 4 * np.sqrt(0.05 * 0.95 / SETS)


def power(gap, part, items=1_000_000):
    """How often a planted group is violated, among 1,000 of a million items."""
    attributes = attributes_of(1000)
    share = np.append(part, ZIPF[1:] / ZIPF[1:].sum() * (1 - part))
    rates = fair(0.7, 0.3)
    rates[0, 1] -= gap
    found = 0
    for i in range(SETS):
        rng = np.random.default_rng([4, i, int(1e6 * part), int(1e4 * gap)])
        counts, _ = sampled(rng, attributes, items, share, 0.5, rates)
        tests = audited(counts).tests
        planted = (tests["group"] == "a=0000") & (tests["measure"] == "TPR")
        found += bool((tests.loc[planted, "verdict"] == VIOLATED).all())
    print(f"a gap of {gap:g} in {100 * part:g} % of {items:,}: found {described(found / SETS)}")
    return found / SETS


@pytest.mark.slow
def test_a_planted_group_is_found():
    assert power(0.15, 0.005) >= 0.9
    if SETS > 20:  # where the power is about 0.9
        for gap in (0.05, 0.055, 0.06):
            power(gap, 0.005)
        for part in (0.0005, 0.0006, 0.0007):
            power(0.15, part)


@pytest.mark.slow
def test_shrunken_differences_are_nearer_to_the_truth():
    errors = []
    for counts, attributes, labels, rates, depth in runs(
        5, "Zipf sizes", lambda rng, rates: np.clip(rates + rng.normal(0, 0.05, rates.shape), 0, 1)
    ):
        result = audited(counts, depth=depth)
        true = truth(result, attributes, labels, rates)
        errors.append([((result.tests[c] - true) ** 2).mean() for c in ("estimate", "shrunken")])
        taus = result.about["tau"].values()
        assert all(0.03 < tau < 0.07 for tau in taus)
    plain, shrunken = np.mean(errors, axis=0)
    print(f"mean squared error {plain:.5f}, of shrunken {shrunken:.5f}")
    assert shrunken < plain / 2


@pytest.mark.slow
@pytest.mark.parametrize("world", ["tiny groups, of 20", "rare decisions, 12 in each group"])
def test_the_tests_of_single_groups_would_not_do(world):
    violated = missed = 0
    for counts, _, _, _, depth in runs(1, world, lambda _, rates: rates):
        tests = audited(counts, depth=depth).tests
        n, others = tests["n"].to_numpy(), tests["n_others"].to_numpy()
        k = (
            (tests["rate"] * n).round().fillna(0).to_numpy(),
            ((tests["rate_others"] * others).round().fillna(0).to_numpy()),
        )
        single = pooled_or_fisher_difference(
            k[0], n, k[1], others, method="z", alpha=0.05 / len(tests)
        )
        violated += bool(np.nanmin(adjusted(single.pvalue, "holm")) < 0.05)
        missed += bool(((single.ci_low > 0) | (single.ci_high < 0)).any())
    print(f"{world}, by z and Newcombe's intervals: violated {described(violated / SETS)}, "
          f"an interval misses {described(missed / SETS)}")  # fmt: skip
    assert SETS < 100 or missed / SETS > 0.1
