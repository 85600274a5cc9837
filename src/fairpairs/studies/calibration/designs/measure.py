"""How often tests reject on simulated test sets: their level where separation holds, else power.

Each design says how a test set comes about: groups, labels, scores. Every test set is tested by
the paper's procedure and by the tests that take shared items into account, on the same data.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import ndtr, ndtri, stdtr
from scipy.stats import norm

from fairpairs.arrays import Floats, Integers
from fairpairs.errors import InputError
from fairpairs.experiments.known_classifiers import distribution
from fairpairs.experiments.seeds import stream
from fairpairs.fairness.estimates import SMALL_CELL, Estimates
from fairpairs.fairness.gaps import (
    comparative_separation_from_counts,
    comparative_separation_from_rates,
)
from fairpairs.fairness.pairs.all_pairs import all_pairs
from fairpairs.fairness.pairs.balanced import balanced_given_pairs, balanced_pairs
from fairpairs.fairness.pairs.binary import all_pairs_from_counts
from fairpairs.fairness.pairs.drawn import PairCounts, draw_pair_counts
from fairpairs.fairness.pairs.given import given_pairs, orient_pairs, take_items
from fairpairs.fairness.power.formulas import comparative_separation_power, separation_power
from fairpairs.fairness.power.rejection import expected_rejection
from fairpairs.fairness.results import Correction
from fairpairs.fairness.separation import separation_from_counts
from fairpairs.fairness.separation_permutation import separation_permutation_test

#: Quantities that a formula gives, with the correction that they are about.
EXPECTED: dict[str, Correction] = {"either": "none", "holm": "holm"}

#: Elements (items or pairs) that are handled at once.
BATCH = 1_000_000


@dataclass(frozen=True)
class TestSets:
    """Simulated test sets, fields of shape (r, n)."""

    group: Integers
    label: Floats
    score: Floats


@dataclass(frozen=True)
class Design:
    """How test sets come about.

    Attributes
    ----------
    name
        Its key in the config.
    title
        What a reader sees.
    n_groups
        Number of groups.
    labels, scores
        "binary" or "real".
    separation
        Whether separation holds, so that a rejection is an error.
    items, pairs_per_item
        Numbers of items, and of pairs for each item, that are tried.
    permuted_items
        Numbers of items for which the permutation tests run.
    draw
        Function of a generator, the number of test sets and of items.
    cells
        Probability of an item in each cell (a, y, c), for a classifier of two groups.
    """

    name: str
    title: str
    n_groups: int
    labels: str
    scores: str
    separation: bool
    items: list[int]
    pairs_per_item: list[float]
    permuted_items: list[int]
    draw: Callable[[np.random.Generator, int, int], TestSets]
    cells: Floats | None = None


def design(name: str, settings: Mapping[str, Any], classifiers: Mapping[str, Any]) -> Design:
    """Make a design from its settings.

    Parameters
    ----------
    name
        Its key in the config.
    settings
        What the config says of it: `kind` and what that kind takes.
    classifiers
        The classifiers of Table I, for the kind "classifier".

    Raises
    ------
    InputError
        When the settings name a classifier that is not there, or do not fit together.
    """
    own = dict(settings)
    common = {
        "name": name,
        "title": own.pop("title", name),
        "items": own.pop("items"),
        "pairs_per_item": own.pop("pairs_per_item"),
        "permuted_items": own.pop("permuted_items", []),
    }
    kinds: dict[str, Callable[..., dict[str, Any]]] = {
        "classifier": _classifier,
        "scores": _scores,
        "regression": _regression,
        "groups": _groups,
    }
    kind = own.pop("kind")
    if kind == "classifier" and "classifier" in own:
        if own["classifier"] not in classifiers:
            raise InputError(
                f"calibration.designs.{name}: there is no classifier {own['classifier']!r} in "
                "simulation.classifiers."
            )
        own["classifier"] = classifiers[own["classifier"]]
    make = kinds[kind]
    try:
        inspect.signature(make).bind(**own)
    except TypeError as error:
        raise InputError(f"calibration.designs.{name}, kind {kind}: {error}.") from error
    try:
        return Design(**common, **make(**own))
    except InputError as error:
        raise InputError(f"calibration.designs.{name}: {error}") from error


def _classifier(classifier: Mapping[str, float], share: float | None = None) -> dict[str, Any]:
    """Draw binary predictions with the probabilities of Table I; `share` is that of group 1."""
    cells = distribution(classifier)
    if share is not None:
        cells = cells * (np.array([1 - share, share]) / cells.sum(axis=(1, 2)))[:, None, None]
    rates = cells[..., 1] / cells.sum(axis=-1)

    def draw(rng: np.random.Generator, r: int, n: int) -> TestSets:
        code = rng.choice(8, size=(r, n), p=cells.ravel())
        return TestSets(code // 4, (code // 2 % 2).astype(float), (code % 2).astype(float))

    return {
        "n_groups": 2, "labels": "binary", "scores": "binary", "draw": draw, "cells": cells,
        "separation": bool(np.allclose(rates[0], rates[1], rtol=0, atol=1e-12)),
    }  # fmt: skip


def _scores(strength: list[float], share: float = 0.5, prevalence: float = 0.5) -> dict[str, Any]:
    """Draw normal scores of variance 1 whose mean is higher by the group's strength for label 1."""

    def draw(rng: np.random.Generator, r: int, n: int) -> TestSets:
        group = (rng.random((r, n)) < share).astype(np.int64)
        label = (rng.random((r, n)) < prevalence).astype(float)
        return TestSets(group, label, np.array(strength)[group] * label + rng.normal(size=(r, n)))

    return {
        "n_groups": 2, "labels": "binary", "scores": "real", "draw": draw,
        "separation": len(set(strength)) == 1,
    }  # fmt: skip


