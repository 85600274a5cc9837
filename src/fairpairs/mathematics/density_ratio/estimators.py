"""The estimators of a ratio of two densities, p_1(x) / p_0(x), by name.

All have one contract (`fairpairs.mathematics.density_ratio.base`): `fit(one, zero)` on samples of
shape (n, d) gives a function of points, and of a cap, whose value is the ratio there.
"""

from fairpairs.mathematics.density_ratio.base import DensityRatioEstimator
from fairpairs.mathematics.density_ratio.kernel_logistic import KernelLogisticRatio
from fairpairs.mathematics.density_ratio.least_squares import LSIFRatio, RuLSIFRatio
from fairpairs.mathematics.density_ratio.logistic import LogisticRatio

#: Name of an estimator → the estimator with its defaults.
ESTIMATORS: dict[str, DensityRatioEstimator] = {
    "logistic": LogisticRatio(),
    "ridge": LogisticRatio("l2"),
    "lasso": LogisticRatio("l1"),
    "kernel_gaussian": KernelLogisticRatio("gaussian"),
    "kernel_polynomial": KernelLogisticRatio("polynomial"),
    "lsif": LSIFRatio(),
    "ulsif": RuLSIFRatio(),
    "rulsif_0.25": RuLSIFRatio(0.25),
    "rulsif_0.5": RuLSIFRatio(0.5),
    "rulsif_0.75": RuLSIFRatio(0.75),
    "rulsif_1": RuLSIFRatio(1.0),
}
