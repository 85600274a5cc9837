"""The corrected resampled t: a mean over random splits of one data set, whose repeats overlap.

See C. Nadeau and Y. Bengio (2003), *Inference for the Generalization Error*, section 4.2;
R. Bouckaert and E. Frank (2004), *Evaluating the Replicability of Significance Tests*.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats

#: Numbers that differ by less, as a share of the largest or of 1, are equal.
ROUNDING = 1e-12


@dataclass(frozen=True)
class ResampledMean:
    """Means over J repeats with corrected errors and J − 1 degrees; each field is (columns,).

    `pvalue` is two-sided, that the mean is 0; NaN if it is not 0 and the repeats do not differ. The
    interval of level 1 − alpha is `low` to `high`.
    """

    estimate: Floats
    standard_error: Floats
    dof: Floats
    pvalue: Floats
    low: Floats
    high: Floats

    def below(self, bound: float, sign: int = 1) -> Floats:
        """Return the p that sign × mean is below a bound; < alpha if the interval is below it."""
        with np.errstate(invalid="ignore", divide="ignore"):
            statistic = (sign * self.estimate - bound) / self.standard_error
        return np.asarray(np.minimum(1.0, 2 * stdtr(self.dof, statistic)))


def resampled_mean(
    values: ArrayLike, test_train_ratio: ArrayLike, *, alpha: float = 0.05
) -> ResampledMean:
    """Estimate the mean of what is measured in J splits, such as a difference of two models.

    Training parts of random splits share most of their items, so the variance of the mean is about
    s² (1 / J + n_test / n_train), and not s² / J. It speaks of training on data like these.
    `values` are (J,) or (J, columns), NaN for a repeat without one; the ratio is one number or one
    per column, 0 for samples that do not overlap.

    >>> mean = resampled_mean([0.1, 0.2, 0.0, 0.1], 0.3 / 0.7)
    >>> print(f"{mean.estimate:.2f} ± {mean.standard_error:.3f}, p = {mean.pvalue:.2f}")
    0.10 ± 0.067, p = 0.23
    """
    inputs.between(alpha, "alpha", 0, 1)
    ratio = np.asarray(test_train_ratio, np.float64)
    for value in ratio[ratio != 0]:
        inputs.between(value, "test_train_ratio", 0, np.inf)
    found = np.asarray(values, np.float64)
    count = np.sum(~np.isnan(found), axis=0).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(count > 0, np.nansum(found, axis=0) / count, np.nan)
        variance = np.nansum((found - mean) ** 2, axis=0) / np.where(count > 1, count - 1, np.nan)
        error = np.sqrt(variance * (1 / count + ratio))
        # what differs by rounding alone is equal
        scale = ROUNDING * np.nanmax(np.abs(found), axis=0, initial=1.0)
        error = np.where(error <= scale, 0.0, error)
        mean = np.where(np.abs(mean) <= scale, 0.0, mean)
        dof = np.where(count > 1, count - 1, np.nan)
        # without a spread, a difference has no p
        statistic = np.where(error > 0, np.abs(mean) / error, np.where(mean == 0, 0.0, np.nan))
        pvalue = 2 * stdtr(dof, -np.where(np.isnan(error), np.nan, statistic))
        width = stdtrit(dof, 1 - alpha / 2) * error
    return ResampledMean(mean, error, dof, np.asarray(pvalue), mean - width, mean + width)
