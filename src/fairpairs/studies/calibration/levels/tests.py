"""What every public test says of a simulated data set: rejections of what is true, and intervals.

A test runs through the function that users call, so what is judged is what they see: p-values after
the correction, intervals, notes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd

from fairpairs.arrays import Floats
from fairpairs.auditing.audit import audit
from fairpairs.fairness.bridges import biased_bridge
from fairpairs.fairness.chi_square import chi_square_test, conditional_chi_square_test
from fairpairs.fairness.comparative import comparative_separation_test
from fairpairs.fairness.comparative_judgments import comparative_separation_from_judgments
from fairpairs.fairness.density_ratio.measures import density_ratio_fairness
from fairpairs.fairness.differential_parity import (
    differential_parity_permutation_test,
    differential_parity_test,
)
from fairpairs.fairness.differential_parity_slope import differential_parity_slope_test
from fairpairs.fairness.estimates import SMALL_CELL
from fairpairs.fairness.mantel_haenszel import cochran_mantel_haenszel_test
from fairpairs.fairness.ranking import xauc
from fairpairs.fairness.rater_pairs import differential_parity_of_raters
from fairpairs.fairness.results import FairnessTestResult, SingleTestResult
from fairpairs.fairness.separation import separation_test
from fairpairs.fairness.separation_permutation import separation_permutation_test
from fairpairs.fairness.slopes import comparative_separation_slopes_test
from fairpairs.fairness.two_proportions import TwoProportionResult, two_proportion_test
from fairpairs.studies.calibration.levels import cases
from fairpairs.studies.calibration.levels.cases import Case, Sample

#: Criteria of an audit that separation does not imply where the groups' labels differ.
OF_BASE_RATES = ("demographic_parity", "differential_parity", "residual")
#: Intervals cover the truth up to rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Found:
    """What one test said of one data set.

    Attributes
    ----------
    of
        What was tested: "Holm", "joint", a criterion of an audit.
    rejected
        Whether a true hypothesis was rejected; None where nothing is tested.
    noted
        Whether the result carries a note.
    intervals
        Name of what was estimated → for each interval whether it covers the truth, and whether it
        carries a note.
    """

    of: str
    rejected: bool | None
    noted: bool
    intervals: Mapping[str, list[tuple[bool, bool]]] = field(default_factory=dict)


Run = Callable[[Sample, np.random.Generator, float], Iterator[Found]]


@dataclass(frozen=True)
class LevelTest:
    """A test of the study: the function that runs it, its cases, and how slow it is.

    Attributes
    ----------
    run, cases
        What is run, and on what.
    share
        Share of the data sets of a case that it runs on.
    """

    run: Run
    cases: tuple[Case, ...]
    share: float = 1.0


def _of_pairs(
    sample: Sample,
    result: FairnessTestResult | TwoProportionResult,
    measures: tuple[str, ...],
    truth: Floats | None = None,
    of: str = "Holm",
) -> Found:
    """Judge a test with some hypotheses for each two groups a < b.

    Parameters
    ----------
    measures
        What each hypothesis of two groups is about, in their order.
    truth
        The true difference of each hypothesis, where it is known; else 0 for groups treated alike.
    """
    pairs = list(combinations(range(len(sample.kind)), 2))
    alike = np.array([sample.kind[a] == sample.kind[b] for a, b in pairs])
    true = np.repeat(alike, len(measures))
    if truth is None:
        truth = np.where(true, 0.0, np.nan)
    table = result.to_frame()
    notes = table["note"].to_numpy() != ""
    lows, highs = table["ci_low"].to_numpy(), table["ci_high"].to_numpy()
    intervals: dict[str, list[tuple[bool, bool]]] = {}
    for number, (value, low, high) in enumerate(zip(truth, lows, highs, strict=True)):
        if np.isfinite(value) and np.isfinite(low):
            covers = bool(low - ROUNDING <= value <= high + ROUNDING)
            kept = intervals.setdefault(measures[number % len(measures)], [])
            kept.append((covers, bool(notes[number])))
    rejected = bool((table["pvalue"].to_numpy()[true] < result.alpha).any())
    return Found(of, rejected, bool(notes[true].any()), intervals)


def _noted(result: FairnessTestResult) -> bool:
    """Say whether any hypothesis carries a note."""
    return bool((result.to_frame()["note"] != "").any())


def _single(sample: Sample, pvalue: float, note: str, alpha: float, of: str) -> Iterator[Found]:
    """Judge a test of one hypothesis, where it is true: no group is treated differently."""
    if not sample.kind.any():
        yield Found(of, bool(pvalue < alpha), bool(note))


def _separation(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Found]:
    result = separation_test(
        sample.label, sample.score, sensitive_features=sample.group, alpha=alpha
    )
    yield _of_pairs(sample, result, ("TPR", "FPR"))


def _two_proportions(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Found]:
    result = two_proportion_test(sample.score, sensitive_features=sample.group, alpha=alpha)
    yield _of_pairs(sample, result, ("rate",))


def _contingency(test: Callable[..., SingleTestResult]) -> Run:
    def run(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Found]:
        found = test(sample.label, sample.score, sensitive_features=sample.group, alpha=alpha)
        yield from _single(sample, found.pvalue, found.note, alpha, "statistic")

    return run


def _gaps(rates: Floats | None) -> Floats | None:
    """Return the true gaps of each two groups, across and within."""
    if rates is None:
        return None
    gaps = [
        (rates[b, a] - rates[a, b], rates[b, b] - rates[a, a])
        for a, b in combinations(range(len(rates)), 2)
    ]
    return np.array(gaps).ravel()


def _rates_covered(table: pd.DataFrame, estimate: str, truth: Floats, noted: bool) -> Found:
    """Judge the intervals of all rates."""
    low, high = table["ci_low"].to_numpy(), table["ci_high"].to_numpy()
    known = np.isfinite(low) & np.isfinite(truth) & np.isfinite(table[estimate].to_numpy())
    covers = ((low - ROUNDING <= truth) & (truth <= high + ROUNDING))[known]
    return Found("rates", None, noted, {"rates": [(bool(c), noted) for c in covers]})


def _comparative(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Found]:
    result = comparative_separation_test(
        sample.label, sample.score, sensitive_features=sample.group, alpha=alpha
    )
    found = _of_pairs(sample, result, ("across", "within"), _gaps(sample.rates))
    yield found
    noted = _noted(result)
    if not sample.kind.any():
        joint = np.nan if result.joint is None else float(result.joint.pvalue)
        yield Found("joint", bool(joint < alpha), noted)
    if sample.rates is not None:
        yield _rates_covered(result.rates(), "tpr", sample.rates.ravel(), noted)


def _xauc(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Found]:
    result = xauc(sample.label, sample.score, sensitive_features=sample.group, alpha=alpha)
    truth = rates = None
    if sample.rates is not None:
        rates = _with_everyone(sample)
        everyone = len(rates) - 1
        truth = np.array(
            [
                difference
                for a, b in combinations(range(everyone), 2)
                for difference in (
                    rates[a, a] - rates[b, b],
                    rates[a, b] - rates[b, a],
                    rates[a, -1] - rates[b, -1],
                    rates[-1, a] - rates[-1, b],
                )
            ]
        )
    yield _of_pairs(sample, result, ("AUC", "xAUC", "xAUC_1", "xAUC_0"), truth)
    if rates is not None:
        noted = _noted(result)
        yield _rates_covered(result.rates(), "estimate", rates.ravel(), noted)


def _with_everyone(sample: Sample) -> Floats:
    """Return the true rates of the groups and, in the last row and column, of everyone."""
    assert sample.rates is not None
    k = len(sample.rates)
    positive, negative = (
        np.bincount(sample.group[sample.label == label], minlength=k) for label in (1, 0)
    )
    shares = [np.vstack([np.eye(k), x / x.sum()]) for x in (positive, negative)]
    return np.asarray(shares[0] @ sample.rates @ shares[1].T)


def _judged(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Found]:
    left, right, outcome = sample.judgments
    result = comparative_separation_from_judgments(
        left, right, outcome, sample.score, sensitive_features=sample.group, alpha=alpha
    )
    yield _of_pairs(sample, result, ("across", "within"))
    noted = _noted(result)
    joint = np.nan if result.joint is None else float(result.joint.pvalue)
    yield Found("joint", bool(joint < alpha), noted)


def _permutation(statistic: str) -> Run:
    def run(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Found]:
        found = separation_permutation_test(
            sample.label,
            sample.score,
            sensitive_features=sample.group,
            statistic=statistic,  # type: ignore[arg-type]
            n_permutations=199,
            alpha=alpha,
            random_state=rng,
        )
        # with 199 permutations a p of 0.05 comes up in exactly 0.05 of the data sets
        yield from _single(sample, found.pvalue * (1 - 1e-12), found.note, alpha, statistic)

    return run


def _slopes(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Found]:
    result = comparative_separation_slopes_test(
        sample.label, sample.score, sensitive_feature=sample.attribute, alpha=alpha
    )
    noted = _noted(result)
    yield Found("Holm", bool((result.pvalues < alpha).any()), noted)
    yield Found("joint", bool(float(result.joint.pvalue) < alpha), noted)


def _parity(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Found]:
    result = differential_parity_test(
        sample.score, sample.reference, sensitive_features=sample.group, alpha=alpha
    )
    yield _of_pairs(sample, result, ("difference",))


def _parity_slope(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Found]:
    result = differential_parity_slope_test(
        sample.score, sample.reference, sensitive_feature=sample.attribute, alpha=alpha
    )
    noted = _noted(result)
    low, high = result.difference.ci_low[0], result.difference.ci_high[0]
    intervals = {"slope": [(bool(low <= 0 <= high), noted)]} if np.isfinite(low) else {}
    yield Found("slope", bool(result.pvalue < alpha), noted, intervals)


def _parity_permutation(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Found]:
    found = differential_parity_permutation_test(
        sample.score,
        sample.reference,
        sensitive_features=sample.group,
        n_permutations=199,
        alpha=alpha,
        random_state=rng,
    )
    yield from _single(sample, found.pvalue * (1 - 1e-12), found.note, alpha, "means")


def _raters(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Found]:
    """Compare four raters, who decide alike up to noise."""
    ratings = sample.label[:, None] + rng.normal(size=(len(sample.label), 4))
    ratings[:, 0] = sample.score
    frame = differential_parity_of_raters(ratings, sensitive_features=sample.group).to_frame()
    noted = bool((frame["overlap"] < SMALL_CELL).any())
    yield Found("Holm", bool((frame["pvalue_adjusted"] < alpha).any()), noted)


def _bridge(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Found]:
    """Compare two judges on other items each; the first half of the items is the first judge's."""
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
    yield _of_pairs(sample, result, ("difference",))


