"""What related judgments add to the covariances of sums over parts of the judgments."""

from collections.abc import Mapping

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.judgments.components import variance_components


def added_covariances(
    values: Floats,
    part: Integers,
    n_parts: int,
    scale: tuple[Floats, Floats],
    items: tuple[Integers, Integers],
    kinds: Mapping[str, Integers],
    *,
    without: str = "",
) -> tuple[Floats, Floats]:
    """Return what shared items, judges and clusters add to covariances of sums, shape (P,) each.

    The first is of the sum of each of P parts with itself, the second with the sum over all
    judgments. Components of variance say how alike two judgments are that share something. Values
    have the mean 0 and about one variance; `scale` is what they are multiplied by in the sum of a
    part, and in that over all. The kind `without` adds nothing.

    >>> values, item = np.array([1.0, 1, -1, -1]), np.arange(4)
    >>> within, with_all = added_covariances(
    ...     values, np.array([0, 1, 0, 1]), 2, (np.ones(4), np.ones(4)), (item, item + 4),
    ...     {"cluster": np.array([0, 0, 1, 1])},
    ... )
    >>> within.round(3), with_all.round(3)
    (array([0., 0.]), array([4., 4.]))
    """
    covariance = variance_components(values, np.zeros_like(part), *items, kinds).covariance
    low, high = np.minimum(*items), np.maximum(*items)
    once = np.arange(len(values))
    ends = {
        "item": (np.concatenate([low, high]), np.concatenate([once, once])),
        "pair": (low * (high.max() + 1) + high, once),
        **{name: (code, once) for name, code in kinds.items()},
    }
    within, with_all = np.zeros((2, n_parts))
    for name, (code, judgment) in ends.items():
        if name == without or covariance[name] <= 0:
            continue
        end_part, unit = part[judgment], np.unique(code, return_inverse=True)[1]
        both = np.unique(unit * n_parts + end_part, return_inverse=True)[1]
        one, all_ = (factor[judgment] for factor in scale)
        others = np.bincount(both, one)[both] - one, np.bincount(unit, all_)[unit] - all_
        within += covariance[name] * np.bincount(end_part, one * others[0], n_parts)
        with_all += covariance[name] * np.bincount(end_part, one * others[1], n_parts)
    return within, with_all
