"""Judges with tastes, wrong judgments, and three judges who judged everything.

`SETS=1000 pytest -s benchmarks/levels/test_judges.py` prints the numbers of
docs/explanation/judgments.md (`-k judges_of_pairs`) and of inference.md (`-k named_judges`).
"""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.special import expit

import fairpairs as fp
from benchmarks.levels import promises

pytestmark = pytest.mark.slow

#: Judges, spreads of their tastes and skills (log odds), share of wrong judgments, base rates.
PANELS = {
    "5 judges, tastes": (5, 1, 0, None, (0.5, 0.5)),
    "10 judges, tastes": (10, 1, 0, None, (0.5, 0.5)),
    "10 judges, skills": (10, 0, 1, None, (0.5, 0.5)),
    "wrong, 0.5 and 0.3": (1, 0, 0, 0.1, (0.5, 0.3)),
    "right, 0.5 and 0.3": (1, 0, 0, 0.0, (0.5, 0.3)),
    "wrong, 0.4 each": (1, 0, 0, 0.1, (0.4, 0.4)),
}


@pytest.mark.parametrize("name", promises.some(PANELS, 0, 3))
def test_judges_of_pairs(name):
    """300 items whose scores depend on their needs alone, 3,000 pairs, judges not named."""
    judges, taste, skill, wrong, base_rates = PANELS[name]

    def say(rng):
        group = rng.integers(2, size=300)
        need = (rng.random(300) < np.take(base_rates, group)).astype(int)
        score = rng.normal(size=300) + 1.5 * need
        left, right = rng.integers(300, size=(2, 3000))
        judge, differ = rng.integers(judges, size=3000), need[left] - need[right]
        if wrong is None:
            sure = (2 - skill * rng.normal(size=judges))[judge]
            lean = (taste * rng.normal(size=judges))[judge] * (group[left] - group[right])
            outcome = np.where(rng.random(3000) < expit(sure * differ + lean), 1, -1)
        else:
            outcome = differ * np.where(rng.random(3000) < wrong, -1, 1)
        result = fp.comparative_separation_from_judgments(
            left, right, outcome * (differ != 0), score, sensitive_features=group
        )
        return {"any": result.pvalue, "across": result.difference.pvalue[0]}

    promises.check(name, say, {}, number=promises.sets(10))


@pytest.mark.parametrize("lean", [0.0, 0.4])
def test_named_judges_beside_robust_errors(lean):
    """200 judgments each, which lean against a group: ours, and a linear model with HC1 errors."""
    judge, n = np.repeat(np.arange(3), 200), 600

    def say(rng):
        group, taste = rng.random(n) < 0.4, np.sqrt(0.05 / 0.95) * rng.normal(size=3)[judge]
        right = 0.9 + taste - lean * group + rng.normal(size=n) > 0
        left, score = 2 * np.arange(n), np.zeros(2 * n)
        score[left] = np.where(right, 1.0, -1.0)
        result = fp.comparative_separation_from_judgments(
            left, left + 1, np.ones(n, dtype=int), score,
            sensitive_features=np.repeat(group, 2), judges=judge,
        )  # fmt: skip
        fit = sm.OLS(right.astype(float), sm.add_constant(group.astype(float))).fit(cov_type="HC1")
        ours = float(np.nanmin(result.difference.pvalue))
        return {"ours": ours, "robust errors": float(fit.pvalues[1])}

    levels = {} if lean else {"ours": 0.05}
    promises.check(f"three judges who lean by {lean}", say, levels, number=promises.sets(10))
