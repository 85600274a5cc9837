"""The hypothesis of section 3.4.2: whether a test needs as many pairs as another needs items.

Labels and errors are normal and independent of the group, so separation implies comparative
separation, and it is known how separation is violated.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import chdtrc

from fairpairs.base.arrays import Floats
from fairpairs.base.plain_values import Content
from fairpairs.mathematics.inference.gaps import comparative_separation_from_counts
from fairpairs.mathematics.promises.promise import simulate
from fairpairs.papers.experiments.item_counts import cell_counts, separation_from_counts
from fairpairs.papers.experiments.pair_counts import SimulatedSets, count_pairs
from fairpairs.papers.experiments.seeds import stream

#: Tests of separation on n items, and the paper's test on fresh pairs.
AT_MEDIANS, NORMAL_MODEL = "separation_at_medians", "separation_by_normal_model"
COMPARATIVE = "comparative_separation"

#: The name of the violation of fair predictions.
FAIR = "none"

#: Items that are drawn at once.
BLOCK = 1 << 21


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
            items = 2 * size if test == COMPARATIVE else size
            draw = partial(draw_items, items=items, **changes)
            block, streams = max(1, BLOCK // items), lambda _, rng=rng: rng
            drawn = simulate(draw, settings["repeats"], streams, block=block)
            pvalues = np.concatenate([*map(TESTS[test], drawn)])
            level = alpha if pvalues.shape[1] == 2 else 1 - (1 - alpha) ** 2
            tested = np.isfinite(pvalues).any(axis=1)
            violated = (pvalues[tested] < level).any(axis=1)
            share, used = violated.mean() if violated.size else np.nan, violated.size
            error = np.sqrt(share * (1 - share) / max(used, 1))
            rows.append((violation, test, size, share, error, settings["repeats"], used))
    columns = ["violation", "test", "size", "rejected", "standard_error", "repeats", "used"]
    return pd.DataFrame(rows, columns=columns)


def draw_items(
    rng: np.random.Generator,
    sets: int,
    *,
    items: int,
    shift: float = 0.0,
    slope: float = 0.0,
    noise: float = 0.0,
) -> SimulatedSets:
    """Draw items of data sets: predictions are labels plus errors of equal variance.

    Group 1 has more by `shift` in its predictions, by `slope` in their slope on the label (1), and
    by `noise` in the standard deviation of their errors (1).
    """
    group = rng.integers(2, size=(sets, items))
    label, error = rng.normal(size=(2, sets, items))
    prediction = (1 + slope * group) * label + shift * group + (1 + noise * group) * error
    return SimulatedSets(group, label, prediction)


def separation_at_medians(items: SimulatedSets) -> Floats:
    """Test H0t and H0f, with labels and predictions cut at their medians, shape (r, 2)."""
    label, prediction = (
        (values > np.median(values, axis=1, keepdims=True)).astype(np.int64)
        for values in (items.label, items.score)
    )
    block = np.repeat(np.arange(len(label)), label.shape[1])
    counts = cell_counts(label.ravel(), prediction.ravel(), items.group.ravel(), block, len(label))
    return separation_from_counts(counts).pvalue


def separation_by_normal_model(items: SimulatedSets) -> Floats:
    """Test that both groups have one intercept, slope and error variance, shape (r, 1).

    This is the likelihood ratio test, which knows that predictions given the label are normal.
    """
    n, variance = _residual_variance(items, np.ones(items.label.shape, dtype=bool))
    statistic = n * np.log(variance)
    for group in (0, 1):
        n, variance = _residual_variance(items, items.group == group)
        statistic -= n * np.log(variance)
    return np.asarray(chdtrc(3, statistic)[:, None])


def comparative_separation_of_fresh_pairs(items: SimulatedSets) -> Floats:
    """Test H0c and H0w on pairs of the first half of the items with the second, shape (r, 2)."""
    sets, n = items.label.shape
    left = np.broadcast_to(np.arange(n // 2), (sets, n // 2))
    pairs = count_pairs(items.label, items.score, items.group, left, left + n // 2)
    return comparative_separation_from_counts(pairs).pvalue


TESTS: dict[str, Callable[[SimulatedSets], Floats]] = {
    AT_MEDIANS: separation_at_medians,
    NORMAL_MODEL: separation_by_normal_model,
    COMPARATIVE: comparative_separation_of_fresh_pairs,
}


def _residual_variance(items: SimulatedSets, member: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the size of a group and its residual variance about a line, shape (r,) each."""
    n = member.sum(axis=1)

    def mean(values: Floats) -> Floats:
        return np.asarray(np.where(member, values, 0).sum(axis=1) / n)

    x, y = (v - mean(v)[:, None] for v in (items.label, items.score))
    return n, mean(y * y) - mean(x * y) ** 2 / mean(x * x)
