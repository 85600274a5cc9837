"""One piece of work done by FairPairs or as one would write it; as a script it prints its seconds.

python benchmarks/loops.py all_pairs plain
"""

from __future__ import annotations

import json
import sys
from functools import partial

from measure import prepared_datasets, seconds  # isort: skip

import numpy as np
import plain
from densratio import densratio

from fairpairs.mathematics.estimates.pairs.binary import all_pairs_from_counts
from fairpairs.mathematics.inference.gaps import comparative_separation_from_rates
from fairpairs.papers.ratio_estimators.least_squares import GRID, RuLSIFRatio

TREATMENTS = ("none", "fairbalance", "reweighing")
TESTS = ("separation", "comparative_separation")


def table_5(who: str) -> float:
    """Return the seconds of a repeat of Table V, of all data sets and treatments."""
    from training import PLAIN_REPEATS, REPEATS, train_and_test

    total = 0.0
    for dataset in prepared_datasets("compas", "german"):
        attributes, rng = list(dataset.sensitive.T), np.random.default_rng(0)
        for treatment in TREATMENTS:
            if who == "plain":
                one = partial(
                    plain.repeat, dataset.frame, dataset.kinds, dataset.label, attributes,
                    treatment, rng,
                )  # fmt: skip
                total += sum(seconds(one) for _ in range(PLAIN_REPEATS)) / PLAIN_REPEATS
            else:
                times = train_and_test(
                    dataset, model="logistic_regression", treatment=treatment, tests=TESTS,
                    repeats=REPEATS, test_fraction=0.5, pairs=2,
                )  # fmt: skip
                total += sum(times) / REPEATS
    return total


def all_pairs(who: str) -> float:
    """Return the seconds of a test set of 300 items, all pairs of which are counted."""
    cells = np.full(8, 1 / 8)
    counts = np.random.default_rng(0).multinomial(300, cells, size=10_000).reshape(-1, 2, 2, 2)
    if who == "plain":
        return seconds(lambda: [plain.all_pairs(table) for table in counts[:3]]) / 3
    return seconds(
        lambda: comparative_separation_from_rates(all_pairs_from_counts(counts.astype(float)))
    ) / len(counts)


def density_ratio(who: str) -> float:
    """Return the seconds of uLSIF on 1,000 items of each group, its grid by leave-one-out."""
    rng = np.random.default_rng(0)
    one, zero = rng.normal(0.5, 1, (1000, 2)), rng.normal(size=(1000, 2))
    if who == "plain":
        return seconds(
            lambda: densratio(
                one, zero, alpha=0, sigma_range=GRID, lambda_range=GRID, kernel_num=100,
                verbose=False,
            )
        )  # fmt: skip
    return seconds(lambda: RuLSIFRatio(0.0, centres=100).fit(one, zero))


LOOPS = {"table_5": table_5, "all_pairs": all_pairs, "density_ratio": density_ratio}

if __name__ == "__main__":
    print(json.dumps({"seconds": LOOPS[sys.argv[1]](sys.argv[2])}))
