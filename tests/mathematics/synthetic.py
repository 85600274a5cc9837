"""Synthetic labels, scores and groups, and xAUC by plain loops."""

from itertools import product

import numpy as np

from fairpairs.mathematics.estimates.balance import dense_ranks
from fairpairs.mathematics.estimates.pairs.binary import all_pairs_from_counts

#: H0c, then H0w: the cells whose TPR is compared, equations (21) and (22)
CONTRASTS = [((1, 0), (0, 1)), ((1, 1), (0, 0))]


def items_of_levels(seed=0, n=60, k=2, levels=3):
    """Labels of some levels, scores that depend on them alone, and groups."""
    rng = np.random.default_rng(seed)
    y, group = rng.integers(levels, size=n), rng.integers(k, size=n)
    return y, y + rng.normal(size=n), group


def labelled_by_group(seed=0, n=120, k=2, labels="binary", shift=0.0):
    """Labels that depend on the group, and scores; `shift` favours the last group."""
    rng = np.random.default_rng(seed)
    group = rng.integers(k, size=n)
    y = {
        "binary": rng.integers(2, size=n),
        "few": rng.binomial(3, 0.3 + 0.3 * group / k),
        "real": rng.normal(size=n) + 0.4 * group,
    }[labels].astype(float)
    return y, np.round(y + rng.normal(size=n) + shift * (group == k - 1), 1), group


def ranked_items(seed, n=60, k=2, levels=None):
    """Items with a score that tells of the outcome, and of the group, tied or not."""
    rng = np.random.default_rng(seed)
    y, group = rng.integers(2, size=n), rng.integers(k, size=n)
    score = y + 0.4 * group + rng.normal(size=n)
    return y, np.round(score * levels) / levels if levels else score, group


def plain_xauc(y, score, group, a, b, tie=0.5):
    """xAUC(a, b) by a double loop; None stands for everyone."""
    counted = [
        1.0 if score[i] > score[j] else tie * (score[i] == score[j])
        for i, j in product(range(len(y)), repeat=2)
        if y[i] == 1 and y[j] == 0 and a in (None, group[i]) and b in (None, group[j])
    ]
    return np.mean(counted) if counted else np.nan


def plain_placements(y, score, group, a, b, tie=0.5):
    """DeLong's placements of the positives of a among the negatives of b, and the reverse."""
    positive = score[(y == 1) & ((group == a) if a is not None else True)]
    negative = score[(y == 0) & ((group == b) if b is not None else True)]
    right = (positive[:, None] > negative) + tie * (positive[:, None] == negative)
    return right.mean(axis=1), right.mean(axis=0)


def ranking_rates_of_sets(y, score, group, k):
    """The rates of many data sets at once, from arrays of shape (r, n)."""
    rank = dense_ranks(score)[0]
    counts = np.zeros((len(y), k, 2, int(rank.max()) + 1))
    np.add.at(counts, (np.arange(len(y))[:, None], group, y, rank), 1)
    everyone = counts.sum(axis=1, keepdims=True)
    return all_pairs_from_counts(np.concatenate([counts, everyone], axis=1), ties="half")


def decided(seed, n=80, k=2, bias=0.4):
    """Decisions of two judges; the first prefers later groups, and its spread differs."""
    rng = np.random.default_rng(seed)
    group = rng.integers(k, size=n)
    merit = rng.normal(size=n)
    one = merit + bias * group + (1 + group) * rng.normal(size=n) / 2
    return one, merit + rng.normal(size=n) / 2, group
