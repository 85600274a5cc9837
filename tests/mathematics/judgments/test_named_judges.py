"""Three judges who judged everything: level and power of the test about themselves."""

import os

import numpy as np
import pytest
import statsmodels.api as sm

from fairpairs import comparative_separation_from_judgments

SETS = int(os.environ.get("SETS", "30"))


def pvalues(rng, lean, judges=3, judgments=200, icc=0.05):
    """Ours, the smaller one, and that of a linear model with robust errors of the judgments."""
    judge = np.repeat(np.arange(judges), judgments)
    n = len(judge)
    group, taste = rng.random(n) < 0.4, np.sqrt(icc / (1 - icc)) * rng.normal(size=judges)[judge]
    right = 0.9 + taste - lean * group + rng.normal(size=n) > 0
    left = 2 * np.arange(n)
    score = np.zeros(2 * n)
    score[left] = np.where(right, 1.0, -1.0)
    result = comparative_separation_from_judgments(
        left, left + 1, np.ones(n, dtype=int), score,
        sensitive_features=np.repeat(group, 2), judges=judge,
    )  # fmt: skip
    fit = sm.OLS(right.astype(float), sm.add_constant(group.astype(float))).fit(cov_type="HC1")
    return float(np.nanmin(result.difference.pvalue)), float(fit.pvalues[1])


@pytest.mark.slow
def test_named_judges_are_tested_as_well_as_by_robust_errors():
    """`SETS=1000 pytest -s -k named_judges_are` prints level and power of both."""
    shares = []
    for row, lean in enumerate((0.0, 0.4)):
        rng = np.random.default_rng([row, 3])
        found = np.array([pvalues(rng, lean) for _ in range(SETS)])
        shares.append((found < 0.05).mean(axis=0))
    (level, their_level), (power, their_power) = shares
    print(f"\n| three judges | {level:.3f}, {power:.3f} | {their_level:.3f}, {their_power:.3f} |")
    assert level <= 0.05 + 3.1 * np.sqrt(0.05 * 0.95 / SETS)
    assert power >= their_power - 0.03 - 2 * np.sqrt(0.1 / SETS)
