"""FairReweighing: Reweighing for real labels and continuous attributes, by densities.

See X. Xi and Z. Yu (2024), FairReweighing; Xi, Capak, Stockwell and Yu, *Comparative Separation*,
section 4.2.2.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import KDTree

from fairpairs.base import inputs, tables
from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.base.guesses import understood

#: A width in standard deviations lies between it and its reciprocal.
MAX_DEVIATIONS = 1e6


@understood
def fair_reweighing_weights(
    y: ArrayLike,
    sensitive_features: ArrayLike,
    *,
    density: Literal["neighbors", "kernel"] = "neighbors",
    radius: float = 0.5,
    bandwidth: float = 0.2,
) -> Floats:
    """Weigh each item by P(a) P(y) / P(a, y), normalised to a mean of 1.

    The densities are estimated at the items themselves, on attributes and labels that are
    standardised over the items.

    Parameters
    ----------
    y
        Labels, real, shape (n,).
    sensitive_features
        Numbers, discrete or continuous, shape (n,) or (n, k) for k attributes.
    density
        "neighbors" (what Table VIII used): the number of items closer than `radius`, so that levels
        farther apart give the weights of Reweighing. "kernel": a Gaussian kernel of width
        `bandwidth`.
    radius, bandwidth
        In standard deviations.

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    InputError
        When a value is missing or no number, the lengths differ, or an attribute or the label has
        only one value.
    """
    label = inputs.moderate(y, "y")
    columns = tables.columns(sensitive_features, "sensitive_features")
    attributes = [inputs.moderate(values, name) for name, values in columns]
    inputs.same_items(y=y, sensitive_features=sensitive_features)
    inputs.one_of(density, "density", ("neighbors", "kernel"))
    inputs.between(radius, "radius", 1 / MAX_DEVIATIONS, MAX_DEVIATIONS)
    inputs.between(bandwidth, "bandwidth", 1 / MAX_DEVIATIONS, MAX_DEVIATIONS)
    a = np.column_stack([_standardised(column, "sensitive_features") for column in attributes])
    b = _standardised(label, "y")[:, None]

    def estimate(points: Floats) -> Floats:
        if density == "kernel":
            from sklearn.neighbors import KernelDensity  # noqa: PLC0415  (slow)

            kernel = KernelDensity(bandwidth=bandwidth).fit(points)
            return np.asarray(np.exp(kernel.score_samples(points)))
        below = np.nextafter(radius, 0)  # the comparison is strict
        distinct, inverse = np.unique(points, axis=0, return_inverse=True)
        numbers = KDTree(points).query_ball_point(distinct, below, return_length=True)
        return np.asarray(numbers, dtype=float)[inverse]

    weights = estimate(a) * estimate(b) / estimate(np.column_stack([a, b]))
    return np.asarray(weights / weights.mean())


def _standardised(values: Floats, name: str) -> Floats:
    if values.min() == values.max():
        raise InputError(f"{name} has only one value ({values[0]:g}): there is nothing to weight.")
    return np.asarray((values - values.mean()) / values.std())


TREATMENT = fair_reweighing_weights
