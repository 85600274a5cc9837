"""Shuffles of groups among items of like labels, by the chances of the groups given the label.

When labels are binned, items of a bin with other labels have other chances of being in a group. Up
to 2,000 items are then shuffled by these chances, which are estimated, so that a test by these
shuffles is approximate. Within a stratum of one label all shuffles are equally likely.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.special import expit, ndtri

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.inference.permutation import Shuffle, permute_within

#: Up to this many items, labels within a bin are distinguished; with more, bins are narrow.
MAX_ITEMS = 2000
#: Above this AUC of the labels the groups hardly overlap: normals 2.3 standard deviations apart.
MAX_AUC = 0.95
HARDLY_OVERLAP = (
    "the groups' labels hardly overlap: the test may reject too often (I_sep in up to 0.15)"
)
#: Exchanges of each item with another one of its bin, from one assignment to the next.
EXCHANGES = 20
#: The two items of each pair, the pair's first cell, and the chance of an exchange in each cell; a
#: pair has one cell for each two groups of its items.
Step = tuple[Integers, Integers, Integers, Floats]
#: The largest slope of the log likelihood of a fitted regression.
MAX_SLOPE = 1e-10


def shuffles_within(
    group: Integers, strata: Integers, rng: np.random.Generator, labels: Floats
) -> Shuffle:
    """Return a function that shuffles groups within strata, of few items by chances of labels."""
    if len(labels) <= MAX_ITEMS and differ_within(labels, strata):
        return conditional_shuffles(group, strata, labels, rng)
    return partial(permute_within, group, strata, rng=rng)


def conditional_shuffles(
    group: Integers, strata: Integers, labels: Floats, rng: np.random.Generator
) -> Callable[[int], Integers]:
    """Return a function of b that returns b shuffles within strata, by chances given the label.

    Two items exchange their groups, many times, with the chance by a logistic regression on normal
    scores of the labels (Berrett, Wang, Barber and Samworth 2020, algorithm 2).
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  (slow)

    n = len(group)
    scores = ndtri((pd.Series(labels).rank().to_numpy() - 0.5) / n)[:, None]
    model = LogisticRegression(solver="newton-cholesky", tol=MAX_SLOPE).fit(scores, group)
    logs = scores @ model.coef_.T  # log odds, up to a constant of the group
    logs = np.hstack([np.zeros((n, 1)), logs]) if logs.shape[1] == 1 else logs
    n_groups = logs.shape[1]
    exchanges: list[Step] = []
    for step in range(EXCHANGES):
        order = np.lexsort((rng.random(n), strata))[step % 2 :]
        left, right = order[0 : len(order) // 2 * 2 : 2], order[1::2]
        alike = strata[left] == strata[right]
        left, right = left[alike], right[alike]
        # log odds of an exchange, by the groups of left and right
        before = logs[left][:, :, None] + logs[right][:, None]
        odds = np.swapaxes(before, 1, 2) - before
        cell = np.arange(len(left))[:, None] * n_groups**2
        exchanges.append((left, right, cell, expit(odds).ravel()))

    # one row per item, because rows are moved at once; small numbers are moved faster
    small = np.min_scalar_type(-(n_groups**2))

    def exchange(groups: Integers, steps: Sequence[Step]) -> Integers:
        groups = groups.T.astype(small, order="C")
        for left, right, cell, chance in steps:
            left_group, right_group = groups[left], groups[right]
            index = np.add(left_group * n_groups + right_group, cell, dtype=np.intp)
            swapped = chance.take(index) > rng.random(index.shape[::-1]).T
            change = (right_group - left_group) * swapped
            groups[left] = left_group + change
            groups[right] = right_group - change
        return groups.T.astype(group.dtype, order="C")

    # back from the observed groups, then forth: all assignments are exchangeable
    centre = exchange(group[None], exchanges[::-1])
    return lambda size: exchange(np.repeat(centre, size, axis=0), exchanges)


def differ_within(labels: Floats, strata: Integers) -> bool:
    """Return whether labels differ within a stratum."""
    return len(np.unique(labels)) > len(np.unique(strata))


def hardly_overlap(labels: Floats, group: Integers) -> bool:
    """Return whether, for two of the groups, nearly all labels of one exceed the other's."""
    for a, b in combinations(range(int(group.max()) + 1), 2):
        one, two = labels[group == a], labels[group == b]
        ranks = pd.Series(np.concatenate([one, two])).rank().to_numpy()[: len(one)]
        above = (ranks.mean() - (len(one) + 1) / 2) / len(two)  # the AUC of the labels
        if max(above, 1 - above) > MAX_AUC:
            return True
    return False
