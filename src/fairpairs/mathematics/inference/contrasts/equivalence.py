"""Whether differences lie within a margin: two one-sided tests of each, and of all together.

References: D. J. Schuirmann (1987), A comparison of the two one-sided tests procedure and the power
approach; R. L. Berger (1982), Multiparameter hypothesis testing and acceptance sampling: of the
intersection-union test.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.base.texts import interval, number, p_equals
from fairpairs.mathematics.inference.contrast import Contrast
from fairpairs.mathematics.inference.printed import Printed, verdict_in_words

#: A level that no interval of 1 − 2 alpha goes with.
HALF = 0.5


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
        cover = f"{100 * (1 - 2 * self.alpha):g} % interval"
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
    tests = [
        (np.nan, np.nan, np.nan)
        if contrast is None
        else contrast.within_and_interval(margin, alpha)
        for contrast in contrasts
    ]
    low, high, pvalues = np.array(tests).T
    return WithinMargin(
        tuple(hypotheses), np.asarray(estimate), low, high, pvalues, float(margin), alpha
    )
