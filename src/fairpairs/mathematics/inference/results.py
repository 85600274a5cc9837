"""Results of tests: frozen, in scipy's style, with one tidy row per hypothesis."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats
from fairpairs.base.printed import Printed
from fairpairs.base.texts import coverage, interval, number, p_equals
from fairpairs.mathematics.estimates.estimates import (
    SMALL,
    SMALL_CELL,
    UNVARYING,
    Estimates,
    equal_without_variance,
)
from fairpairs.mathematics.inference.contrast import Contrast
from fairpairs.mathematics.inference.contrasts.equivalence import WithinMargin, within_margin

Correction = Literal["none", "holm", "sidak"]
#: The note on an adjusted p-value.
CORRECTED = {"none": "", "holm": " by Holm's correction", "sidak": " by Šidák's correction"}

#: Columns of the table of every result.
COLUMNS = (
    "hypothesis", "estimate", "ci_low", "ci_high", "effect_size", "statistic", "pvalue", "n",
    "smallest_cell", "note",
)  # fmt: skip


@dataclass(frozen=True)
class FairnessTestResult(Printed):
    """The hypotheses of one fairness notion, tested on one set of predictions.

    Attributes
    ----------
    hypotheses
        Names of the null hypotheses, one for each element of `difference`.
    difference
        Estimates, intervals, statistics and unadjusted p-values.
    alpha
        Level at which the notion is called violated.
    correction
        Adjustment of the p-values for the number of hypotheses that could be tested.
    groups
        The K values of the sensitive attribute, sorted; tuples for several attributes; none for a
        continuous one.
    contrasts
        The tests of each difference against any value, None where it has none; empty for a test
        that has none.
    name
        What the test is called.
    """

    name: ClassVar[str] = "fairness test"
    hypotheses: tuple[str, ...]
    difference: Estimates
    alpha: float
    correction: Correction
    groups: tuple[Any, ...] = field(default=(), kw_only=True)
    contrasts: tuple[Contrast | None, ...] = field(default=(), kw_only=True, repr=False)

    def __post_init__(self) -> None:
        inputs.one_of(self.correction, "correction", get_args(Correction))

    @property
    def statistic(self) -> Floats:
        """The z of each hypothesis, NaN where it could not be computed."""
        return self.difference.statistic

    @property
    def effect_size(self) -> Floats:
        """The effect size of each hypothesis, NaN where there is none."""
        return self.difference.effect_size

    @cached_property
    def pvalues(self) -> Floats:
        """The adjusted p-value of each hypothesis, NaN where it could not be computed.

        It is 1 where two rates are equal and have no variance, as those of a perfect model.
        """
        return adjusted_pvalues(self.difference, self.correction)

    @property
    def pvalue(self) -> float:
        """The smallest adjusted p-value; NaN when no hypothesis could be tested."""
        pvalues = self.pvalues
        return float(np.nanmin(pvalues)) if np.isfinite(pvalues).any() else float("nan")

    @property
    def violated(self) -> bool | None:
        """Whether any hypothesis is rejected at `alpha`; None when none could be tested."""
        return verdict(self.pvalue, self.alpha)

    def within(self, margin: float) -> WithinMargin:
        """Test whether each difference lies within ±margin, at the level `alpha`.

        A p-value above the level is no evidence of equal rates; this is. Two one-sided tests of
        each difference are made, whose p-values need no correction: `all_within` is shown where
        every difference is (Schuirmann 1987; Berger 1982).

        Parameters
        ----------
        margin
            Above 0, such as 0.05 for rates.

        Raises
        ------
        InputError
            When the margin is no number above 0, or when the test has none against a margin.
        """
        return within_margin(
            self.hypotheses, self.difference.estimate, self.contrasts, margin, self.alpha
        )

    @property
    def interpretations(self) -> tuple[str, ...]:
        """The result, one sentence per hypothesis."""
        several = np.isfinite(self.difference.pvalue).sum() > 1
        after = CORRECTED[self.correction] if several else ""
        cover = f"{coverage(self.alpha)} interval"
        sentences = []
        for i, hypothesis in enumerate(self.hypotheses):
            low, high = self.difference.ci_low[i], self.difference.ci_high[i]
            evidence = [f"estimate {number(self.difference.estimate[i])}"]
            if np.isfinite(low) and np.isfinite(high):
                evidence.append(f"{cover} {interval(low, high)}")
            claim, note = f"{hypothesis} is violated", str(notes(self.difference)[i])
            pvalue = float(self.pvalues[i])
            sentences.append(in_words(claim, pvalue, self.alpha, evidence, note=note, after=after))
        return tuple(sentences)

    @property
    def interpretation(self) -> str:
        """The result: the sentences of all hypotheses, one after the other."""
        return " ".join(self.interpretations)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per hypothesis: estimate, interval, effect size (Cohen's h) and p-value.

        The intervals are of each hypothesis alone, the p-values adjusted: an interval may leave out
        0 where the adjusted p-value is above the level.
        """
        numbers = {name: getattr(self.difference, name) for name in COLUMNS[1:-1]}
        adjusted = {"pvalue": self.pvalues, "note": notes(self.difference)}
        return pd.DataFrame({"hypothesis": self.hypotheses} | numbers | adjusted)