def _regression(
    noise: list[float],
    share: float = 0.5,
    label_shift: float = 0.0,
    score_shift: float = 0.0,
    levels: int | None = None,
) -> dict[str, Any]:
    """Draw real labels and score = label + noise, standard deviations by group.

    Labels are normal with variance 1; group 1's are higher by `label_shift`, its scores beyond that
    by `score_shift`. With `levels`, labels are cut into so many values at the quantiles of group 0.
    """
    cuts = None if levels is None else ndtri(np.arange(1, levels) / levels)

    def draw(rng: np.random.Generator, r: int, n: int) -> TestSets:
        group = (rng.random((r, n)) < share).astype(np.int64)
        label = rng.normal(size=(r, n)) + label_shift * group
        if cuts is not None:
            label = np.searchsorted(cuts, label).astype(float)
        spread = np.array(noise)[group]
        return TestSets(
            group, label, label + score_shift * group + spread * rng.normal(size=(r, n))
        )

    return {
        "n_groups": 2, "labels": "real", "scores": "real", "draw": draw,
        "separation": len(set(noise)) == 1 and score_shift == 0,
    }  # fmt: skip


def _groups(shares: list[float], tpr: list[float], fpr: list[float]) -> dict[str, Any]:
    """Draw binary predictions in several groups, half of each with label 1."""
    bounds = np.cumsum(shares)
    if abs(bounds[-1] - 1) > 1e-9 or not len(shares) == len(tpr) == len(fpr):
        raise InputError("the shares must sum to 1, with one tpr and one fpr for each group.")
    rates = np.array([fpr, tpr])

    def draw(rng: np.random.Generator, r: int, n: int) -> TestSets:
        group = np.minimum(np.searchsorted(bounds, rng.random((r, n))), len(shares) - 1)
        label = rng.integers(2, size=(r, n))
        score = rng.random((r, n)) < rates[label, group]
        return TestSets(group, label.astype(float), score.astype(float))

    return {
        "n_groups": len(shares), "labels": "binary", "scores": "binary", "draw": draw,
        "separation": len(set(tpr)) == len(set(fpr)) == 1,
    }  # fmt: skip


