"""Run each public test on a simulated data set, through the function that users call.

The p-values, intervals and notes that are judged are thus those that users see.
"""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any, Literal

import numpy as np

from fairpairs.audits.audit.interface import audit
from fairpairs.base.arrays import Floats
from fairpairs.mathematics.density_ratio.measures import density_ratio_fairness
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.fairness.bridges import biased_bridge
from fairpairs.mathematics.fairness.comparative import comparative_separation_test
from fairpairs.mathematics.fairness.differential_parity_slope import differential_parity_slope_test
from fairpairs.mathematics.fairness.ranking import xauc
from fairpairs.mathematics.fairness.slopes import comparative_separation_slopes_test
from fairpairs.mathematics.judgments.comparative_judgments import (
    comparative_separation_from_judgments,
)
from fairpairs.mathematics.promises.promise import Said
from fairpairs.papers.experiments.rater_pairs import differential_parity_of_raters
from fairpairs.papers.studies.calibration.levels.cases.sample import Sample
from fairpairs.papers.studies.calibration.levels.outcome import has_note, of_pairs, of_rates

#: Criteria of an audit that separation does not imply if the labels of the groups differ.
OF_BASE_RATES = ("demographic_parity", "differential_parity", "residual")
#: With 199 permutations, p = 0.05 occurs and must count as a rejection.
BELOW = 1 - 1e-12
PERMUTATIONS = 199

Run = Callable[[Sample, np.random.Generator, float], Iterator[Said]]


def pairwise(test: Callable[..., Any], columns: tuple[str, ...], measures: tuple[str, ...]) -> Run:
    """Return a function that judges differences of each two groups, of columns of the sample."""

    def run(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Said]:
        arrays = (getattr(sample, column) for column in columns)
        result = test(*arrays, sensitive_features=sample.group, alpha=alpha)
        yield from of_pairs(sample, result, measures)

    return run


def single(test: Callable[..., Any], columns: tuple[str, ...], of: str, **options: object) -> Run:
    """Return a function that judges one hypothesis, if it is true: all groups are alike.

    Options are those of a permutation test.
    """

    def run(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Said]:
        arrays = (getattr(sample, column) for column in columns)
        more = {**options, "random_state": rng} if options else {}
        result = test(*arrays, sensitive_features=sample.group, alpha=alpha, **more)
        if not sample.kind.any():
            pvalue = result.pvalue * (BELOW if options else 1)
            yield Said.once(of, "level", bool(pvalue < alpha), bool(result.note))

    return run


def _joint(result: Any, alpha: float) -> Said:
    """Judge the joint test of a result."""
    joint = np.nan if result.joint is None else float(result.joint.pvalue)
    return Said.once("joint", "level", bool(joint < alpha), has_note(result))


def _true_gaps(rates: Floats | None) -> Floats | None:
    """Return the true gaps (across, within) of each two groups."""
    if rates is None:
        return None
    gaps = [
        (rates[b, a] - rates[a, b], rates[b, b] - rates[a, a])
        for a, b in combinations(range(len(rates)), 2)
    ]
    return np.array(gaps).ravel()


def run_comparative_separation(
    sample: Sample, rng: np.random.Generator, alpha: float
) -> Iterator[Said]:
    """Judge both gaps, the joint test and the intervals of all rates."""
    result = comparative_separation_test(
        sample.label, sample.score, sensitive_features=sample.group, alpha=alpha
    )
    yield from of_pairs(sample, result, ("across", "within"), _true_gaps(sample.rates))
    if not sample.kind.any():
        yield _joint(result, alpha)
    if sample.rates is not None:
        yield of_rates(result.rates(), "tpr", sample.rates.ravel(), has_note(result))


def run_xauc(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Said]:
    """Judge the differences of AUC and xAUC and the intervals of all rates."""
    result = xauc(sample.label, sample.score, sensitive_features=sample.group, alpha=alpha)
    truth = rates = None
    if sample.rates is not None:
        rates = _rates_with_all_items(sample)
        differences = [
            (
                rates[b, b] - rates[a, a],
                rates[b, a] - rates[a, b],
                rates[b, -1] - rates[a, -1],
                rates[-1, b] - rates[-1, a],
            )
            for a, b in combinations(range(len(rates) - 1), 2)
        ]
        truth = np.array(differences).ravel()
    yield from of_pairs(sample, result, ("AUC", "xAUC", "xAUC_1", "xAUC_0"), truth)
    if rates is not None:
        yield of_rates(result.rates(), "estimate", rates.ravel(), has_note(result))


