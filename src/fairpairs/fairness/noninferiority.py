"""Whether the gap of a new model is worse than that of an old one, whatever their signs.

|new| <= |old| + margin holds if new lies between −(|old| + margin) and |old| + margin. Where the
sign of the old gap is known, say positive, that is change = new − old <= margin and
sum = new + old >= −margin. Where it is not known, |change| <= margin and |sum| <= margin imply it,
as |new| + |old| is the larger of both. Each of these claims is shown if all of its parts are
(intersection-union); the claim is shown by any of the three.

References
----------
R. L. Berger and J. C. Hsu (1996), Bioequivalence trials, intersection-union tests and equivalence
confidence sets.
"""

from __future__ import annotations

from dataclasses import dataclass

from fairpairs.fairness.contrasts import Contrast

#: A one-sided p-value shows the sign of the old gap if this many times of it is below the level.
SIGN = 4.0


@dataclass(frozen=True)
class GapComparison:
    """The tests of an old and a new gap against each other.

    Attributes
    ----------
    old, new
        The gaps.
    change
        new − old.
    average
        (old + new) / 2.
    """

    old: Contrast
    new: Contrast
    change: Contrast
    average: Contrast

    def not_worse(self, margin: float) -> float:
        """Return the p-value of: |new| > |old| + margin.

        The sign of the old gap is taken for known if its two-sided test shows it at half the level,
        so that both errors together exceed the level by at most a twentieth of it.
        """
        below, above = self.change.pvalue_below(margin), self.change.pvalue_above(-margin)
        sum_below = self.average.pvalue_below(margin / 2)
        sum_above = self.average.pvalue_above(-margin / 2)
        return min(
            max(SIGN * self.old.pvalue_above(0.0), below, sum_above),
            max(SIGN * self.old.pvalue_below(0.0), sum_below, above),
            max(below, above, sum_below, sum_above),
        )

    def improved(self) -> float:
        """Return the two-sided p-value of: |new| >= |old|."""
        return min(1.0, 2 * self.not_worse(0.0))

    def worse(self, margin: float = 0.0) -> float:
        """Return the two-sided p-value of: |new| <= |old| + margin.

        |new| is larger if both new − old and new + old are above the margin, or below −margin.
        """
        above = max(self.change.pvalue_above(margin), self.average.pvalue_above(margin / 2))
        below = max(self.change.pvalue_below(-margin), self.average.pvalue_below(-margin / 2))
        return min(1.0, 2 * min(above, below))