@dataclass(frozen=True, kw_only=True)
class SingleTestResult(Printed):
    """The result of a test of one hypothesis, in one number.

    Attributes
    ----------
    name
        What the test is called.
    hypothesis
        The null hypothesis.
    claim
        The finding when the test rejects, in words.
    statistic, pvalue
        NaN where the test cannot be made; then `note` says why.
    symbol
        What the statistic is called, such as z.
    alpha
        Level at which the hypothesis is called violated.
    effect_size
        How large the departure is, whatever the number of items.
    groups
        The K values of the sensitive attribute, sorted; tuples for several attributes.
    effect, magnitude
        Name of the effect size, and its magnitude by Cohen.
    estimate, ci_low, ci_high
        The estimate and its interval; NaN where the test has none.
    n, smallest_cell
        Items, and items of the smallest group.
    note
        Why the test could not be made, or why its p-value is not to be trusted.
    correction
        How the p-value is adjusted for other hypotheses.
    """

    name: str
    hypothesis: str
    claim: str
    statistic: float
    symbol: str
    pvalue: float
    alpha: float
    effect_size: float
    effect: str
    magnitude: str
    estimate: float = np.nan
    ci_low: float = np.nan
    ci_high: float = np.nan
    n: int
    smallest_cell: int
    note: str
    groups: tuple[Any, ...]
    correction: Correction = "none"

    @property
    def violated(self) -> bool | None:
        """Whether the hypothesis is rejected at `alpha`; None when it could not be tested."""
        return verdict(self.pvalue, self.alpha)

    @property
    def interpretation(self) -> str:
        """The result in one sentence."""
        evidence = [f"{self.effect} {self.effect_size:.2f}"]
        if np.isfinite(self.statistic):
            evidence = [f"{self.symbol} = {self.statistic:.3g}", *evidence]
        after = CORRECTED[self.correction]
        return in_words(self.claim, self.pvalue, self.alpha, evidence, note=self.note, after=after)

    def to_frame(self) -> pd.DataFrame:
        """Return one row with the columns of every test of this package."""
        return pd.DataFrame([{column: getattr(self, column) for column in COLUMNS}])


def verdict(pvalue: float, alpha: float) -> bool | None:
    """Return whether a p-value is below the level; None when there is none."""
    return None if np.isnan(pvalue) else bool(pvalue < alpha)


def in_words(
    claim: str,
    pvalue: float,
    alpha: float,
    evidence: Sequence[str],
    *,
    note: str = "",
    after: str = "",
) -> str:
    """Return one sentence: whether a test supports a claim, evidence, p, `after`, and note."""
    if np.isnan(pvalue):
        return f"Whether {claim} could not be tested: {note or 'there is no p-value'}."
    evidence_found = "evidence" if pvalue < alpha else "not enough evidence"
    why = ""
    if pvalue == 1 and note.startswith(UNVARYING):
        why, after = ": the groups are equal and do not vary, so nothing can be found", ""
        note = note.removeprefix(UNVARYING).lstrip(":; ")
    listed = ", ".join([*evidence, p_equals(pvalue) + after])
    beware = f"; beware: {note}" if note else ""
    return f"There is {evidence_found} at the level {alpha:g} that {claim} ({listed}){why}{beware}."


def adjusted(pvalues: Floats, correction: Correction | Literal["simes-hochberg"]) -> Floats:
    """Adjust p-values along the last axis; NaN stays NaN and does not count.

    Šidák's correction takes the hypotheses to be independent, as on fresh pairs; Holm's does not,
    nor, of those that are, Hochberg's, which steps up: it shows all where each alone is shown.
    """
    hochberg = isinstance(correction, str) and correction == "simes-hochberg"
    if not hochberg:  # which is no option of a test
        inputs.one_of(correction, "correction", get_args(Correction))
    if correction == "none":
        return pvalues
    number = np.isfinite(pvalues).sum(axis=-1, keepdims=True)
    if correction == "sidak":
        with np.errstate(divide="ignore"):  # a p-value of 1
            return np.asarray(-np.expm1(number * np.log1p(-pvalues)))
    order = np.argsort(pvalues, axis=-1)  # NaN last
    times = number - np.arange(pvalues.shape[-1])
    stepped = np.take_along_axis(pvalues, order, axis=-1) * times
    if hochberg:
        stepped = np.fmin.accumulate(stepped[..., ::-1], axis=-1)[..., ::-1]
    else:
        stepped = np.maximum.accumulate(stepped, axis=-1)
    result = np.empty_like(pvalues)
    np.put_along_axis(result, order, np.minimum(stepped, 1), axis=-1)
    return result


def adjusted_pvalues(difference: Estimates, correction: Correction) -> Floats:
    """Adjust p-values; two equal rates without variance get 1 and do not count."""
    pvalues = adjusted(difference.pvalue, correction)
    return np.where(equal_without_variance(difference), 1.0, pvalues)


def notes(difference: Estimates) -> NDArray[np.str_]:
    """Return the notes: why a test is impossible, and whether its smallest cell is below 30."""
    reason = np.asarray(difference.reason, dtype=str)
    few = difference.smallest_cell < SMALL_CELL
    # "empty cell", "a group with one positive row" already imply it
    says_so = (np.char.find(reason, SMALL) >= 0) | np.char.startswith(reason, "a group with")
    also = few & (difference.smallest_cell > 0) & ~says_so
    both = np.char.add(np.char.add(reason, "; "), SMALL)
    return np.where(reason == "", np.where(few, SMALL, ""), np.where(also, both, reason))