def _rates_with_all_items(sample: Sample) -> Floats:
    """Return the true rates of the groups and, in the last row and column, of all items."""
    assert sample.rates is not None
    k = len(sample.rates)
    positive, negative = (
        np.bincount(sample.group[sample.label == label], minlength=k) for label in (1, 0)
    )
    shares = [np.vstack([np.eye(k), x / x.sum()]) for x in (positive, negative)]
    return np.asarray(shares[0] @ sample.rates @ shares[1].T)


def run_judgments(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Said]:
    """Judge both gaps and the joint test on given judgments."""
    left, right, outcome = sample.judgments
    result = comparative_separation_from_judgments(
        left, right, outcome, sample.score, sensitive_features=sample.group, alpha=alpha
    )
    yield from of_pairs(sample, result, ("across", "within"))
    yield _joint(result, alpha)


def run_slopes(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Said]:
    """Judge both slopes and their joint test."""
    result = comparative_separation_slopes_test(
        sample.label, sample.score, sensitive_features=sample.attribute, alpha=alpha
    )
    yield Said.once("Holm", "level", bool((result.pvalues < alpha).any()), has_note(result))
    yield _joint(result, alpha)


def run_parity_slope(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Said]:
    """Judge the slope on a continuous attribute."""
    result = differential_parity_slope_test(
        sample.score, sample.reference, sensitive_features=sample.attribute, alpha=alpha
    )
    noted = has_note(result)
    low, high = result.difference.ci_low[0], result.difference.ci_high[0]
    yield Said.once("slope", "level", bool(result.pvalue < alpha), noted)
    yield Said.once(
        "slope", "coverage", bool(low <= 0 <= high) if np.isfinite(low) else None, noted
    )


def run_raters(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Said]:
    """Compare four raters who differ by noise only."""
    ratings = sample.label[:, None] + rng.normal(size=(len(sample.label), 4))
    ratings[:, 0] = sample.score
    frame = differential_parity_of_raters(ratings, sensitive_features=sample.group).to_frame()
    noted = bool((frame["overlap"] < SMALL_CELL).any())
    yield Said.once("Holm", "level", bool((frame["pvalue_adjusted"] < alpha).any()), noted)


def run_bridge(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Said]:
    """Compare two judges: one decides on the items with even numbers, one on the others."""
    first = np.arange(len(sample.group)) % 2 == 0
    result = biased_bridge(
        sample.attribute[first],
        sample.score[first],
        sample.attribute[~first],
        sample.score[~first],
        sensitive_features_0=sample.group[first],
        sensitive_features_1=sample.group[~first],
        alpha=alpha,
        random_state=rng,
    )
    yield from of_pairs(sample, result, ("difference",))


def run_density_ratio(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Said]:
    """Judge the permutation tests of the density-ratio measures."""
    result = density_ratio_fairness(
        sample.label,
        sample.score,
        sensitive_features=sample.group,
        n_permutations=PERMUTATIONS,
        alpha=alpha,
        random_state=rng,
    )
    found = bool((result.pvalues * BELOW < alpha).any())
    yield Said.once("Holm", "level", found, has_note(result))


def run_audit(kind: Literal["predictions", "scores", "real"]) -> Run:
    """Return a function that judges each criterion of an audit, and its verdict."""

    def run(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Said]:
        if sample.kind.any():
            return
        score, prediction = None, sample.score
        if kind == "scores":
            score, prediction = sample.score, (sample.score > np.median(sample.score)).astype(float)
        result = audit(
            sample.label,
            prediction,
            y_score=score,
            sensitive_features=sample.group,
            alpha=alpha,
            label_kind="number" if kind == "real" else "binary",
        )
        for criterion, rows in result.to_frame().groupby("criterion", sort=False):
            if not sample.same_labels and criterion in OF_BASE_RATES:
                continue
            rejected = bool((rows["pvalue_adjusted"] < alpha).any())
            yield Said.once(str(criterion), "level", rejected, bool((rows["note"] != "").any()))
        yield Said.once("violated (the gate)", "level", bool(result.violated))

    return run
