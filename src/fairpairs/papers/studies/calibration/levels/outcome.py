"""The outcome of one test on one data set: wrong rejections, and intervals that miss the truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.fairness.two_proportions import TwoProportionResult
from fairpairs.mathematics.inference.results import FairnessTestResult, notes
from fairpairs.papers.studies.calibration.levels.cases.sample import Sample

#: Intervals cover the truth up to rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Outcome:
    """The outcome of one test on one data set."""

    #: what was tested: "Holm", "joint", a criterion of an audit
    of: str
    #: whether a true hypothesis was rejected; None if nothing is tested
    rejected: bool | None
    #: whether the result carries a note
    noted: bool
    #: estimate → for each interval, whether it covers the truth and whether it carries a note
    intervals: Mapping[str, list[tuple[bool, bool]]] = field(default_factory=dict)


def pairwise_outcome(
    sample: Sample,
    result: FairnessTestResult | TwoProportionResult,
    measures: tuple[str, ...],
    truth: Floats | None = None,
) -> Outcome:
    """Judge a test with the hypotheses `measures` for each two groups a < b.

    `truth` is the true difference of each hypothesis; None stands for 0 for groups that are treated
    alike.
    """
    pairs = list(combinations(range(len(sample.kind)), 2))
    alike = np.array([sample.kind[a] == sample.kind[b] for a, b in pairs])
    true = np.repeat(alike, len(measures))
    if truth is None:
        truth = np.where(true, 0.0, np.nan)
    pvalues, lows, highs, noted = _fields(result)
    intervals: dict[str, list[tuple[bool, bool]]] = {}
    for number, (value, low, high) in enumerate(zip(truth, lows, highs, strict=True)):
        if np.isfinite(value) and np.isfinite(low):
            covers = bool(low - ROUNDING <= value <= high + ROUNDING)
            covered = intervals.setdefault(measures[number % len(measures)], [])
            covered.append((covers, bool(noted[number])))
    rejected = bool((pvalues[true] < result.alpha).any())
    return Outcome("Holm", rejected, bool(noted[true].any()), intervals)


def _fields(
    result: FairnessTestResult | TwoProportionResult,
) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """Return p-values, lower and upper limits, and whether there is a note, of a result.

    Building thousands of tables would take longer than the tests.
    """
    if isinstance(result, FairnessTestResult):
        difference = result.difference
        return result.pvalues, difference.ci_low, difference.ci_high, notes(difference) != ""
    tests = result.by_pair or (result,)
    numbers = np.array([(test.pvalue, test.ci_low, test.ci_high) for test in tests])
    return *numbers.T, np.array([bool(test.note) for test in tests])


def has_note(result: FairnessTestResult) -> bool:
    """Return whether any hypothesis carries a note."""
    return bool((notes(result.difference) != "").any())


def single_outcome(
    sample: Sample, pvalue: float, note: str, alpha: float, of: str
) -> Iterator[Outcome]:
    """Judge a test of one hypothesis, if it is true: all groups are treated alike."""
    if not sample.kind.any():
        yield Outcome(of, bool(pvalue < alpha), bool(note))


def rates_outcome(table: pd.DataFrame, estimate: str, truth: Floats, noted: bool) -> Outcome:
    """Judge the intervals of all rates."""
    low, high = table["ci_low"].to_numpy(), table["ci_high"].to_numpy()
    known = np.isfinite(low) & np.isfinite(truth) & np.isfinite(table[estimate].to_numpy())
    covers = ((low - ROUNDING <= truth) & (truth <= high + ROUNDING))[known]
    return Outcome("rates", None, noted, {"rates": [(bool(c), noted) for c in covers]})
