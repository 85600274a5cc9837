"""What a test says of one data set: wrong rejections, and intervals that miss the truth."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.fairness.two_proportions import TwoProportionResult
from fairpairs.mathematics.inference.results import FairnessTestResult, notes
from fairpairs.mathematics.promises.check import ROUNDING
from fairpairs.mathematics.promises.promise import Said
from fairpairs.papers.studies.calibration.levels.cases.sample import Sample


@dataclass(frozen=True)
class Case:
    """What a test says of data sets of one kind."""

    test: str
    name: str
    #: its random stream
    key: tuple[str, ...]
    #: draws a number of data sets with a generator, and tests them at a level
    measure: Callable[[np.random.Generator, int, float], Sequence[Said]]
    #: the share of the data sets on which it runs, less than 1 for slow tests
    share: float = 1.0
    #: what is promised, unless it follows from the level
    promised: float | None = None


Result = FairnessTestResult | TwoProportionResult


def of_pairs(
    sample: Sample, result: Result, measures: tuple[str, ...], truth: Floats | None = None
) -> Iterator[Said]:
    """Judge a test with the hypotheses `measures` for each two groups a < b, by Holm.

    `truth` is the true difference of each hypothesis; None stands for 0 for groups that are treated
    alike.
    """
    pairs = list(combinations(range(len(sample.kind)), 2))
    true = np.repeat([sample.kind[a] == sample.kind[b] for a, b in pairs], len(measures))
    values = np.where(true, 0.0, np.nan) if truth is None else truth
    pvalues, lows, highs, noted = judged_fields(result)
    rejected = bool((pvalues[true] < result.alpha).any())
    yield Said.once("Holm", "level", rejected, bool(noted[true].any()))
    known = np.isfinite(values) & np.isfinite(lows)
    covers = (lows - ROUNDING <= values) & (values <= highs + ROUNDING)
    for index, measure in enumerate(measures):
        own = known & (np.arange(len(values)) % len(measures) == index)
        yield of_intervals(measure, covers[own], bool(noted[own].any()))


def of_intervals(name: str, covers: NDArray[np.bool_], noted: bool) -> Said:
    """Say which share of some intervals of a data set holds the truth."""
    return Said.once(name, "coverage", float(covers.mean()) if covers.size else None, noted)


def of_rates(table: pd.DataFrame, estimate: str, truth: Floats, noted: bool) -> Said:
    """Judge the intervals of all rates."""
    low, high = table["ci_low"].to_numpy(), table["ci_high"].to_numpy()
    known = np.isfinite(low) & np.isfinite(truth) & np.isfinite(table[estimate].to_numpy())
    covers = (low - ROUNDING <= truth) & (truth <= high + ROUNDING)
    return of_intervals("rates", covers[known], noted)


def judged_fields(result: Result) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
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