@dataclass
class _Tally:
    """What one test found on all test sets."""

    pvalues: list[Floats] = field(default_factory=list)
    joint: list[Floats] = field(default_factory=list)
    estimates: list[Floats] = field(default_factory=list)
    variances: list[Floats] = field(default_factory=list)
    small: list[NDArray[np.bool_]] = field(default_factory=list)

    def add(
        self,
        difference: Estimates,
        class_sizes: Floats | None = None,
        joint: Floats | None = None,
    ) -> None:
        self.pvalues.append(difference.pvalue)
        self.estimates.append(difference.estimate)
        with np.errstate(invalid="ignore", divide="ignore"):
            self.variances.append((difference.estimate / difference.statistic) ** 2)
        small = np.asarray((difference.smallest_cell < SMALL_CELL).any(axis=-1))
        if class_sizes is not None:
            small = small | (class_sizes < SMALL_CELL).any(axis=-1)
        self.small.append(small)
        if joint is not None:
            self.joint.append(joint)

    def add_pvalue(self, pvalue: float) -> None:
        self.joint.append(np.array([pvalue]))

    def rows(self, names: tuple[str, ...], alpha: float) -> Iterator[dict[str, Any]]:
        """Yield the share of test sets with a rejection, of each hypothesis and of all."""
        if self.pvalues:
            pvalues = np.concatenate(self.pvalues)
            small = float(np.concatenate(self.small).mean())
            estimates, variances = map(np.concatenate, (self.estimates, self.variances))
            for number, name in enumerate(names):
                known = np.isfinite(variances[:, number])
                ratio = np.nan
                if known.sum() > 1 and (spread := estimates[known, number].var(ddof=1)) > 0:
                    ratio = variances[known, number].mean() / spread
                yield {
                    **_share(pvalues[:, number], alpha), "quantity": name, "small": small,
                    "variance_ratio": ratio,
                }  # fmt: skip
            smallest = np.fmin.reduce(pvalues, axis=1)
            yield {**_share(smallest, alpha), "quantity": "either", "small": small}
            # Holm rejects something where the smallest p-value times their number is below alpha
            number_tested = np.isfinite(pvalues).sum(axis=1)
            yield {**_share(smallest * number_tested, alpha), "quantity": "holm", "small": small}
        if self.joint:
            joint = np.concatenate(self.joint)
            small = float(np.concatenate(self.small).mean()) if self.small else np.nan
            yield {**_share(joint, alpha), "quantity": "joint", "small": small}


def _share(pvalues: Floats, alpha: float) -> dict[str, Any]:
    known = np.isfinite(pvalues)
    used = int(known.sum())
    rate = float((pvalues[known] < alpha).mean()) if used else np.nan
    error = np.sqrt(rate * (1 - rate) / used) if used else np.nan
    return {"rejected": rate, "standard_error": error, "repeats": len(pvalues), "used": used}


