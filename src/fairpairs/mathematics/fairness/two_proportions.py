"""Demographic parity: whether two groups, or every two, get positive predictions equally often.

Reference: A. Agresti (2018), *Statistical Methods for the Social Sciences*, chapter 7.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.base.guesses import understood
from fairpairs.base.inputs import Alternative
from fairpairs.mathematics.arguments.design import WeightKind
from fairpairs.mathematics.arguments.read import read_sample
from fairpairs.mathematics.estimates.estimates import (
    SMALL,
    SMALL_CELL,
    equal_without_variance,
    magnitude,
)
from fairpairs.mathematics.inference.contrast import Contrast
from fairpairs.mathematics.inference.contrasts.binomial import (
    binomial_contrasts,
    binomial_differences,
)
from fairpairs.mathematics.inference.contrasts.equivalence import WithinMargin, within_margin
from fairpairs.mathematics.inference.rates import (
    ProportionMethod,
    pooled_or_fisher_difference,
)
from fairpairs.mathematics.inference.results import Correction, SingleTestResult, adjusted
from fairpairs.mathematics.inference.sampling.estimates import gap_tests, mean_gaps

#: How a hypothesis and a finding compare the rates of the later and of the earlier group.
SIGNS = {"two-sided": "=", "greater": "≤", "less": "≥"}
RELATIONS = {"two-sided": "not the same as", "greater": "greater than", "less": "less than"}


@dataclass(frozen=True, kw_only=True)
class TwoProportionResult(SingleTestResult):
    """The result of `two_proportion_test` on K groups.

    With more than two groups, the hypothesis, its p-value and every other single number are those
    of the two groups with the smallest p-value.

    Attributes
    ----------
    counts
        Items of each group with prediction 0 and with prediction 1, shape (K, 2), not weighted.
    rates
        Share of positive predictions in each group, by their weights, shape (K,).
    by_pair
        With more than two groups, the test of each two; their p-values are adjusted.
    contrasts
        The tests of each two groups against any value.
    """

    counts: Integers
    rates: Floats
    by_pair: tuple[TwoProportionResult, ...] = ()
    contrasts: tuple[Contrast | None, ...] = field(repr=False)

    @property
    def interpretation(self) -> str:
        """The result, one sentence for each two groups."""
        return " ".join(test.interpretation for test in self.by_pair) or super().interpretation

    def within(self, margin: float) -> WithinMargin:
        """Test whether the rates of each two groups differ by less than a margin.

        Margin, tests and errors are those of `within` of a `SeparationResult`.
        """
        tests = self.by_pair or (self,)
        names = [
            f"Pr[C=1 | A={b}] = Pr[C=1 | A={a}]"
            for a, b in (map(inputs.group_name, test.groups) for test in tests)
        ]
        estimate = np.array([test.estimate for test in tests])
        return within_margin(names, estimate, self.contrasts, margin, self.alpha)

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each two groups."""
        if not self.by_pair:
            return super().to_frame()
        return pd.concat([test.to_frame() for test in self.by_pair], ignore_index=True)


