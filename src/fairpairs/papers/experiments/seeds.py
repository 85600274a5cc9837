"""Random streams that depend on their purpose, never on the order of work, and random splits."""

import hashlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Mask

#: The random generator of a purpose.
Draw = Callable[[str], np.random.Generator]


def stream(seed: int, *key: str | int) -> np.random.Generator:
    """Return the random generator of one purpose, such as a data set and a repeat.

    The same key gives the same numbers on any number of cores and in any order.
    """
    digest = hashlib.sha256("\x1f".join(str(part) for part in key).encode()).digest()
    return np.random.default_rng([seed, *np.frombuffer(digest, dtype="<u4").tolist()])


def stratified_split(
    strata: NDArray[np.int64], test_fraction: float, rng: np.random.Generator
) -> Mask:
    """Return which items are tested: a random share of every stratum, rounded down.

    `strata` numbers the stratum of each item from 0; in the paper it is the joint group of all
    sensitive attributes and the label.
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


def stratified_folds(
    strata: NDArray[np.int64], number: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Deal the items out to folds 0 to number − 1, so that each has its share of every stratum.

    The numbers of items in two folds differ by at most one, in each stratum and in all.
    """
    order = rng.permutation(len(strata))
    order = order[np.argsort(strata[order], kind="stable")]
    fold = np.empty(len(strata), dtype=np.int64)
    fold[order] = np.arange(len(strata)) % number
    return fold
