"""The hypothesis of section 3.4.2: whether a test needs as many pairs as another needs items.

Labels and errors are normal and independent of the group, so separation implies comparative
separation, and it is known how separation is violated.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import chdtrc

from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.plain_values import Content
from fairpairs.mathematics.estimates.pairs.rates import PairCounts
from fairpairs.mathematics.inference.gaps import comparative_separation_from_counts
from fairpairs.papers.experiments.item_counts import separation_from_counts
from fairpairs.papers.experiments.seeds import stream

#: Tests of separation on n items, and the paper's test on fresh pairs.
AT_MEDIANS, NORMAL_MODEL = "separation_at_medians", "separation_by_normal_model"
COMPARATIVE = "comparative_separation"

#: The name of the violation of fair predictions.
FAIR = "none"

#: Items that are drawn at once.
BLOCK = 1 << 21


@dataclass(frozen=True)
class RegressionItems:
    """Items of r data sets, shape (r, n): groups 0 and 1, labels and predictions."""

    group: Integers
    label: Floats
    prediction: Floats


def compare_sizes(settings: Content, *, seed: int, alpha: float) -> pd.DataFrame:
    """Return how often violations are found on n items and on multiples of n fresh pairs.

    Each of two hypotheses is tested at `alpha`, a single one at 1 − (1 − alpha)²; `used` counts the
    data sets in which something could be tested.
    """
    n, rows = settings["items"], []
    for violation, changes in settings["violations"].items():
        tests = [(AT_MEDIANS, n), (NORMAL_MODEL, n)]
        tests += [(COMPARATIVE, n * times) for times in settings["pairs_per_item"]]
        for test, size in tests:
            rng = stream(seed, "pairs_in_regression", violation, test, size)
            pvalues = _pvalues(test, size, settings["repeats"], changes, rng)
            level = alpha if pvalues.shape[1] == 2 else 1 - (1 - alpha) ** 2
            tested = np.isfinite(pvalues).any(axis=1)
            violated = (pvalues[tested] < level).any(axis=1)
            share, used = violated.mean() if violated.size else np.nan, violated.size
            error = np.sqrt(share * (1 - share) / max(used, 1))
            rows.append((violation, test, size, share, error, settings["repeats"], used))
    columns = ["violation", "test", "size", "rejected", "standard_error", "repeats", "used"]
    return pd.DataFrame(rows, columns=columns)


def draw_items(
    shape: tuple[int, int],
    rng: np.random.Generator,
    *,
    shift: float = 0.0,
    slope: float = 0.0,
    noise: float = 0.0,
) -> RegressionItems:
    """Draw items, shape (data sets, items): predictions are labels plus errors of equal variance.

    Group 1 has more by `shift` in its predictions, by `slope` in their slope on the label (1), and
    by `noise` in the standard deviation of their errors (1).
    """
    group = rng.integers(2, size=shape)
    label, error = rng.normal(size=(2, *shape))
    prediction = (1 + slope * group) * label + shift * group + (1 + noise * group) * error
    return RegressionItems(group, label, prediction)


def _pvalues(
    test: str, size: int, repeats: int, changes: Mapping[str, float], rng: np.random.Generator
) -> Floats:
    """Return the p-values of tests on `size` items or pairs, shape (repeats, hypotheses)."""
    items = 2 * size if test == COMPARATIVE else size
    step = max(1, BLOCK // items)
    shapes = [(min(step, repeats - first), items) for first in range(0, repeats, step)]
    return np.concatenate([TESTS[test](draw_items(shape, rng, **changes)) for shape in shapes])


def separation_at_medians(items: RegressionItems) -> Floats:
    """Test H0t and H0f, with labels and predictions cut at their medians, shape (r, 2)."""
    label, prediction = (
        (values > np.median(values, axis=1, keepdims=True)).astype(np.int64)
        for values in (items.label, items.prediction)
    )
    counts = _counted(4 * items.group + 2 * label + prediction, 8)
    return separation_from_counts(counts.reshape(-1, 2, 2, 2)).pvalue


def separation_by_normal_model(items: RegressionItems) -> Floats:
    """Test that both groups have one intercept, slope and error variance, shape (r, 1).

    This is the likelihood ratio test, which knows that predictions given the label are normal.
    """
    n, variance = _residual_variance(items, np.ones(items.label.shape, dtype=bool))
    statistic = n * np.log(variance)
    for group in (0, 1):
        n, variance = _residual_variance(items, items.group == group)
        statistic -= n * np.log(variance)
    return np.asarray(chdtrc(3, statistic)[:, None])


def comparative_separation_of_fresh_pairs(items: RegressionItems) -> Floats:
    """Test H0c and H0w on pairs of the first half of the items with the second, shape (r, 2)."""
    pairs = items.label.shape[1] // 2
    first, second = slice(None, pairs), slice(pairs, None)
    higher = items.label[:, first] > items.label[:, second]
    one, two = items.group[:, first], items.group[:, second]
    cell = np.where(higher, 2 * one + two, 2 * two + one)
    concordant = (items.prediction[:, first] > items.prediction[:, second]) == higher
    right = _counted(np.where(concordant, cell, 4), 5)[:, :4]
    pairs = (counts.reshape(-1, 2, 2) for counts in (right, _counted(cell, 4)))
    return comparative_separation_from_counts(PairCounts(*pairs)).pvalue


TESTS: dict[str, Callable[[RegressionItems], Floats]] = {
    AT_MEDIANS: separation_at_medians,
    NORMAL_MODEL: separation_by_normal_model,
    COMPARATIVE: comparative_separation_of_fresh_pairs,
}


def _residual_variance(items: RegressionItems, member: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the size of a group and its residual variance about a line, shape (r,) each."""
    n = member.sum(axis=1)

    def mean(values: Floats) -> Floats:
        return np.asarray(np.where(member, values, 0).sum(axis=1) / n)

    x, y = (v - mean(v)[:, None] for v in (items.label, items.prediction))
    return n, mean(y * y) - mean(x * y) ** 2 / mean(x * x)


def _counted(cell: Integers, size: int) -> Integers:
    """Count the cells of each data set, shape (r, size)."""
    rows = size * np.arange(len(cell))[:, None]
    return np.bincount((rows + cell).ravel(), minlength=size * len(cell)).reshape(-1, size)
