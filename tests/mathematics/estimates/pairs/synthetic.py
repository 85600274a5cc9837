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


def gap_estimates(rates, k=2):
    first, second = gap_cells(k)
    theta = rates.tpr.reshape(*rates.tpr.shape[:-2], k * k)
    return theta[..., first] - theta[..., second]


def multinomial_counts(r, n, chances, rng):
    return rng.multinomial(n, chances.ravel(), size=r).reshape(r, *chances.shape).astype(float)


def fair_counts(r, n, rng, prevalence=(0.4, 0.6), share=0.4):
    """Data sets of five levels of the score that depend on the label alone."""
    levels = np.array([[0.35, 0.25, 0.2, 0.15, 0.05], [0.1, 0.15, 0.2, 0.25, 0.3]])
    groups = np.array([1 - share, share])
    labels = np.array([[1 - p, p] for p in prevalence])
    return multinomial_counts(r, n, groups[:, None, None] * labels[..., None] * levels, rng)
