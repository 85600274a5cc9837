"""The mathematics: all pairs of many items, simulations, xAUC, raters and density ratios."""

from __future__ import annotations

import statistics
import time
import tracemalloc

from measure import ALPHA, ROOT, SEED, promises, seconds  # isort: skip

import numpy as np
import plain
import yaml
from densratio import densratio

from fairpairs import comparative_separation_test, differential_parity_of_raters, xauc
from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs
from fairpairs.mathematics.estimates.pairs.binary import all_pairs_from_counts
from fairpairs.mathematics.inference.gaps import comparative_separation_from_rates
from fairpairs.mathematics.inference.sampling.cell_shuffles import shuffled_cells
from fairpairs.papers.experiments.known_classifiers import distribution
from fairpairs.papers.ratio_estimators.least_squares import GRID, RuLSIFRatio
from fairpairs.papers.studies.comparative_separation.simulation import (
    COMPARATIVE,
    SEPARATION,
    simulate,
)

STUDY = yaml.safe_load((ROOT / "config/studies/comparative_separation.yaml").read_text("utf-8"))
SIMULATION = STUDY["comparative_separation"]["simulation"]
#: Simulated cells, test sets and shuffles of the plain loops.
PLAIN_REPEATS, PLAIN_SETS, PLAIN_SHUFFLES = 5, 3, 2


@promises(("Table III, 16 simulated cells at r = 10,000", "≥", 1000.0))
def table_3(rounds: int) -> tuple[list[float]]:
    """Plain seconds / ours."""
    settings = {**SIMULATION, "repeats": 10_000}
    classifiers = [distribution(cells) for cells in settings["classifiers"].values()]
    ratios = []
    for round_ in range(rounds):
        rng = np.random.default_rng(round_)

        def one_by_one(rng=rng):
            for items in classifiers:
                for n in settings["sizes"]:
                    for notion in (SEPARATION, COMPARATIVE):
                        size = n if notion == SEPARATION else 2 * n
                        for _ in range(PLAIN_REPEATS):
                            plain.simulate(items, size, notion, rng, ALPHA)

        slow = seconds(one_by_one) * settings["repeats"] / PLAIN_REPEATS
        ratios.append(slow / seconds(lambda: simulate(settings, seed=SEED, alpha=ALPHA)))
    return (ratios,)


def labels_scores_groups(n, rng, *, binary=True):
    y = rng.integers(0, 2, n).astype(float) if binary else rng.normal(size=n)
    return y, y + rng.normal(size=n), rng.integers(0, 2, n)


@promises(
    ("All pairs of 10⁶ items / np.argsort(kind=None)", "≤", 6.0),
    ("All pairs of 10⁶ items / of 10⁵", "≤", 12.0),
    ("All pairs of 10⁶ items, peak bytes an item", "≤", 64.0),
    ("All pairs of 10⁶ real labels, balanced, seconds", "≤", 3.0),
)
def pairs_of_items(rounds: int) -> tuple[list[float], ...]:
    """Time the test of all pairs against one argsort and fewer items; its memory; real labels."""
    rng = np.random.default_rng(0)
    large, small = labels_scores_groups(10**6, rng), labels_scores_groups(10**5, rng)
    y, score, group = labels_scores_groups(10**6, rng, binary=False)

    def test(items):
        comparative_separation_from_rates(all_pairs(*items, 2))

    def median_seconds(work):
        return statistics.median(seconds(work) for _ in range(5))

    sorting, growth, real = [], [], []
    for _ in range(rounds):
        time = median_seconds(lambda: test(large))
        sorting.append(time / median_seconds(lambda: np.argsort(large[1])))
        growth.append(time / median_seconds(lambda: test(small)))
        real.append(
            seconds(lambda: comparative_separation_test(y, score, sensitive_features=group))
        )
    tracemalloc.start()
    test(large)
    peak = tracemalloc.get_traced_memory()[1] / len(large[0])
    tracemalloc.stop()
    return sorting, growth, [peak], real