def calibrate(
    name: str,
    settings: Mapping[str, Any],
    *,
    classifiers: Mapping[str, Any],
    repeats: int,
    permutation_repeats: int,
    permutations: int,
    seed: int,
    alpha: float,
) -> pd.DataFrame:
    """Run one design of the study.

    Parameters
    ----------
    name, settings, classifiers
        As in `design`.
    repeats
        Number of simulated test sets.
    permutation_repeats, permutations
        Number of test sets on which the permutation tests run, and of permutations in each.
    seed
        Root seed.
    alpha
        Level.

    Returns
    -------
    DataFrame
        A row for each number of items `n`, `pairs_per_item` (NaN where no pairs are drawn), `test`
        and `quantity`: "H0c" and "H0w" (of separation "H0t", "H0f"; with more than two groups the
        first two), "either" (uncorrected), "holm" and "joint". `rejected` is the share of test
        sets, `standard_error` its Monte Carlo error, `used` the number of the `repeats` in which
        there was a p-value, `small` the share of test sets with a cell of fewer than 30 pairs or a
        group with fewer than 30 items of a label (of fresh pairs: the former; NaN for permutation
        and residual tests), `variance_ratio` the mean of the variance that the test takes over the
        variance of the estimate, where there are both, `expected` the rate by the formulas.
    """
    plan = design(name, settings, classifiers)
    frames = []
    for n in plan.items:
        frames += _on_items(plan, n, repeats, seed, alpha)
        for ratio in plan.pairs_per_item:
            frames += _on_pairs(plan, n, ratio, repeats, seed, alpha)
    for n in plan.permuted_items:
        frames += _permuted(plan, n, permutation_repeats, permutations, seed, alpha)
    table = pd.DataFrame(frames)
    table.insert(0, "design", plan.name)
    table.insert(1, "title", plan.title)
    table.insert(2, "separation", plan.separation)
    columns = ["design", "title", "separation", "n", "pairs_per_item", "test", "quantity",
               "rejected", "standard_error", "expected", "repeats", "used", "small",
               "variance_ratio"]  # fmt: skip
    return table.reindex(columns=columns)


def gap_of_label_mix(shift: float, noise: float) -> float:
    """Return TPR(1,0) − TPR(0,1) of a model that satisfies separation, where labels differ.

    Labels are normal with variance 1, group 1's higher by `shift`; scores are labels with normal
    noise of one standard deviation for both groups. With D = y_i − y_j ~ N(±shift, 2) and
    π = Φ(D / (noise √2)), each rate is E[π | D > 0].

    Parameters
    ----------
    shift, noise
        In standard deviations of the labels.
    """

    def rate(mean: float) -> float:
        def weight(d: float) -> float:
            return float(norm.pdf(d, mean, np.sqrt(2)))

        ranked = quad(lambda d: weight(d) * ndtr(d / (noise * np.sqrt(2))), 0, mean + 20)[0]
        return float(ranked / norm.sf(0, mean, np.sqrt(2)))

    return rate(shift) - rate(-shift)


