"""How often a gap that is larger by the margin is called not worse, and how often a smaller one.

`SETS=2000 pytest -s benchmarks/levels -k compared_models` prints the numbers of
docs/explanation/methods.md#two-models.
"""

import numpy as np
import pytest
from scipy.special import ndtri

import fairpairs as fp
from benchmarks.levels import promises

ALPHA = 0.05

#: Items of the groups, gaps of the TPR of both models and the margin; FPR 0.2, without a gap.
DECISIONS = {
    "worse by the margin, from 0": (1000, 1000, 0.0, 0.1, 0.1, True),
    "worse by the margin, from 0.05, a small group": (2000, 150, 0.05, 0.2, 0.15, True),
    "worse by the margin, other side": (600, 600, 0.02, -0.12, 0.1, True),
    "from 0.1 to 0": (800, 400, 0.1, 0.0, 0.1, False),
    "0 and 0": (800, 400, 0.0, 0.0, 0.1, False),
}


@pytest.mark.parametrize("scores", [False, True])
@pytest.mark.parametrize("name", promises.some(DECISIONS, 0))
def test_decisions_and_scores_of_compared_models(name, scores):
    """The TPR, or the xAUC whose gap is that of two normal scores with these shifts."""
    many, few, before, after, margin, worse = DECISIONS[name]

    def say(rng):
        group = np.repeat(["a", "b"], [many, few])
        y = np.tile([0, 1], (many + few) // 2)
        shared, old, new = rng.normal(size=(3, len(y)))
        models = [np.sqrt(0.5) * (shared + own) for own in (old, new)]
        moved = (group == "b") & (y == 1)
        options = {"sensitive_features": {"g": group}, "margin": margin}
        if scores:
            # xAUC = Φ(shift / √2): 0.76 for a shift of 1
            base = np.sqrt(2) * ndtri(0.76)
            given = [
                one + np.where(moved, np.sqrt(2) * ndtri(0.76 - gap), base * (y == 1))
                for one, gap in zip(models, (before, after), strict=True)
            ]
            options |= dict(zip(("y_score_old", "y_score_new"), given, strict=True), threshold=0)
            result = fp.compare(y, criterion="xauc", **options)
            measure = "xAUC"
        else:
            given = [
                (one < ndtri(np.where(y == 1, 0.7 - gap * moved, 0.2))).astype(int)
                for one, gap in zip(models, (before, after), strict=True)
            ]
            result = fp.compare(y, *given, criterion="separation", **options)
            measure = "TPR"
        lines = result.tests.set_index("measure")
        return {"not worse": lines.loc[measure, "pvalue_not_worse"]}

    kind = "xAUC" if scores else "TPR"
    level = ALPHA if worse else {}
    promises.check(f"{kind}: {name}", say, level, number=promises.sets(20), seed=3)
