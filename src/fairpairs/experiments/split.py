"""Split a data set into a training and a test part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def stratified_split(
    strata: NDArray[np.int64], test_fraction: float, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Draw test items at random within every stratum; the number in each is rounded down.

    Parameters
    ----------
    strata
        Stratum of each item, 0, 1, …, shape (n,): in the paper the joint group of all sensitive
        attributes and the label.
    test_fraction
        Share of each stratum in the test part.
    rng
        Random generator.

    Returns
    -------
    ndarray of bool, shape (n,)
        Whether an item is in the test part.
    """
    sizes = np.bincount(strata)
    order = np.argsort(rng.random(len(strata)))
    few = strata.astype(np.min_scalar_type(len(sizes)))  # so that a stable sort is a radix sort
    order = order[np.argsort(few[order], kind="stable")]
    rank = np.arange(len(strata)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    tested = np.empty(len(strata), dtype=bool)
    # the product of share and size can lie a rounding error below an integer
    numbers = np.floor(sizes * test_fraction + 1e-9)
    tested[order] = rank < np.repeat(numbers, sizes)
    return tested
