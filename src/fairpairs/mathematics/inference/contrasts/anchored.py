"""Differences whose value 0 has a test of its own, with more power than one for all values."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairpairs.mathematics.estimates.estimates import Estimates
from fairpairs.mathematics.inference.contrast import Contrast
from fairpairs.mathematics.inference.contrasts.score import at_once

#: An interval that ends at 0 and leaves it out ends here.
BESIDE_0 = 1e-12


@dataclass(frozen=True)
class AnchoredContrast(Contrast):
    """A difference whose value 0 has a test of its own, with the two-sided p-value `equal`.

    An interval holds 0, or ends there, just where the test of 0 does not reject, or alone rejects:
    docs/explanation/inference.md, section 4.
    """

    other: Contrast
    equal: float

    @property
    def estimate(self) -> float:  # type: ignore[override]  # no field here
        """The difference."""
        return self.other.estimate

    def limits(self, alpha: float) -> tuple[float, float]:
        """Return the interval that covers 1 − alpha."""
        return self.around(*self.other.limits(alpha), alpha)

    def around(self, low: float, high: float, alpha: float) -> tuple[float, float]:
        """Return the interval, from that of the other contrast."""
        tail = alpha / 2
        return (
            max(low, BESIDE_0) if self._at_0(1) < tail else min(low, 0.0),
            min(high, -BESIDE_0) if self._at_0(-1) < tail else max(high, 0.0),
        )

    def pvalue(self, null: float = 0.0) -> float:
        """Return the two-sided p-value of: the difference is `null`."""
        return self.equal if null == 0 else super().pvalue(null)

    def tail(self, null: float, side: int) -> float:
        """Return the one-sided p-value of: the difference is `null` or less (side 1), or more."""
        at_0 = self._at_0(side)
        if null == 0:
            return at_0
        return (max if side * null > 0 else min)(self.other.tail(null, side), at_0)

    def _at_0(self, side: int) -> float:
        """Return the one-sided p-value of: the difference, times the side, is 0 or less."""
        half = self.equal / 2
        return 1 - half if side * self.estimate < 0 else half


def anchored(
    difference: Estimates, contrasts: Sequence[Contrast | None], *, alpha: float
) -> tuple[Estimates, tuple[Contrast | None, ...]]:
    """Return differences with intervals that agree with their p-values, and their contrasts."""
    ends, tests = np.array([difference.ci_low, difference.ci_high]), list(contrasts)
    known: dict[int, AnchoredContrast] = {}
    for i, contrast in enumerate(contrasts):
        if contrast is not None and np.isfinite(difference.pvalue[i]):
            tests[i] = test = AnchoredContrast(contrast, float(difference.pvalue[i]))
            if np.isfinite(ends[0, i]):
                known[i] = test
    at_once((test.other for test in known.values()), [alpha])
    for i, test in known.items():
        low, high = test.other.limits(alpha)
        if np.isfinite((low, high)).all():
            ends[:, i] = test.around(float(low), float(high), alpha)
    return replace(difference, ci_low=ends[0], ci_high=ends[1]), tuple(tests)
