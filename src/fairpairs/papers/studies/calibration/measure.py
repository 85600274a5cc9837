"""Simulate the test sets of a design and count how often each test rejects.

Every test set is tested by the paper's procedure and by the tests that allow for shared items, on
the same data. Rejections are errors if separation holds, else power.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtr

from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content, Record
from fairpairs.mathematics.estimates.estimates import Estimates
from fairpairs.mathematics.estimates.pairs.all_pairs import (
    all_pairs,
    balanced_given_pairs,
    balanced_pairs,
)
from fairpairs.mathematics.estimates.pairs.binary import all_pairs_from_counts
from fairpairs.mathematics.estimates.pairs.given import given_pairs, orient_pairs, verdicts
from fairpairs.mathematics.estimates.pairs.rates import PairCounts, PairRates, cell_probabilities
from fairpairs.mathematics.fairness.separation import separation_permutation_test
from fairpairs.mathematics.inference.gaps import (
    comparative_separation_from_counts,
    comparative_separation_from_rates,
)
from fairpairs.mathematics.inference.results import Correction
from fairpairs.mathematics.power.rejection import expected_rejection
from fairpairs.mathematics.promises.promise import simulate
from fairpairs.papers.experiments.item_counts import cell_counts, separation_from_counts
from fairpairs.papers.experiments.pair_counts import SimulatedSets, count_pairs, draw_cell_counts
from fairpairs.papers.experiments.seeds import stream
from fairpairs.papers.experiments.wald_power import comparative_separation_power, separation_power
from fairpairs.papers.studies.calibration.design import Design, Tally, design

#: Of what `measure_design` returns.
COLUMNS = (
    "design", "title", "separation", "n", "pairs_per_item", "test", "quantity", "rejected",
    "standard_error", "expected", "repeats", "used", "small",
)  # fmt: skip

#: Quantity with a formula → the correction that the formula assumes.
EXPECTED: dict[str, Correction] = {"either": "none", "holm": "holm"}

#: Permutation test → its statistic.
PERMUTED = {
    "permutation": "comparative_separation",
    "permutation_information": "information_separation",
}

#: Number of elements (items or pairs) per batch.
BATCH = 1_000_000

#: Number of drawn pairs that are looked up at once, so that the work stays in the cache.
CACHED = 1 << 16


def measure_design(
    name: str,
    settings: Content,
    *,
    classifiers: Content,
    repeats: int,
    permutation_repeats: int,
    permutations: int,
    seed: int,
    alpha: float,
) -> pd.DataFrame:
    """Simulate one design: a row per number of items, pairs per item, test and quantity.

    Quantities are "H0c" and "H0w" (of separation "H0t" and "H0f"), "either" (uncorrected), "holm"
    and "joint". `small` is the share of test sets with a cell of fewer than 30 pairs or a group
    with fewer than 30 items of a label (of fresh pairs: the former); `expected` is the rate by the
    formulas.
    """
    plan = design(name, settings, classifiers)
    frames = []
    for n in plan.items:
        frames += _on_items(plan, n, repeats, seed, alpha)
        for ratio in plan.pairs_per_item:
            frames += _on_pairs(plan, n, ratio, repeats, seed, alpha)
    for n in plan.permuted_items:
        frames += _permuted(plan, n, permutation_repeats, permutations, seed, alpha)
    named: Record = {"design": plan.name, "title": plan.title, "separation": plan.separation}
    return pd.DataFrame(frames).assign(**named).reindex(columns=list(COLUMNS))


def _batches(
    plan: Design, n: int, repeats: int, size: int, rng: np.random.Generator
) -> Iterator[SimulatedSets]:
    """Draw the test sets in batches, if a test set takes `size` elements."""
    step = max(1, BATCH // size)
    return simulate(lambda rng, sets: plan.draw(rng, sets, n), repeats, lambda _: rng, block=step)


def _finished(
    tallies: Mapping[str, Tally], plan: Design, n: int, ratio: float | None, alpha: float
) -> list[Record]:
    """Return the rows of all tests on n items (and their pairs, if `ratio` is given)."""
    rows = []
    for test, tally in tallies.items():
        names = ("H0t", "H0f") if test == "separation" else ("H0c", "H0w")
        for row in tally.rows(names, alpha):
            expected, correction = np.nan, EXPECTED.get(row["quantity"])
            if plan.cells is not None and correction is not None:
                pairs = None if ratio is None else round(ratio * n)
                expected = _expected(test, plan.cells, n, pairs, alpha, correction)
            of = {"n": n, "pairs_per_item": ratio, "test": test, "expected": expected}
            rows.append({**of, **row})
    return rows


def _expected(
    test: str, cells: Floats, n: int, pairs: int | None, alpha: float, correction: Correction
) -> float:
    """Return the expected rate of rejections, for Wald's tests by the paper's formulas."""
    level = alpha if correction == "none" else alpha / 2
    if test == "separation":
        return float(separation_power(cells, n, alpha=level))
    if test == "fresh_pairs":
        return float(comparative_separation_power(cells, pairs or 0, alpha=level))
    known: Any = test  # those of a classifier are all there
    sizes = {"n_items": n, "n_pairs": pairs}
    return expected_rejection(known, cells, **sizes, alpha=alpha, correction=correction)


def _on_items(plan: Design, n: int, repeats: int, seed: int, alpha: float) -> list[Record]:
    """Run the tests that use all items: separation, and comparative separation on all pairs."""
    rng = stream(seed, "calibration", plan.name, "items", n)
    tallies: dict[str, Tally] = defaultdict(Tally)
    for sets in _batches(plan, n, repeats, 8 * n, rng):
        if plan.cells is not None:
            label, score = (part.ravel().astype(np.int64) for part in (sets.label, sets.score))
            block = np.repeat(np.arange(len(sets.group)), n)
            counts = cell_counts(label, score, sets.group.ravel(), block, len(sets.group))
            _add_rates(tallies["all_pairs"], all_pairs_from_counts(counts.astype(float)), alpha)
            tallies["separation"].add(separation_from_counts(counts, alpha=alpha))
            continue
        for test, estimate in (("raw", all_pairs), ("balanced", balanced_pairs)):
            rates = estimate(sets.label, sets.score, sets.group, 2)
            _add_rates(tallies[f"all_pairs_{test}"], rates, alpha)
        tallies["residuals"].joint.append(_residual_test(sets))
    return _finished(tallies, plan, n, None, alpha)


def _add_rates(
    tally: Tally, rates: PairRates, alpha: float, class_sizes: Floats | None = None
) -> None:
    """Run the tests that allow for shared items, each hypothesis alone and both jointly."""
    difference, joint = comparative_separation_from_rates(rates, alpha=alpha)
    tally.add(difference, class_sizes, joint.pvalue)


def _residual_test(sets: SimulatedSets) -> Floats:
    """Return the p-value of the group in the regression of the score on label and group.

    It is the textbook test of separation if scores are linear in labels, with normal noise.
    """
    n = sets.score.shape[1]
    score, label, group = (
        x - x.mean(axis=1, keepdims=True)
        for x in (sets.score, sets.label, sets.group.astype(float))
    )

    def partial(x: Floats, y: Floats, given: Floats) -> Floats:
        explained = (x * given).sum(axis=1) * (y * given).sum(axis=1) / (given**2).sum(axis=1)
        return np.asarray((x * y).sum(axis=1) - explained)

    both = partial(score, group, label)
    with np.errstate(invalid="ignore", divide="ignore"):  # one group only
        correlation = both / np.sqrt(partial(score, score, label) * partial(group, group, label))
        t = correlation * np.sqrt((n - 3) / (1 - correlation**2))
    return np.asarray(2 * stdtr(n - 3, -np.abs(t)))


def _permuted(
    plan: Design, n: int, repeats: int, permutations: int, seed: int, alpha: float
) -> list[Record]:
    rng = stream(seed, "calibration", plan.name, "permutation", n)
    tallies: dict[str, Tally] = defaultdict(Tally)
    for sets in _batches(plan, n, repeats, n, rng):
        for group, label, score in zip(sets.group, sets.label, sets.score, strict=True):
            for test, statistic in PERMUTED.items():
                options: Any = {"statistic": statistic, "n_permutations": permutations}
                try:
                    p = separation_permutation_test(
                        label, score, sensitive_features=group, random_state=rng, **options
                    ).pvalue
                except InputError:  # too few items of a group: counted as not tested
                    p = np.nan
                # at 0.05, 199 permutations reject in exactly 0.05 of the test sets
                tallies[test].joint.append(np.array([p * (1 - 1e-12)]))
    return _finished(tallies, plan, n, None, alpha)


def _on_pairs(
    plan: Design, n: int, ratio: float, repeats: int, seed: int, alpha: float
) -> list[Record]:
    """Run the tests on pairs: fresh ones, and pairs drawn from the items with replacement."""
    rng = stream(seed, "calibration", plan.name, "pairs", n, f"{ratio:g}")
    m = round(ratio * n)
    tallies = {"fresh_pairs": Tally(), "binomial": Tally(), "drawn_pairs": Tally()}
    if plan.cells is None:
        tallies["drawn_pairs_balanced"] = Tally()
    for sets in _batches(plan, n, repeats, max(m, n), rng):
        r = len(sets.group)
        left, right = rng.integers(n, size=(2, r, m))
        step = max(1, CACHED // max(m, 1))
        blocks = [slice(first, first + step) for first in range(0, r, step)]
        tables = [_rates_of_pairs(plan, sets, left, right, rows) for rows in blocks]
        rates, *balanced = map(PairRates.joined, zip(*tables, strict=True))
        _add_rates(tallies["drawn_pairs"], rates, alpha, rates.class_sizes)
        counts = PairCounts(*(v.astype(np.int64) for v in (rates.concordant, rates.pairs)))
        paper = comparative_separation_from_counts(counts, alpha=alpha)
        tallies["binomial"].add(paper, rates.class_sizes)
        for own in balanced:
            _add_rates(tallies["drawn_pairs_balanced"], own, alpha, own.class_sizes)
        tallies["fresh_pairs"].add(_fresh(plan, r, m, rng, alpha))
    return _finished(tallies, plan, n, ratio, alpha)


def _rates_of_pairs(
    plan: Design, sets: SimulatedSets, left: Integers, right: Integers, rows: slice
) -> tuple[PairRates, ...]:
    """Return the rates of drawn pairs of some test sets; of real labels also the balanced ones."""
    label, score, group = sets.label[rows], sets.score[rows], sets.group[rows]
    left, right = left[rows], right[rows]
    outcome, predicted = (verdicts(values, left, right) for values in (label, score))
    pairs = orient_pairs(outcome, predicted, left, right)
    rates = given_pairs(*pairs, group, 2)
    if plan.cells is not None:
        return (rates,)
    return rates, balanced_given_pairs(label, *pairs, group, 2)


def _fresh(plan: Design, r: int, m: int, rng: np.random.Generator, alpha: float) -> Estimates:
    """Run the paper's test on pairs of two items each that no other pair has."""
    if plan.cells is not None:
        pairs = draw_cell_counts(cell_probabilities(plan.cells), m, rng, size=r)
        return comparative_separation_from_counts(pairs, alpha=alpha)
    sets = plan.draw(rng, r, 2 * m)
    left = np.broadcast_to(2 * np.arange(m), (r, m))
    pairs = count_pairs(sets.label, sets.score, sets.group, left, left + 1)
    return comparative_separation_from_counts(pairs, alpha=alpha)
