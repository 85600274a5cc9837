"""Variances of gaps on few shared items, against those of independent pairs."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.stats import t as student

from fairpairs import comparative_separation_test
from fairpairs.mathematics.estimates.balance import balancing_weights, label_strata
from fairpairs.mathematics.estimates.pairs.given import given_pairs
from fairpairs.mathematics.inference.gaps import (
    gap_cells,
)
from tests.mathematics.synthetic import labelled_by_group


def test_few_shared_items_have_no_less_than_the_variance_of_independent_pairs():
    # weighted pairs have no pooled variance; the reference is the formula, written out
    y, s, group = labelled_by_group(6, 200, 2, "few")
    pairs = np.random.default_rng(1).integers(200, size=(150, 2))
    result = comparative_separation_test(
        y, s, sensitive_features=group, pairs=pairs, correction="none"
    )
    weights = balancing_weights(group, label_strata(y), 2)
    kept = pairs[y[pairs[:, 0]] != y[pairs[:, 1]]]
    higher = y[kept[:, 0]] > y[kept[:, 1]]
    winner, loser = np.where(higher, kept.T, kept.T[::-1])
    rates = given_pairs(
        winner,
        loser,
        (s[winner] > s[loser]).astype(float),
        group,
        2,
        weights=weights[winner] * weights[loser],
    )
    theta, m = rates.tpr.ravel(), rates.effective.ravel()
    for number, (i, j) in enumerate(zip(*gap_cells(2), strict=True)):
        row = np.eye(4)[i] - np.eye(4)[j]
        raw = row @ rates.covariance @ row
        apart = theta[i] * (1 - theta[i]) / m[i] + theta[j] * (1 - theta[j]) / m[j]
        mean = (theta[i] * m[i] + theta[j] * m[j]) / (m[i] + m[j])
        alike = mean * (1 - mean) * (1 / m[i] + 1 / m[j])
        variance = max(raw, apart) * max(1, alike / apart)
        parts = np.einsum("i,cij,j->c", row, rates.components, row)
        df = parts.sum() ** 2 / (parts**2 / np.maximum(rates.class_sizes - 1, 1)).sum()
        df = min(df, min(m[i], m[j]) - 1)  # a cell of few pairs says little of its own variance
        statistic = (theta[i] - theta[j]) / np.sqrt(variance)
        assert_allclose(result.statistic[number], statistic, rtol=1e-9)
        assert_allclose(result.pvalues[number], 2 * student.sf(abs(statistic), df), rtol=1e-8)