def _density_ratio(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Found]:
    result = density_ratio_fairness(
        sample.label,
        sample.score,
        sensitive_features=sample.group,
        n_permutations=199,
        alpha=alpha,
        random_state=rng,
    )
    noted = _noted(result)
    pvalues = result.pvalues * (1 - 1e-12)
    yield Found("Holm", bool((pvalues < alpha).any()), noted)


def _audited(kind: Literal["predictions", "scores", "real"]) -> Run:
    def run(sample: Sample, rng: np.random.Generator, alpha: float) -> Iterator[Found]:
        if sample.kind.any():
            return
        score = None
        prediction = sample.score
        if kind == "scores":
            score, prediction = sample.score, (sample.score > np.median(sample.score)).astype(float)
        found = audit(
            sample.label,
            prediction,
            y_score=score,
            sensitive_features=sample.group,
            alpha=alpha,
            label_kind="number" if kind == "real" else "binary",
        )
        table = found.to_frame()
        for criterion, rows in table.groupby("criterion", sort=False):
            if not sample.same_labels and criterion in OF_BASE_RATES:
                continue
            rejected = bool((rows["pvalue_adjusted"] < alpha).any())
            yield Found(str(criterion), rejected, bool((rows["note"] != "").any()))
        yield Found("violated (the gate)", bool(found.violated), False)

    return run


