"""Whether the gap of a new model is worse than that of an old one, whatever their signs.

|new| <= |old| + margin follows from |new − old| <= margin. Where the sign of the old gap is known,
say positive, it is −margin <= new + old and new − old <= margin, which also holds for a gap that
shrinks by far. Each of these claims is shown if all of its parts are (intersection-union).

The old gap has a sign by mistake in at most 1/21 of the level, and the change is tested at the
other 20/21: a new gap that is worse by the margin or more is called not worse in at most the level.

References: R. L. Berger and J. C. Hsu (1996), Bioequivalence trials, intersection-union tests and
equivalence confidence sets.
"""

from dataclasses import dataclass

from fairpairs.mathematics.inference.contrast import Contrast

#: The level at which the change is tested, by that at which the old gap has a sign.
SIGN = 20.0


@dataclass(frozen=True)
class GapComparison:
    """The tests of an old and a new gap against each other."""

    old: Contrast
    new: Contrast
    #: new − old
    change: Contrast
    #: (old + new) / 2
    average: Contrast

    def not_worse(self, margin: float) -> float:
        """Return the p-value of: |new| > |old| + margin."""
        below, above = self.change.pvalue_below(margin), self.change.pvalue_above(-margin)
        sum_below = self.average.pvalue_below(margin / 2)
        sum_above = self.average.pvalue_above(-margin / 2)
        least = min(
            max(below, above),
            max(SIGN * self.old.pvalue_above(0.0), below, sum_above),
            max(SIGN * self.old.pvalue_below(0.0), sum_below, above),
        )
        return min(1.0, (1 + 1 / SIGN) * least)

    def improved(self) -> float:
        """Return the two-sided p-value of: |new| >= |old|."""
        return min(1.0, 2 * self.not_worse(0.0))

    def worse(self, margin: float = 0.0) -> float:
        """Return the two-sided p-value of: |new| <= |old| + margin, by new − old and new + old."""
        above = max(self.change.pvalue_above(margin), self.average.pvalue_above(margin / 2))
        below = max(self.change.pvalue_below(-margin), self.average.pvalue_below(-margin / 2))
        return min(1.0, 2 * min(above, below))
