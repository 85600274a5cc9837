"""A line is found to differ, at the level of its interval, exactly if that leaves out 0."""

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp
from fairpairs.audits.lines.verdicts import WORDS

ALPHA = 0.05


def rows(seed):
    """Labels, decisions of two models, scores, groups and clusters of few rows."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([40, 100, 300]))
    group = rng.choice(list("abc"), n, p=[0.5, 0.3, 0.2])
    label = rng.normal(size=n)
    score = label + rng.normal(size=n) + 0.8 * (group == "c")
    y, old = (label > 0).astype(int), (score > 0.2).astype(int)
    new = np.where(rng.random(n) < 0.3, y, old)
    return y, old, new, score, group, rng.integers(0, n // 3, n)


def audited(seed):
    y, old, _, score, group, cluster = rows(seed)
    for more in ({"y_score": score}, {"clusters": cluster}, {"control": {"h": cluster % 2}}):
        yield fp.audit(y, old, sensitive_features={"g": group}, **more)
    yield fp.audit(y - 0.5 * score, score, sensitive_features={"g": group})


def compared(seed):
    y, old, new, _, group, cluster = rows(seed)
    for more in ({}, {"clusters": cluster}, {"margin": 0.05}):
        yield fp.compare(y, old, new, sensitive_features={"g": group}, **more)


def judged(seed):
    rng = np.random.default_rng(seed)
    n, m = 40, int(rng.choice([60, 200]))
    need, area = rng.normal(size=n), rng.choice(["n", "s", "w"], n)
    left = rng.integers(n, size=m)
    right = (left + rng.integers(1, n, size=m)) % n
    winner = np.where(need[left] - need[right] + 0.3 * rng.normal(size=m) > 0, left, right)
    judgments = pd.DataFrame({"i": left, "j": right, "winner": winner, "who": np.arange(m) % 3})
    items = pd.DataFrame({"id": np.arange(n), "area": area, "score": need + 0.9 * (area == "n")})
    names = {"left": "i", "right": "j", "outcome": "winner", "item": "id", "y_score": "score"}
    for more in ({}, {"judges": "who"}, {"ties_in_outcome": "half"}):
        yield fp.audit_judgments(judgments, items, **names, sensitive_features="area", **more)


@pytest.mark.slow
@pytest.mark.parametrize("results", [audited, compared, judged])
def test_p_and_interval_of_a_line_agree(results):
    outside = 0
    for seed in range(3):
        for result in results(seed):
            tests = result.to_frame().dropna(subset=["pvalue", "ci_low"])
            apart = (tests["ci_low"] > 0) | (tests["ci_high"] < 0)
            assert (apart == (tests["pvalue"] < ALPHA)).all()
            states = [WORDS[verdict].state for verdict in tests["verdict"]]
            found = np.isin(states, ["beyond", "differs", "worse", "better"])
            assert apart[found].all()  # the adjustment finds no more than the line alone
            outside += int(apart.sum())
    assert outside > 5
