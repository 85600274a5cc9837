"""xAUC(a, b) of normally distributed scores, by its closed form.

References: Kallus and Zhou (2019), *The Fairness of Risk Scores Beyond Classification: Bipartite
Ranking and the xAUC Metric*, section 6.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError


def xauc_of_normal_scores(mean: ArrayLike, sd: ArrayLike) -> Floats:
    """Return xAUC(a, b) of normally distributed scores (section 6).

    xAUC(a, b) = Φ((μ_a1 − μ_b0) / √(σ²_a1 + σ²_b0)).

    Parameters
    ----------
    mean, sd
        Mean and standard deviation of the scores of each group (row) and outcome 0 and 1 (column),
        shape (K, 2).

    Returns
    -------
    ndarray, shape (K, K)
        Row the group of the positive item; within-group AUCs on the diagonal.

    Raises
    ------
    InputError
        When there are no numbers or other shapes, or a standard deviation is not positive.

    Examples
    --------
    Equal AUCs and unequal xAUCs: the scores of the second group are shifted.

    >>> xauc_of_normal_scores([[0, 1], [0.5, 1.5]], [[1, 1], [1, 1]]).round(3)
    array([[0.76 , 0.638],
           [0.856, 0.76 ]])
    """
    mu, sigma = (inputs.numbers(values, "mean and sd") for values in (mean, sd))
    inputs.same_index(mean=mean, sd=sd)
    if mu.ndim != 2 or mu.shape[1] != 2 or sigma.shape != mu.shape:
        raise InputError(
            "mean and sd must have a row for each group and a column for outcomes 0 and 1; their "
            f"shapes are {mu.shape} and {sigma.shape}."
        )
    if not (np.isfinite(mu).all() and np.isfinite(sigma).all() and (sigma > 0).all()):
        raise InputError("mean and sd must be finite, and every sd above 0.")
    spread = np.hypot(sigma[:, None, 1], sigma[None, :, 0])
    with np.errstate(over="ignore"):  # an infinite distance has the probability 0 or 1
        return np.asarray(ndtr((mu[:, None, 1] - mu[None, :, 0]) / spread))