@understood
def two_proportion_test(
    y_pred: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    correction: Correction = "holm",
    method: ProportionMethod = "auto",
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_kind: WeightKind = "sampling",
) -> TwoProportionResult:
    """Test whether all groups get positive predictions equally often (demographic parity).

    Items must be independent, or `clusters` names those that are not.

    Parameters
    ----------
    y_pred
        Predictions, 0 or 1, shape (n,).
    sensitive_features
        As for `separation_test`; every two groups are compared.
    alternative
        The rate of group 1 (the later of two values when sorted) is "two-sided" unequal to,
        "greater" or "less" than that of group 0.
    alpha
        Level; the interval of the difference covers 1 − alpha.
    correction
        "holm", "sidak" or "none", over all two groups that could be compared.
    method
        "auto": the score test and its interval, as in `audit`, both exact where fewer than 400
        positive or negative predictions of a group are expected. "z": the pooled z, which is not
        accurate with few items, or "fisher": Fisher's exact test, which finds less; both with
        Newcombe's interval, which may disagree with p.
    clusters, sample_weight, weight_kind
        As for `separation_test`; `method` is "auto".

    Returns
    -------
    TwoProportionResult
        The pooled z, z = (p̂1 − p̂0) / sqrt(p̂(1 − p̂)(1/n1 + 1/n0)), p, Cohen's h, and the difference
        with its interval; of more than two groups one for each two (`by_pair`). The interval leaves
        out 0 exactly where p < alpha (before any correction) unless `method` is "z" or "fisher".
        `note` reports an expected count below 10, without a `statistic` unless `method` is "z" (not
        with "fisher"), and a group below 30 items.

    Raises
    ------
    InputError
        As for `separation_test`, and when "z" or "fisher" is asked for clusters or weights.

    References
    ----------
    I. S. F. Chan and Z. Zhang (1999), Test-based exact confidence intervals for the difference of
    two binomial proportions; A. Agresti (2018), *Statistical Methods for the Social Sciences*,
    sections 7.2 and 7.4; R. G. Newcombe (1998), Interval estimation for the difference between
    independent proportions: comparison of eleven methods, method 10.

    Examples
    --------
    >>> predicted = [1] * 8 + [0] * 12
    >>> sex = ["f"] * 10 + ["m"] * 10
    >>> result = two_proportion_test(predicted, sensitive_features=sex)
    >>> round(result.pvalue, 5), round(result.effect_size, 3), result.violated
    (0.00021, -2.214, True)
    >>> result.note
    'an expected count below 10: exact test; a cell below 30'
    >>> result = two_proportion_test(predicted, sensitive_features=sex, method="z")
    >>> round(result.statistic, 3), round(result.pvalue, 5), result.note
    (-3.651, 0.00026, 'an expected count below 10; a cell below 30')
    """
    predictions = inputs.binary(y_pred, "y_pred")
    group, names = inputs.groups(sensitive_features)
    sample = read_sample(
        clusters, sample_weight, weight_kind, y_pred=y_pred, sensitive_features=sensitive_features
    )
    inputs.side(alternative)
    inputs.level(alpha)
    inputs.one_of(method, "method", get_args(ProportionMethod))
    if sample.design is not None and method != "auto":
        raise InputError(
            f"method={method!r} takes rows to be independent and of equal weight: take 'auto' "
            "with clusters or weights."
        )
    predictions = sample.take(predictions)
    group, names = sample.groups(group, names)
    k, cell = len(names), 2 * group + predictions
    counts = np.bincount(cell, minlength=2 * k).reshape(k, 2)
    pairs = [list(pair) for pair in combinations(range(k), 2)]
    compared = counts[pairs]  # (pair, group, prediction)
    shares: Floats | Integers = counts
    contrasts: tuple[Contrast | None, ...]
    if sample.design is None:
        positive, sizes = compared[..., 1], compared.sum(axis=-1)
        one, zero = ((positive[:, group], sizes[:, group]) for group in (1, 0))
        if method == "auto":
            estimates, contrasts = binomial_differences(
                *one, *zero, alternative=alternative, alpha=alpha
            )
        else:
            contrasts = binomial_contrasts(*one, *zero)
            estimates = pooled_or_fisher_difference(
                *one, *zero, method=method, alternative=alternative, alpha=alpha
            )
    else:
        shares = np.bincount(cell, sample.design.weights, minlength=2 * k).reshape(k, 2)
        gaps = mean_gaps(predictions.astype(float), group, np.arange(k), sample.design)
        estimates, contrasts = gap_tests(gaps, sample.design, alpha=alpha, alternative=alternative)
    with np.errstate(invalid="ignore"):
        rates = shares[:, 1] / shares.sum(axis=1)

    def tested_pair(row: int, pair: list[int]) -> TwoProportionResult:
        test, sizes = estimates.take(row), counts[pair].sum(axis=1)
        low, high = (inputs.group_name(names[code]) for code in pair)
        rate_low, rate_high = rates[pair]
        effect = float(test.effect_size)
        small = SMALL if sizes.min() < SMALL_CELL else ""
        return TwoProportionResult(
            name="two-proportion test",
            hypothesis=f"Pr[C=1 | A={high}] {SIGNS[alternative]} Pr[C=1 | A={low}]",
            claim=(
                f"the share of positive predictions in {high} ({rate_high:.3g}) is "
                f"{RELATIONS[alternative]} that in {low} ({rate_low:.3g})"
            ),
            statistic=float(test.statistic),
            symbol="z",
            pvalue=1.0 if equal_without_variance(test) else float(test.pvalue),
            alpha=alpha,
            effect_size=effect,
            effect="Cohen's h",
            magnitude=str(magnitude(effect, "h")),
            estimate=float(test.estimate),
            ci_low=float(test.ci_low),
            ci_high=float(test.ci_high),
            n=int(sizes.sum()),
            smallest_cell=int(sizes.min()),
            note="; ".join(filter(None, [str(test.reason), small])),
            groups=tuple(names[code] for code in pair),
            counts=counts[pair],
            rates=rates[pair],
            contrasts=contrasts[row : row + 1],
        )

    tests = [tested_pair(row, pair) for row, pair in enumerate(pairs)]
    tested = (compared.sum(axis=1) > 0).all(axis=1)
    unadjusted = np.array([test.pvalue for test in tests])
    # equal rates without variance keep p = 1 and do not count
    pvalues = adjusted(np.where(tested, unadjusted, np.nan), correction)
    pvalues = np.where(tested, pvalues, unadjusted)
    if len(tests) == 1:
        return tests[0]
    after: Correction = correction if tested.sum() > 1 else "none"
    tests = [
        replace(test, pvalue=float(pvalue), correction=after)
        for test, pvalue in zip(tests, pvalues, strict=True)
    ]
    smallest = tests[int(np.nan_to_num(pvalues, nan=np.inf).argmin())]
    sizes = counts.sum(axis=1)
    return replace(
        smallest,
        groups=names,
        counts=counts,
        rates=rates,
        n=len(predictions),
        smallest_cell=int(sizes.min()),
        by_pair=tuple(tests),
        contrasts=contrasts,
    )
