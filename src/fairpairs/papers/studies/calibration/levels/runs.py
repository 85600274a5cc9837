"""Run each public test on a simulated data set, through the function that users call.

The p-values, intervals and notes that are judged are thus those that users see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Literal

import numpy as np

from fairpairs.audits.audit.interface import audit
from fairpairs.base.arrays import Floats
from fairpairs.mathematics.density_ratio.measures import density_ratio_fairness
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.fairness.bridges import biased_bridge
from fairpairs.mathematics.fairness.comparative import comparative_separation_test
from fairpairs.mathematics.fairness.differential_parity import (
    differential_parity_permutation_test,
    differential_parity_test,
)
from fairpairs.mathematics.fairness.differential_parity_slope import differential_parity_slope_test
from fairpairs.mathematics.fairness.ranking import xauc
from fairpairs.mathematics.fairness.rater_pairs import differential_parity_of_raters
from fairpairs.mathematics.fairness.separation import separation_test
from fairpairs.mathematics.fairness.separation_permutation import separation_permutation_test
from fairpairs.mathematics.fairness.slopes import comparative_separation_slopes_test
from fairpairs.mathematics.fairness.two_proportions import two_proportion_test
from fairpairs.mathematics.inference.results import SingleTestResult
from fairpairs.mathematics.judgments.comparative_judgments import (
    comparative_separation_from_judgments,
)
from fairpairs.papers.studies.calibration.levels.cases.sample import Sample
from fairpairs.papers.studies.calibration.levels.outcome import (
    Outcome,
    has_note,
    pairwise_outcome,
    rates_outcome,
    single_outcome,
)

#: Criteria of an audit that separation does not imply if the labels of the groups differ.
OF_BASE_RATES = ("demographic_parity", "differential_parity", "residual")


Run = Callable[[Sample, np.random.Generator, float], Iterator[Outcome]]


def run_separation(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Outcome]:
    """Judge the differences of TPR and FPR."""
    result = separation_test(
        sample.label, sample.score, sensitive_features=sample.group, alpha=alpha
    )
    yield pairwise_outcome(sample, result, ("TPR", "FPR"))


def run_two_proportions(
    sample: Sample, rng: np.random.Generator, alpha: float
) -> Iterator[Outcome]:
    """Judge the differences of selection rates."""
    result = two_proportion_test(sample.score, sensitive_features=sample.group, alpha=alpha)
    yield pairwise_outcome(sample, result, ("rate",))


def run_contingency(test: Callable[..., SingleTestResult]) -> Run:
    """Return a function that judges a test of one hypothesis on a contingency table."""

    def run(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Outcome]:
        result = test(sample.label, sample.score, sensitive_features=sample.group, alpha=alpha)
        yield from single_outcome(sample, result.pvalue, result.note, alpha, "statistic")

    return run


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
) -> Iterator[Outcome]:
    """Judge both gaps, the joint test and the intervals of all rates."""
    result = comparative_separation_test(
        sample.label, sample.score, sensitive_features=sample.group, alpha=alpha
    )
    yield pairwise_outcome(sample, result, ("across", "within"), _true_gaps(sample.rates))
    noted = has_note(result)
    if not sample.kind.any():
        joint = np.nan if result.joint is None else float(result.joint.pvalue)
        yield Outcome("joint", bool(joint < alpha), noted)
    if sample.rates is not None:
        yield rates_outcome(result.rates(), "tpr", sample.rates.ravel(), noted)


def run_xauc(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Outcome]:
    """Judge the differences of AUC and xAUC and the intervals of all rates."""
    result = xauc(sample.label, sample.score, sensitive_features=sample.group, alpha=alpha)
    truth = rates = None
    if sample.rates is not None:
        rates = _rates_with_all_items(sample)
        n_groups = len(rates) - 1
        truth = np.array(
            [
                difference
                for a, b in combinations(range(n_groups), 2)
                for difference in (
                    rates[b, b] - rates[a, a],
                    rates[b, a] - rates[a, b],
                    rates[b, -1] - rates[a, -1],
                    rates[-1, b] - rates[-1, a],
                )
            ]
        )
    yield pairwise_outcome(sample, result, ("AUC", "xAUC", "xAUC_1", "xAUC_0"), truth)
    if rates is not None:
        noted = has_note(result)
        yield rates_outcome(result.rates(), "estimate", rates.ravel(), noted)


def _rates_with_all_items(sample: Sample) -> Floats:
    """Return the true rates of the groups and, in the last row and column, of all items."""
    assert sample.rates is not None
    k = len(sample.rates)
    positive, negative = (
        np.bincount(sample.group[sample.label == label], minlength=k) for label in (1, 0)
    )
    shares = [np.vstack([np.eye(k), x / x.sum()]) for x in (positive, negative)]
    return np.asarray(shares[0] @ sample.rates @ shares[1].T)


def run_judgments(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Outcome]:
    """Judge both gaps and the joint test on given judgments."""
    left, right, outcome = sample.judgments
    result = comparative_separation_from_judgments(
        left, right, outcome, sample.score, sensitive_features=sample.group, alpha=alpha
    )
    yield pairwise_outcome(sample, result, ("across", "within"))
    noted = has_note(result)
    joint = np.nan if result.joint is None else float(result.joint.pvalue)
    yield Outcome("joint", bool(joint < alpha), noted)


def run_permutation(statistic: str) -> Run:
    """Return a function that judges the permutation test of separation with a statistic."""

    def run(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Outcome]:
        result = separation_permutation_test(
            sample.label,
            sample.score,
            sensitive_features=sample.group,
            statistic=statistic,  # type: ignore[arg-type]
            n_permutations=199,
            alpha=alpha,
            random_state=rng,
        )
        # with 199 permutations, p = 0.05 occurs and must count as a rejection
        yield from single_outcome(
            sample, result.pvalue * (1 - 1e-12), result.note, alpha, statistic
        )

    return run


def run_slopes(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Outcome]:
    """Judge both slopes and their joint test."""
    result = comparative_separation_slopes_test(
        sample.label, sample.score, sensitive_features=sample.attribute, alpha=alpha
    )
    noted = has_note(result)
    yield Outcome("Holm", bool((result.pvalues < alpha).any()), noted)
    yield Outcome("joint", bool(float(result.joint.pvalue) < alpha), noted)


def run_differential_parity(
    sample: Sample, rng: np.random.Generator, alpha: float
) -> Iterator[Outcome]:
    """Judge the differences of means."""
    result = differential_parity_test(
        sample.score, sample.reference, sensitive_features=sample.group, alpha=alpha
    )
    yield pairwise_outcome(sample, result, ("difference",))


def run_parity_slope(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Outcome]:
    """Judge the slope on a continuous attribute."""
    result = differential_parity_slope_test(
        sample.score, sample.reference, sensitive_features=sample.attribute, alpha=alpha
    )
    noted = has_note(result)
    low, high = result.difference.ci_low[0], result.difference.ci_high[0]
    intervals = {"slope": [(bool(low <= 0 <= high), noted)]} if np.isfinite(low) else {}
    yield Outcome("slope", bool(result.pvalue < alpha), noted, intervals)


def run_parity_permutation(
    sample: Sample, rng: np.random.Generator, alpha: float
) -> Iterator[Outcome]:
    """Judge the permutation test of equal means."""
    result = differential_parity_permutation_test(
        sample.score,
        sample.reference,
        sensitive_features=sample.group,
        n_permutations=199,
        alpha=alpha,
        random_state=rng,
    )
    yield from single_outcome(sample, result.pvalue * (1 - 1e-12), result.note, alpha, "means")


def run_raters(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Outcome]:
    """Compare four raters who differ by noise only."""
    ratings = sample.label[:, None] + rng.normal(size=(len(sample.label), 4))
    ratings[:, 0] = sample.score
    frame = differential_parity_of_raters(ratings, sensitive_features=sample.group).to_frame()
    noted = bool((frame["overlap"] < SMALL_CELL).any())
    yield Outcome("Holm", bool((frame["pvalue_adjusted"] < alpha).any()), noted)


def run_bridge(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Outcome]:
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
    yield pairwise_outcome(sample, result, ("difference",))


def run_density_ratio(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Outcome]:
    """Judge the permutation tests of the density-ratio measures."""
    result = density_ratio_fairness(
        sample.label,
        sample.score,
        sensitive_features=sample.group,
        n_permutations=199,
        alpha=alpha,
        random_state=rng,
    )
    noted = has_note(result)
    pvalues = result.pvalues * (1 - 1e-12)
    yield Outcome("Holm", bool((pvalues < alpha).any()), noted)


def run_audit(kind: Literal["predictions", "scores", "real"]) -> Run:
    """Return a function that judges each criterion of an audit, and its verdict."""

    def run(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Outcome]:
        if sample.kind.any():
            return
        score = None
        prediction = sample.score
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
        table = result.to_frame()
        for criterion, rows in table.groupby("criterion", sort=False):
            if not sample.same_labels and criterion in OF_BASE_RATES:
                continue
            rejected = bool((rows["pvalue_adjusted"] < alpha).any())
            yield Outcome(str(criterion), rejected, bool((rows["note"] != "").any()))
        yield Outcome("violated (the gate)", bool(result.violated), False)

    return run
