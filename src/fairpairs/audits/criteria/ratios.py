"""Ratios of the rates of two groups, and the four-fifths rule for selection rates.

See Uniform Guidelines on Employee Selection Procedures (1978), 29 CFR 1607.4(D): a selection rate
below four fifths of that of the group with the highest rate is evidence of adverse impact.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from fairpairs.audits.criteria.comparison import Comparison
from fairpairs.audits.criteria.rows import SELECTION_RATE, Measure, Row
from fairpairs.audits.items.attribute_items import AttributeItems
from fairpairs.audits.items.roles import ValueName
from fairpairs.audits.lines.verdicts import NOT_ESTIMATED
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.inference.contrasts.score import ScoreContrast
from fairpairs.mathematics.inference.sampling.gaps import Gap, group_rates
from fairpairs.mathematics.inference.shuffled_means import log_ratio_limits

FOUR_FIFTHS = 0.8
BELOW = "below four fifths"
AT_LEAST = "at least four fifths"
#: Ratios that are equal may differ by rounding.
ROUNDING = 1e-12
#: The end of an interval that leaves out 1.
ABOVE_ONE = 1 + 1e-9
#: Of a difference of two rates.
FACTORS = np.array([1.0, -1.0])


def with_ratio(row: Row, measure: Measure, comparison: Comparison) -> Row:
    """Add the ratio of both rates, or mean errors, to a row that compares them.

    An infinite ratio (the reference's rate is 0) is NaN.
    """
    if np.isnan(row.estimate):
        return row
    if measure.size:
        return _with_ratio_of_errors(row, measure.size, comparison)
    if measure.rate is None:
        return row
    if comparison.plain:
        counted, n = measure.rate.counts(comparison.counts[::-1])  # the group first
        contrast = ScoreContrast(counted / n, n.astype(float), FACTORS)
    elif isinstance(row.contrast, ScoreContrast):
        contrast = row.contrast
    else:
        return row
    ratio, low, high = (x if np.isfinite(x) else np.nan for x in contrast.ratio(comparison.alpha))
    return replace(row, ratio=ratio, ratio_low=low, ratio_high=high)


def _with_ratio_of_errors(row: Row, size: ValueName, comparison: Comparison) -> Row:
    """Add the ratio of two mean errors, by the logarithm of each (delta method).

    Quantiles are those of Student's t and, of independent rows, of shuffles of the errors over the
    mean of their group, whichever are farther out: means of skewed errors have skewed logarithms.
    1 is left out just where the interval of the difference leaves out 0.
    """
    gap = comparison.gap(comparison.all_items.roles.values(size))
    means = gap.first.estimate, gap.second.estimate
    if min(means) <= 0:
        return row
    ratio = means[0] / means[1]
    if not np.isfinite(row.ci_low):
        return replace(row, ratio=ratio)
    logs = Gap(1 / means[0] * gap.first, 1 / means[1] * gap.second, rates=False)
    low, high = logs.contrast(comparison.all_items.design).limits(comparison.alpha)
    if comparison.plain:
        alone = comparison.single
        below, above = log_ratio_limits(alone.values(size), alone.member, comparison.alpha)
        low, high = min(low, below), max(high, above)
    low, high = ratio * math.exp(low), ratio * float(np.exp(high))
    if row.ci_low > 0:
        low = max(low, ABOVE_ONE)
    elif row.ci_high < 0:
        high = min(high, 1 / ABOVE_ONE)
    else:
        low, high = min(low, 1.0), max(high, 1.0)
    return replace(row, ratio=ratio, ratio_low=low, ratio_high=high if high < np.inf else np.nan)


def four_fifths(items: AttributeItems, rows: Sequence[Row], direction: int | None) -> list[Record]:
    """Return the four-fifths rule of each group with the reference, then of all groups (group "").

    `rows` are those of the attribute, with ratios. The rule is of the favourable outcome: the
    positive one for the `direction` 1, the other for −1; without one there is no finding. `shown`
    is whether the interval lies on the same side as the ratio; None without a ratio. For all groups
    the interval covers the ratio of the lowest to the highest true rate, whichever have them.
    """
    if items.roles.prediction != "binary":
        return []
    name = items.attribute.names[items.attribute.reference]
    rows = [row for row in rows if row.criterion == "demographic_parity" and row.reference == name]
    entries = []
    if direction == -1 or len(rows) > 1:
        group, k = items.attribute.group, len(items.attribute.names)
        if items.design.independent:
            counted, n = SELECTION_RATE.counts(items.counts)
            rates, trials = counted / np.maximum(n, 1), n.astype(float)
            correlation, df = None, np.full(k, np.inf)
        else:
            sampled = group_rates(items.roles.y_pred, group, k, items.design)
            rates, trials, correlation, df = sampled
        if direction == -1:
            rates = 1 - rates

    def contrast(first: int, second: int) -> ScoreContrast:
        two = [first, second]
        among = None if correlation is None else correlation[np.ix_(two, two)]
        return ScoreContrast(rates[two], trials[two], FACTORS, among, float(df[two].min()))

    for row, code in zip(rows, items.attribute.others, strict=True):
        ratio, low, high = row.ratio, row.ratio_low, row.ratio_high
        if direction == -1:
            two = [code, items.attribute.reference]
            compared = bool((trials[two] > 0).all() and rates[two].any())
            ratio, low, high = (
                contrast(*two).ratio(items.settings.alpha) if compared else (np.nan,) * 3
            )
        if np.isfinite(low):  # of a reference rate of 0 the ratio is infinite
            ratio, high = (x if np.isfinite(x) else np.inf for x in (ratio, high))
        names = (row.group, row.reference) if not ratio > 1 else (row.reference, row.group)
        entries.append(_entry(row, row.group, names, folded(ratio, low, high), direction))
    if len(entries) == 1:
        return [*entries, {**entries[0], "group": ""}]
    known = np.flatnonzero(trials > 0)
    pairs = list(combinations(known, 2))
    low, high = 1.0, 1.0
    for a, b in pairs:
        two = [int(a), int(b)]
        # two rates of 0 have no ratio, and tell nothing of it
        if rates[two].any():
            # that no pair is lower needs each to be shown; that some pair is, an adjustment
            low = min(low, folded(*contrast(*two).ratio(items.settings.alpha))[1])
            high = min(high, folded(*contrast(*two).ratio(items.settings.alpha / len(pairs)))[2])
        else:
            low = 0.0
    least, most = known[rates[known].argmin()], known[rates[known].argmax()]
    ratio = rates[least] / rates[most] if rates[most] > 0 else np.nan
    names = (items.attribute.names[least], items.attribute.names[most])
    extremes = (ratio, low, high) if np.isfinite(ratio) else (np.nan, np.nan, np.nan)
    return [*entries, _entry(rows[0], "", names, extremes, direction)]


def folded(ratio: float, low: float, high: float) -> tuple[float, float, float]:
    """Return the ratio of the lower to the higher of two rates and its limits, from those of both.

    >>> folded(1.25, 0.8, 2.0)
    (0.8, 0.5, 1.0)
    """
    if np.isnan(ratio):
        return ratio, low, high
    inverse = [1 / x if x > 0 else np.inf for x in (ratio, high, low)]
    upper = 1.0 if low <= 1 <= high else min(high, inverse[2])
    return min(ratio, inverse[0]), min(low, inverse[1]), upper


def _entry(
    row: Row,
    group: str,
    names: tuple[str, str],
    ratio: tuple[float, float, float],
    direction: int | None,
) -> Record:
    value, low, high = map(float, ratio)
    known = bool(np.isfinite(value))
    below = value < FOUR_FIFTHS - ROUNDING
    shown = high < FOUR_FIFTHS - ROUNDING if below else low >= FOUR_FIFTHS - ROUNDING
    finding = (BELOW if below else AT_LEAST) if known else NOT_ESTIMATED
    return {
        "attribute": row.attribute,
        "group": group,
        "lowest": names[0],
        "highest": names[1],
        "ratio": value if known else None,
        "ratio_low": low if known else None,
        "ratio_high": high if known else None,
        "finding": None if direction is None else finding,
        "shown": bool(shown) if known and direction is not None else None,
    }
