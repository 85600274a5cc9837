"""Synthetic items and counts, and the gaps of rates."""

import numpy as np

from fairpairs.mathematics.inference.gaps import gap_cells

LABELS = ["binary", "few", "continuous"]


FIELDS = ("concordant", "comparable", "pairs", "components", "class_sizes", "counted_twice")


def items(seed, n, k, labels="binary", scores="tied"):
    rng = np.random.default_rng(seed)
    y = {
        "binary": rng.integers(2, size=n),
        "few": rng.integers(4, size=n),
        "continuous": rng.normal(size=n),
    }[labels].astype(float)
    s = y + rng.normal(scale=1.5, size=n)
    if scores == "tied":
        s = np.round(s)
    return y, s, rng.integers(k, size=n)


def hit_of(s, i, j, ties):
    return float(s[i] > s[j]) + (0.5 if ties == "half" and s[i] == s[j] else 0.0)


def gap_variances(covariance, k=2):
    first, second = gap_cells(k)
    contrasts = np.eye(k * k)[first] - np.eye(k * k)[second]
    return np.einsum("gi,...ij,gj->...g", contrasts, covariance, contrasts)
