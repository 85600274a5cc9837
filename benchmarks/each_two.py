"""What it costs to compare each two groups: level, power, and how often a margin is kept falsely.

`python benchmarks/each_two.py --sets 4000` prints the tables of docs/explanation/calibration.md.
The p of each two groups is that of the audit, of the rate of decisions.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import cache
from itertools import combinations
from math import comb

import numpy as np
from scipy.stats import chi2, studentized_range

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.inference.contrasts.binomial import binomial_contrasts

ALPHA, RATE = 0.05, 0.3
RULES = ("Holm, reference", "Holm, each two", "χ², a difference", "χ², then a pair", "Tukey–Kramer")
#: Sizes of groups; the first one is the reference.
SIZES = {f"{k} of 200": (200,) * k for k in (2, 3, 4, 6, 8)} | {
    f"{k} of 200, one of 20": (200,) * k + (20,) for k in (2, 4, 7)
}
#: What deviates, whether it is the last groups or the reference, and by how many gaps.
WORLDS = (
    ("no difference", False, ()),
    ("the last group deviates", True, (1.0,)),
    ("the last two deviate, by half each, apart", True, (-0.5, 0.5)),
    ("the reference deviates", False, (1.0,)),
)
#: Sizes and margin of worlds in which two groups differ by the margin; rates of 0.5 on average.
MARGIN, LARGE = 0.1, 2000


@cache
def pvalue(k: int, n: int, other: int, m: int) -> float:
    """Return the p of the audit for k of n beside others; 1 if all or none of both are positive."""
    if k + other in (0, n + m):
        return 1.0
    (contrast,) = binomial_contrasts(*(np.array([x]) for x in (k, n, other, m)))
    assert contrast is not None
    return float(contrast.equality("two-sided"))


@cache
def within(k: int, n: int, other: int, m: int) -> float:
    """Return the p of: the difference is the margin or more."""
    (contrast,) = binomial_contrasts(*(np.array([x]) for x in (k, n, other, m)))
    assert contrast is not None
    return contrast.within(MARGIN)


def of_pairs(test, counts: Integers, sizes: Integers) -> tuple[Floats, list[tuple[int, int]]]:
    """Return the p of each two groups, shape (sets, pairs), and the pairs."""
    pairs = list(combinations(range(len(sizes)), 2))
    return np.array([
        [test(int(k[i]), int(sizes[i]), int(k[j]), int(sizes[j])) for i, j in pairs] for k in counts
    ]), pairs  # fmt: skip


def found(counts: Integers, sizes: Integers) -> Mapping[str, float]:
    """Return in what share of sets each rule finds a difference."""
    pvalues, pairs = of_pairs(pvalue, counts, sizes)
    of_reference = pvalues[:, [i == 0 for i, _ in pairs]].min(axis=1)
    smallest, groups = pvalues.min(axis=1), len(sizes)
    rates, pooled = counts / sizes, counts.sum(axis=1) / sizes.sum()
    variance = pooled * (1 - pooled)
    with np.errstate(invalid="ignore", divide="ignore"):
        square = (sizes * (rates - pooled[:, None]) ** 2).sum(axis=1) / variance
        first, second = (rates[:, list(side)] for side in zip(*pairs, strict=True))
        inverse = np.array([1 / sizes[i] + 1 / sizes[j] for i, j in pairs])
        largest = (np.abs(first - second) / np.sqrt(variance[:, None] * inverse)).max(axis=1)
    together = chi2.sf(square, groups - 1) < ALPHA
    # if not all are equal, at most this many pairs are (Shaffer 1986)
    others = max(comb(groups - 1, 2), 1)
    quantile = studentized_range.ppf(1 - ALPHA, groups, np.inf)
    rejected = (
        of_reference * (groups - 1) < ALPHA,
        smallest * len(pairs) < ALPHA,
        together,
        together & (smallest * others < ALPHA),
        largest * np.sqrt(2) > quantile,
    )
    return {name: float(each.mean()) for name, each in zip(RULES, rejected, strict=True)}


def shown(counts: Integers, sizes: Integers) -> tuple[float, float]:
    """Return in what share each group is within the margin of the first one, and each two are."""
    pvalues, pairs = of_pairs(within, counts, sizes)
    inside = pvalues < ALPHA
    against = inside[:, [i == 0 for i, _ in pairs]].all(axis=1)
    return float(against.mean()), float(inside.all(axis=1).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=4000, help="data sets of each kind")
    parser.add_argument("--gap", type=float, default=0.14, help="how far a group, or two, deviate")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    print(f"± {np.sqrt(0.25 / options.sets):.3f} or less\n\n| world | groups |", end="")
    print("".join(f" {name} |" for name in RULES))
    print("| --- " * 2 + "| ---: " * len(RULES) + "|")
    for world, last, deviations in WORLDS:
        for name, each in SIZES.items():
            if len(each) == 2 < len(deviations) + last:
                continue
            sizes, apart = np.array(each), np.zeros(len(each))
            where = slice(len(each) - len(deviations), None) if last else slice(len(deviations))
            apart[where] = options.gap * np.array(deviations)
            counts = rng.binomial(sizes, RATE + apart, (options.sets, len(sizes)))
            shares = found(counts, sizes).values()
            print(f"| {world} | {name} |", *(f"{share:.3f} |" for share in shares))
    print("\n| groups, the last two differ by the margin | reference alone | each two |")
    print("| --- | ---: | ---: |")
    for k in (3, 4, 8):
        rates = 0.5 + np.array([0.0] * (k - 2) + [-MARGIN / 2, MARGIN / 2])
        sizes = np.full(k, LARGE)
        against, each_two = shown(rng.binomial(sizes, rates, (options.sets, k)), sizes)
        print(f"| {k} of {LARGE:,} | {against:.3f} | {each_two:.3f} |")


if __name__ == "__main__":
    main()
