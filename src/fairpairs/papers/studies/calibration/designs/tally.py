"""Count the rejections of one test over all simulated test sets."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.estimates.estimates import SMALL_CELL, Estimates
from fairpairs.mathematics.promises.promise import share


@dataclass
class Tally:
    """P-values, estimates and variances of one test on all test sets."""

    pvalues: list[Floats] = field(default_factory=list)
    joint: list[Floats] = field(default_factory=list)
    estimates: list[Floats] = field(default_factory=list)
    variances: list[Floats] = field(default_factory=list)
    small: list[NDArray[np.bool_]] = field(default_factory=list)

    def add(
        self,
        difference: Estimates,
        class_sizes: Floats | None = None,
        joint: Floats | None = None,
    ) -> None:
        """Add the results of a test on r test sets, of shape (r, hypotheses)."""
        self.pvalues.append(difference.pvalue)
        self.estimates.append(difference.estimate)
        with np.errstate(invalid="ignore", divide="ignore"):
            self.variances.append((difference.estimate / difference.statistic) ** 2)
        small = np.asarray((difference.smallest_cell < SMALL_CELL).any(axis=-1))
        if class_sizes is not None:
            small = small | (class_sizes < SMALL_CELL).any(axis=-1)
        self.small.append(small)
        if joint is not None:
            self.joint.append(joint)

    def add_pvalues(self, pvalues: Floats) -> None:
        """Add the p-values, shape (r,), of a test of one hypothesis."""
        self.joint.append(pvalues)

    def rows(self, names: tuple[str, ...], alpha: float) -> Iterator[Record]:
        """Yield the share of test sets with a rejection, for each hypothesis and for all."""
        if self.pvalues:
            pvalues = np.concatenate(self.pvalues)
            small = float(np.concatenate(self.small).mean())
            estimates, variances = map(np.concatenate, (self.estimates, self.variances))
            for number, name in enumerate(names):
                known = np.isfinite(variances[:, number])
                ratio = np.nan
                if known.sum() > 1 and (spread := estimates[known, number].var(ddof=1)) > 0:
                    ratio = variances[known, number].mean() / spread
                shares = _share(pvalues[:, number], alpha)
                yield {**shares, "quantity": name, "small": small, "variance_ratio": ratio}
            smallest = np.fmin.reduce(pvalues, axis=1)
            yield {**_share(smallest, alpha), "quantity": "either", "small": small}
            # Holm rejects something if the smallest p-value times their number is below alpha
            number_tested = np.isfinite(pvalues).sum(axis=1)
            yield {**_share(smallest * number_tested, alpha), "quantity": "holm", "small": small}
        if self.joint:
            joint = np.concatenate(self.joint)
            small = float(np.concatenate(self.small).mean()) if self.small else np.nan
            yield {**_share(joint, alpha), "quantity": "joint", "small": small}


def _share(pvalues: Floats, alpha: float) -> Record:
    found = np.where(np.isfinite(pvalues), pvalues < alpha, np.nan)
    counted = share("", "level", found, alpha)
    return {
        "rejected": counted.rate,
        "standard_error": counted.error,
        "repeats": len(pvalues),
        "used": counted.sets,
    }