def _batches(
    plan: Design, n: int, repeats: int, size: int, rng: np.random.Generator
) -> Iterator[TestSets]:
    """Draw the test sets, so many at once that `size` elements of each fit."""
    step = max(1, BATCH // size)
    for first in range(0, repeats, step):
        yield plan.draw(rng, min(step, repeats - first), n)


def _finished(
    tallies: Mapping[str, _Tally], plan: Design, n: int, ratio: float | None, alpha: float
) -> list[dict[str, Any]]:
    """Return the rows of all tests on n items and, where there are any, on their pairs."""
    rows = []
    for test, tally in tallies.items():
        names = ("H0t", "H0f") if test == "separation" else ("H0c", "H0w")
        for row in tally.rows(names, alpha):
            expected = np.nan
            correction = EXPECTED.get(row["quantity"])
            if plan.cells is not None and correction is not None:
                pairs = None if ratio is None else round(ratio * n)
                expected = _expected(test, plan.cells, n, pairs, alpha, correction)
            shown = np.nan if ratio is None else ratio
            rows.append(
                {"n": n, "pairs_per_item": shown, "test": test, "expected": expected, **row}
            )
    return rows


def _expected(
    test: str, cells: Floats, n: int, pairs: int | None, alpha: float, correction: Correction
) -> float:
    """Return how often a test is expected to reject; Wald's by the paper's formulas."""
    each = alpha if correction == "none" else alpha / 2
    if test == "separation":
        return float(separation_power(cells, n, alpha=each))
    if test == "fresh_pairs":
        return float(comparative_separation_power(cells, pairs or 0, alpha=each))
    return expected_rejection(
        test,  # type: ignore[arg-type]  # the tests of a classifier are all there
        cells,
        n_items=n,
        n_pairs=pairs,
        alpha=alpha,
        correction=correction,
    )


def _on_items(plan: Design, n: int, repeats: int, seed: int, alpha: float) -> list[dict[str, Any]]:
    """Run the tests that use every item: separation, and comparative separation on all pairs."""
    rng = stream(seed, "calibration", plan.name, "items", n)
    tallies: dict[str, _Tally] = {}

    def tally(test: str) -> _Tally:
        return tallies.setdefault(test, _Tally())

    k = plan.n_groups
    for sets in _batches(plan, n, repeats, 4 * n * k, rng):
        if plan.labels == "binary":
            counts = _counts_by_score(sets, k, plan.scores)
            rates = all_pairs_from_counts(counts)
            difference, joint = comparative_separation_from_rates(rates, alpha=alpha)
            tally("all_pairs").add(difference, joint=joint.pvalue)
            if plan.scores == "binary" and k == 2:
                separation = separation_from_counts(counts, alpha=alpha)
                tally("separation").add(separation)
            continue
        for test, estimate in (
            ("all_pairs_raw", all_pairs),
            ("all_pairs_balanced", balanced_pairs),
        ):
            rates = estimate(sets.label, sets.score, sets.group, k)
            difference, joint = comparative_separation_from_rates(rates, alpha=alpha)
            tally(test).add(difference, joint=joint.pvalue)
        tally("residuals").joint.append(_residual_test(sets))
    return _finished(tallies, plan, n, None, alpha)


def _counts_by_score(sets: TestSets, k: int, scores: str) -> Floats:
    """Count items by group, label and level of the score, shape (r, K, 2, levels)."""
    r, n = sets.score.shape
    cell = 2 * sets.group + sets.label.astype(np.int64)
    if scores == "binary":
        place = (np.arange(r)[:, None] * 2 * k + cell) * 2 + sets.score.astype(np.int64)
        return np.bincount(place.ravel(), minlength=r * k * 4).reshape(r, k, 2, 2).astype(float)
    ordered = np.take_along_axis(cell, np.argsort(sets.score, axis=1), axis=1)
    member = ordered[:, None, :] == np.arange(2 * k)[:, None]  # no two scores are equal
    return np.asarray(member.reshape(r, k, 2, n), dtype=float)


def _residual_test(sets: TestSets) -> Floats:
    """Two-sided p of the group's coefficient in the regression of the score on label and group.

    The textbook test of separation where scores are linear in labels, with normal noise.
    """
    n = sets.score.shape[1]
    centred = [
        x - x.mean(axis=1, keepdims=True)
        for x in (sets.score, sets.label, sets.group.astype(float))
    ]

    def partial(x: Floats, y: Floats, given: Floats) -> Floats:
        return np.asarray((x * y).sum(axis=1)
                          - (x * given).sum(axis=1) * (y * given).sum(axis=1)
                          / (given**2).sum(axis=1))  # fmt: skip

    score, label, group = centred
    both = partial(score, group, label)
    with np.errstate(invalid="ignore", divide="ignore"):  # one group only
        correlation = both / np.sqrt(partial(score, score, label) * partial(group, group, label))
        t = correlation * np.sqrt((n - 3) / (1 - correlation**2))
    return np.asarray(2 * stdtr(n - 3, -np.abs(t)))


def _permuted(
    plan: Design, n: int, repeats: int, permutations: int, seed: int, alpha: float
) -> list[dict[str, Any]]:
    rng = stream(seed, "calibration", plan.name, "permutation", n)
    tallies = {"permutation": _Tally(), "permutation_information": _Tally()}
    for sets in _batches(plan, n, repeats, n, rng):
        for group, label, score in zip(sets.group, sets.label, sets.score, strict=True):
            for test, statistic in (
                ("permutation", "comparative_separation"),
                ("permutation_information", "information_separation"),
            ):
                try:
                    result = separation_permutation_test(
                        label,
                        score,
                        sensitive_features=group,
                        statistic=statistic,  # type: ignore[arg-type]
                        n_permutations=permutations,
                        random_state=rng,
                    )
                except InputError:  # too few items of a group: counted as not tested
                    tallies[test].add_pvalue(np.nan)
                    continue
                # at 0.05, 199 permutations reject in exactly 0.05 of the test sets
                tallies[test].add_pvalue(result.pvalue * (1 - 1e-12))
    return _finished(tallies, plan, n, None, alpha)


def _on_pairs(
    plan: Design, n: int, ratio: float, repeats: int, seed: int, alpha: float
) -> list[dict[str, Any]]:
    """Run the tests on pairs: fresh ones, and pairs drawn from the items with replacement."""
    rng = stream(seed, "calibration", plan.name, "pairs", n, f"{ratio:g}")
    m, k = round(ratio * n), plan.n_groups
    tallies = {"fresh_pairs": _Tally(), "binomial": _Tally(), "drawn_pairs": _Tally()}
    if plan.labels == "real":
        tallies["drawn_pairs_balanced"] = _Tally()
    for sets in _batches(plan, n, repeats, max(m, n), rng):
        r = len(sets.group)
        left, right = rng.integers(n, size=(2, r, m))
        outcome = take_items(sets.label, left) - take_items(sets.label, right)
        winner, loser, hit = orient_pairs(outcome, sets.score, left, right)
        rates = given_pairs(winner, loser, hit, sets.group, k)
        difference, joint = comparative_separation_from_rates(rates, alpha=alpha)
        tallies["drawn_pairs"].add(difference, rates.class_sizes, joint.pvalue)
        tallies["binomial"].add(_paper(rates.concordant, rates.pairs, alpha), rates.class_sizes)
        if plan.labels == "real":
            rates = balanced_given_pairs(sets.label, winner, loser, hit, sets.group, k)
            difference, joint = comparative_separation_from_rates(rates, alpha=alpha)
            tallies["drawn_pairs_balanced"].add(difference, rates.class_sizes, joint.pvalue)
        tallies["fresh_pairs"].add(_fresh(plan, r, m, rng, alpha))
    return _finished(tallies, plan, n, ratio, alpha)


def _paper(right: Floats, usable: Floats, alpha: float) -> Estimates:
    counts = PairCounts(right.astype(np.int64), usable.astype(np.int64))
    return comparative_separation_from_counts(counts, alpha=alpha)


def _fresh(plan: Design, r: int, m: int, rng: np.random.Generator, alpha: float) -> Estimates:
    """Run the paper's test on pairs of two items each that no other pair has."""
    if plan.cells is not None:
        return comparative_separation_from_counts(
            draw_pair_counts(plan.cells, m, rng, size=r), alpha=alpha
        )
    k = plan.n_groups
    sets = plan.draw(rng, r, 2 * m)
    y, s, g = sets.label.reshape(r, m, 2), sets.score.reshape(r, m, 2), sets.group.reshape(r, m, 2)
    higher = (y[..., 0] < y[..., 1]).astype(np.int64)  # which of the two has the higher label
    usable = y[..., 0] != y[..., 1]
    first, second = (
        np.take_along_axis(g, x[..., None], axis=2)[..., 0] for x in (higher, 1 - higher)
    )
    ahead, behind = (
        np.take_along_axis(s, x[..., None], axis=2)[..., 0] for x in (higher, 1 - higher)
    )
    cell = (np.arange(r)[:, None] * k + first) * k + second
    totals = [
        np.bincount(cell[which], minlength=r * k * k).reshape(r, k, k)
        for which in (usable & (ahead > behind), usable)
    ]
    return comparative_separation_from_counts(PairCounts(*totals), alpha=alpha)
