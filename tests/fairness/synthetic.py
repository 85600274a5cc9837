"""Synthetic labels, scores and groups."""

import numpy as np


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
