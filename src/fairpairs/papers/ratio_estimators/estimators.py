"""The estimators of a ratio of two densities, p_1(x) / p_0(x), by name.

All have one contract (`fairpairs.mathematics.density_ratio.logistic`): `fit(one, zero)` on samples
of shape (n, d) gives a function of points, and of a cap, whose value is the ratio there.
"""

from fairpairs.mathematics.density_ratio.logistic import NAMED, DensityRatioEstimator
from fairpairs.papers.ratio_estimators.kernel_logistic import KernelLogisticRatio
from fairpairs.papers.ratio_estimators.least_squares import LSIFRatio, RuLSIFRatio

#: Name of an estimator → the estimator with its defaults.
ESTIMATORS: dict[str, DensityRatioEstimator] = {
    **NAMED,
    "kernel_gaussian": KernelLogisticRatio("gaussian"),
    "kernel_polynomial": KernelLogisticRatio("polynomial"),
    "lsif": LSIFRatio(),
    "ulsif": RuLSIFRatio(),
    "rulsif_0.25": RuLSIFRatio(0.25),
    "rulsif_0.5": RuLSIFRatio(0.5),
    "rulsif_0.75": RuLSIFRatio(0.75),
    "rulsif_1": RuLSIFRatio(1.0),
}