def _chosen(among: tuple[Case, ...], *words: str) -> tuple[Case, ...]:
    """Return the cases whose names hold one of the words."""
    return tuple(case for case in among if any(word in case.name for word in words))


_SOME_SCORES = _chosen(
    cases.SCORES, "30 / 30, AUC 0.92", "1,000 / 30, AUC 0.92", "1,000 / 30, AUC 0.998",
    "1,000 / 100, AUC 0.983", "500 / 500, AUC 0.76", "flags",
)  # fmt: skip
_SOME_BINARY = _chosen(
    cases.BINARY, "30 / 30,", "1,000 / 30, prevalence 0.5", "1,000 / 100, prevalence 0.1",
    "2,970 / 30, prevalence 0.3", "500 / 500, prevalence 0.5, TPR 0.8", "8 groups",
)  # fmt: skip
_SOME_REAL = _chosen(cases.REAL, "50 / 50", "970 / 30", "levels", "3 groups", "skewed")
_SOME_DECISIONS = _chosen(cases.DECISIONS, "1,000 / 15, ", "10 / 10", "1,000 / 60, skewed")

_ALIKE = tuple(
    case for case in cases.REAL if case.name in ("50 / 50, shift 0", "950 / 50, shift 0")
)

#: Every public test, under the name of its function and what it runs on.
TESTS: dict[str, LevelTest] = {
    "separation_test": LevelTest(_separation, cases.BINARY),
    "two_proportion_test": LevelTest(_two_proportions, cases.BINARY),
    "conditional_chi_square_test": LevelTest(
        _contingency(conditional_chi_square_test), cases.BINARY, 0.2
    ),
    "cochran_mantel_haenszel_test": LevelTest(
        _contingency(cochran_mantel_haenszel_test), cases.BINARY
    ),
    "chi_square_test": LevelTest(_contingency(chi_square_test), cases.BINARY, 0.2),
    "comparative_separation_test_of_predictions": LevelTest(_comparative, cases.BINARY),
    "comparative_separation_test_of_scores": LevelTest(_comparative, cases.SCORES),
    "comparative_separation_test_of_real_labels": LevelTest(_comparative, cases.REAL),
    "comparative_separation_from_judgments": LevelTest(_judged, cases.JUDGMENTS),
    "comparative_separation_slopes_test": LevelTest(_slopes, cases.ATTRIBUTES),
    "xauc": LevelTest(_xauc, cases.SCORES),
    "separation_permutation_test_of_gaps": LevelTest(
        _permutation("comparative_separation"), _SOME_SCORES + _SOME_REAL, 0.2
    ),
    "separation_permutation_test_of_information": LevelTest(
        _permutation("information_separation"), _SOME_REAL, 0.2
    ),
    "differential_parity_test": LevelTest(_parity, cases.DECISIONS),
    "differential_parity_permutation_test": LevelTest(_parity_permutation, cases.DECISIONS, 0.2),
    "differential_parity_slope_test": LevelTest(_parity_slope, cases.SLOPES),
    "differential_parity_of_raters": LevelTest(_raters, _SOME_DECISIONS),
    "biased_bridge": LevelTest(_bridge, cases.BRIDGES, 0.2),
    "density_ratio_fairness": LevelTest(_density_ratio, _ALIKE, 0.1),
    "audit_of_predictions": LevelTest(_audited("predictions"), _SOME_BINARY, 0.2),
    "audit_of_scores": LevelTest(_audited("scores"), _SOME_SCORES, 0.2),
    "audit_of_real_labels": LevelTest(_audited("real"), _SOME_REAL, 0.2),
}
