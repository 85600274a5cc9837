"""How often an audit calls a fair model violated: the criteria that count, and any row at all.

`SETS=400 pytest -s benchmarks/levels -k fair_worlds` prints the table of
docs/reference/audit.md.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import norm

import fairpairs as fp
from benchmarks.levels import promises


@dataclass(frozen=True)
class World:
    """A population in which predictions and scores depend on the label alone.

    Attributes
    ----------
    items, shares
        Items, and the shares of the groups of the first attribute.
    label
        Share of positive labels in each group; for numbers their mean.
    tpr, fpr
        Of the decisions; the score is normal around them.
    kind
        "decisions", "both" (decisions and score), "score" (probabilities) or "numbers".
    attributes
        Attributes; the second is a coin, and then there are intersections.
    """

    items: int
    shares: tuple[float, ...]
    label: tuple[float, ...]
    tpr: float = 0.7
    fpr: float = 0.3
    kind: str = "both"
    attributes: int = 1

    def audit(self, rng):
        group = rng.choice(len(self.shares), self.items, p=self.shares)
        features = {"first": group}
        if self.attributes == 2:
            features["second"] = rng.integers(0, 2, self.items)
        options = {"sensitive_features": features, "intersections": self.attributes == 2}
        middle = np.asarray(self.label)[group]
        if self.kind == "numbers":
            label = middle + rng.normal(size=self.items)
            return fp.audit(label, label + rng.normal(size=self.items), **options)
        label = (rng.random(self.items) < middle).astype(int)
        cut = norm.isf(self.fpr)
        score = rng.normal(size=self.items) + (cut - norm.isf(self.tpr)) * label
        if self.kind == "score":
            return fp.audit(label, 1 / (1 + np.exp(-score)), **options)
        given = {} if self.kind == "decisions" else {"y_score": score}
        return fp.audit(label, (score > cut).astype(int), **given, **options)


TWO, FIVE, RARE = (0.6, 0.4), (0.4, 0.2, 0.2, 0.1, 0.1), (0.95, 0.05)
WORLDS = {
    "two groups, decisions": World(2000, TWO, (0.4, 0.4), kind="decisions"),
    "and a score": World(2000, TWO, (0.4, 0.4)),
    "five groups": World(3000, FIVE, (0.4,) * 5),
    "two attributes and their intersections": World(3000, TWO, (0.4, 0.4), attributes=2),
    "base rates of 0.3 and 0.5": World(2000, TWO, (0.3, 0.5)),
    "probabilities alone, a minority of 5 %": World(3000, RARE, (0.4, 0.4), kind="score"),
    "numbers, a minority of 10 %": World(1000, (0.9, 0.1), (0, 0), kind="numbers"),
    "numbers, half a standard deviation apart": World(1000, (0.9, 0.1), (0, 0.5), kind="numbers"),
    "rare predictions (TPR 0.1, FPR 0.02), a minority of 5 %": World(
        3000, RARE, (0.2, 0.2), 0.1, 0.02
    ),
    "a score with an AUC of 0.99, a minority of 5 %": World(3000, RARE, (0.4, 0.4), 0.95, 0.05),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", promises.some(WORLDS, 1, 6, 8))
def test_fair_worlds_seldom_violate_what_counts(name):
    """All of 4 sets are violated by a chance of 0.00001 at a level of 0.05."""

    def say(rng):
        result = WORLDS[name].audit(rng)
        return {"violated": result.violated, "any row": result.counts["violated"] > 0}

    found = promises.check(name, say, {"violated": 0.05}, number=promises.sets(4), seed=3)
    assert found["violated"] <= found["any row"]