@promises(("10,000 test sets on all pairs against double loops", "≥", 1000.0))
def test_sets(rounds: int) -> tuple[list[float]]:
    """Simulated test sets of 300 items: a double loop for each / in batches."""
    rng = np.random.default_rng(0)
    items = distribution(SIMULATION["classifiers"]["f0"])
    counts = rng.multinomial(300, items.ravel(), size=10_000).reshape(-1, 2, 2, 2)

    def batches() -> None:
        comparative_separation_from_rates(all_pairs_from_counts(counts.astype(float)))

    ratios = []
    for _ in range(rounds):
        slow = seconds(lambda: [plain.all_pairs(table) for table in counts[:PLAIN_SETS]])
        ratios.append(slow / PLAIN_SETS * len(counts) / seconds(batches))
    return (ratios,)


@promises(("Shuffles of 2·10⁵ items in 10⁴ clusters / one by one", "≥", 200.0))
def shuffles_of_clusters(rounds: int) -> tuple[list[float]]:
    """Shuffle the groups within clusters: a loop over shuffles, clusters and items / ours."""
    rng = np.random.default_rng(0)
    n = 2 * 10**5
    y, group, clusters = rng.integers(0, 2, n), rng.integers(0, 2, n), rng.integers(0, 10**4, n)
    c = (y + rng.normal(size=10**4)[clusters] + rng.normal(size=n) > 0.5).astype(int)
    ratios = []
    for _ in range(rounds):
        slow = seconds(lambda: plain.shuffled_clusters(y, c, group, clusters, PLAIN_SHUFFLES, rng))
        start = time.perf_counter()
        result = shuffled_cells(y, c, group, clusters, 9999, rng)
        ours = time.perf_counter() - start
        ratios.append(slow / PLAIN_SHUFFLES / (ours / result.shuffles))
    return (ratios,)


@promises(("xAUC of 10⁶ items / pairs in blocks, extrapolated", "≥", 100.0))
def xaucs(rounds: int) -> tuple[list[float]]:
    """XAUCs with their tests: pairs counted in blocks / ours.

    Counting takes quadratic time, so it is timed on 2·10⁴ items and multiplied by 2,500.
    """
    rng = np.random.default_rng(0)
    large, small = labels_scores_groups(10**6, rng), labels_scores_groups(2 * 10**4, rng)
    y, score, group = large
    times = (len(y) / len(small[0])) ** 2
    return (
        [
            seconds(lambda: plain.xauc(*small))
            * times
            / seconds(lambda: xauc(y, score, sensitive_features=group))
            for _ in range(rounds)
        ],
    )


@promises(("uLSIF with its grid by leave-one-out against densratio", "≥", 10.0))
def ulsif(rounds: int) -> tuple[list[float]]:
    """Fit uLSIF on 1,000 items of each group, its grid by leave-one-out: densratio / ours."""
    rng = np.random.default_rng(0)
    one, zero = rng.normal(0.5, 1, (1000, 2)), rng.normal(size=(1000, 2))
    ratios = []
    for _ in range(rounds):
        theirs = seconds(
            lambda: densratio(
                one, zero, alpha=0, sigma_range=GRID, lambda_range=GRID, kernel_num=100,
                verbose=False,
            )
        )  # fmt: skip
        ratios.append(theirs / seconds(lambda: RuLSIFRatio(0.0, centres=100).fit(one, zero)))
    return (ratios,)


@promises(
    ("60 × 60 raters, two attributes, seconds", "≤", 2.0),
    ("60 × 60 raters against a loop of ttest_ind", "≥", 100.0),
)
def raters(rounds: int) -> tuple[list[float], list[float]]:
    """60 raters of 5,500 items and two attributes: seconds, and a loop over pairs / ours."""
    rng = np.random.default_rng(0)
    ratings = np.clip(np.rint(rng.normal(3, 1, (5500, 60)) + rng.normal(size=60) / 2), 1, 5)
    attributes = rng.integers(0, 2, (2, 5500))

    def together() -> None:
        for group in attributes:
            differential_parity_of_raters(ratings, sensitive_features=group)

    def one_by_one() -> None:
        for group in attributes:
            plain.raters(ratings, group)

    times = [seconds(together) for _ in range(rounds)]
    return times, [seconds(one_by_one) / time for time in times]
