"""Whether differences lie within a margin, and whether a new gap is worse than an old one.

Each of several differences is tested by two one-sided tests, and all together. "Not worse" follows
from several claims, each with its part of the level: docs/explanation/methods.md, "Two models".

References: D. J. Schuirmann (1987), A comparison of the two one-sided tests procedure and the power
approach; R. L. Berger (1982), Multiparameter hypothesis testing and acceptance sampling: of the
intersection-union test; R. L. Berger and J. C. Hsu (1996), Bioequivalence trials,
intersection-union tests and equivalence confidence sets.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.base.printed import Printed, verdict_in_words
from fairpairs.base.texts import coverage, interval, number, p_equals
from fairpairs.mathematics.inference.contrast import Contrast

#: A level that no interval of 1 − 2 alpha goes with.
HALF = 0.5
#: The level at which the change is tested, by that at which the old gap has a sign.
SIGN = 20.0
#: Parts of the level for the new gap itself, and then for a change without a sign.
OF_NEW, OF_CHANGE = 0.25, 0.7


@dataclass(frozen=True)
class WithinMargin(Printed):
    """Differences, and whether each is shown to lie within ±margin.

    Attributes
    ----------
    hypotheses
        Names of the differences.
    estimate
        The differences.
    low, high
        Intervals that cover 1 − 2 alpha. One lies within ±margin where its difference is shown to.
    pvalues
        Of two one-sided tests, not adjusted; NaN where there is no test.
    margin, alpha
        The margin, and the level of each test and of `all_within`.

    Examples
    --------
    >>> from fairpairs import two_proportion_test
    >>> predicted = [1, 0] * 1000
    >>> result = two_proportion_test(predicted, sensitive_features=["m"] * 1000 + ["f"] * 1000)
    >>> within = result.within(0.05)
    >>> within.all_within, round(within.pvalue, 3)
    (True, 0.013)
    """

    hypotheses: tuple[str, ...]
    estimate: Floats
    low: Floats
    high: Floats
    pvalues: Floats
    margin: float
    alpha: float

    @property
    def shown(self) -> NDArray[np.bool_]:
        """Whether each difference is shown to lie within the margin."""
        return np.asarray(self.pvalues < self.alpha)

    @property
    def pvalue(self) -> float:
        """The p-value that all lie within it, the largest; NaN where one cannot be tested.

        It needs no correction: all must be shown, each at the level (Berger 1982).
        """
        return float(self.pvalues.max())

    @property
    def all_within(self) -> bool | None:
        """Whether all differences are shown to lie within it; None where one cannot be tested."""
        return None if np.isnan(self.pvalue) else self.pvalue < self.alpha

    @property
    def interpretation(self) -> str:
        """The result, one sentence for each difference."""
        sentences = []
        cover = f"{coverage(self.alpha, 2)} interval"
        for i, hypothesis in enumerate(self.hypotheses):
            if np.isnan(self.pvalues[i]):
                sentences.append(f"Whether {hypothesis} within ±{self.margin:g} has no test.")
                continue
            verdict = "is shown to hold" if self.shown[i] else "is not shown to hold"
            evidence = (
                f"estimate {number(self.estimate[i])}, {cover} "
                f"{interval(self.low[i], self.high[i])}, {p_equals(float(self.pvalues[i]))}"
            )
            sentences.append(f"{hypothesis} {verdict} within ±{self.margin:g} ({evidence}).")
        return " ".join(sentences)

    def _head(self) -> str:
        return f"within ±{self.margin:g}: {verdict_in_words(self.all_within, 'shown')}"

    def _printed(self) -> pd.DataFrame:
        ends = {"margin_low": "ci_low", "margin_high": "ci_high", "pvalue_within": "pvalue"}
        return self.to_frame().rename(columns=ends)

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each difference."""
        return pd.DataFrame(
            {
                "hypothesis": self.hypotheses,
                "estimate": self.estimate,
                "margin": self.margin,
                "margin_low": self.low,
                "margin_high": self.high,
                "pvalue_within": self.pvalues,
                "shown": self.shown,
            }
        )


def within_margin(
    hypotheses: Sequence[str],
    estimate: Floats,
    contrasts: Sequence[Contrast | None],
    margin: float,
    alpha: float,
) -> WithinMargin:
    """Test whether differences lie within ±margin, with one-sided tests at the level `alpha`.

    It raises InputError when the margin is no number above 0, when the level is 0.5 or more, or
    when no difference has a test.
    """
    inputs.between(margin, "margin", 0, np.inf)
    if alpha >= HALF:
        raise InputError(f"A margin needs an alpha below {HALF:g}, such as 0.05; it is {alpha:g}.")
    if not any(contrasts):
        raise InputError("There is no test of a margin for these differences.")
    none = np.nan, np.nan, np.nan
    tests = [none if one is None else one.within_and_interval(margin, alpha) for one in contrasts]
    low, high, pvalues = np.array(tests).T
    return WithinMargin(
        tuple(hypotheses), np.asarray(estimate), low, high, pvalues, float(margin), alpha
    )


@dataclass(frozen=True)
class GapComparison:
    """The tests of an old and a new gap against each other."""

    old: Contrast
    new: Contrast
    #: new − old
    change: Contrast
    #: (old + new) / 2
    average: Contrast

    def not_worse(self, margin: float, alpha: float) -> float:
        """Return the p-value of: |new| > |old| + margin, to be compared with alpha."""
        low, high = self.new.limits(alpha)
        if high - low >= 2 * margin:
            return self._not_worse(margin)
        return min(self.new.within(margin) / OF_NEW, self._not_worse(margin, OF_CHANGE))

    def _not_worse(self, margin: float, part: float = SIGN / (1 + SIGN)) -> float:
        """Return this p-value by the change, tested at this part of the level, and by the sum."""
        below, above = self.change.pvalue_below(margin), self.change.pvalue_above(-margin)
        sum_below = self.average.pvalue_below(margin / 2)
        sum_above = self.average.pvalue_above(-margin / 2)
        with_sign = min(
            max(SIGN * self.old.pvalue_above(0.0), below, sum_above),
            max(SIGN * self.old.pvalue_below(0.0), sum_below, above),
        )
        return min(1.0, max(below, above) / part, (1 + 1 / SIGN) * with_sign)

    def improved(self) -> float:
        """Return the two-sided p-value of: |new| >= |old|."""
        return min(1.0, 2 * self._not_worse(0.0))

    def worse(self, margin: float = 0.0) -> float:
        """Return the two-sided p-value of: |new| <= |old| + margin, by new − old and new + old."""
        above = max(self.change.pvalue_above(margin), self.average.pvalue_above(margin / 2))
        below = max(self.change.pvalue_below(-margin), self.average.pvalue_below(-margin / 2))
        return min(1.0, 2 * min(above, below))
