"""Judgments of a need, and models that favour one area more or less."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd

from fairpairs.audits.judgments.settings import Judgments

#: How much each model favours the north.
FAVOURS = {"fair": 0.0, "partial": 0.9, "reverse": -0.9}


def synthetic(favours=FAVOURS, n=200, m=1200, seed=5, verdicts=(), **more):
    """Judgments of items of two areas and of two sexes; `more` are fields of Judgments."""
    rng = np.random.default_rng(seed)
    need = rng.normal(size=n)
    items = pd.DataFrame(
        {"area": rng.choice(["north", "south"], n), "sex": rng.choice(["female", "male"], n)}
    )
    north = items["area"] == "north"
    for name, favour in favours.items():
        items[name] = need + favour * north + 0.5 * rng.normal(size=n)
    left = rng.integers(n, size=m)
    right = (left + rng.integers(1, n, size=m)) % n
    outcome = np.where(need[left] - need[right] + 0.3 * rng.normal(size=m) > 0, 1, -1)
    score = {name: items[name].to_numpy() for name in verdicts}
    return Judgments(
        tables=(table("judgments.csv", m), table("items.csv", n)),
        left=left,
        right=right,
        outcome=outcome,
        items=items.drop(columns=list(verdicts)),
        scores=[name for name in favours if name not in verdicts],
        attributes=["area", "sex"],
        verdicts={name: np.sign(of[left] - of[right]).astype(int) for name, of in score.items()},
        **{"own_items": True, **more},
    )


def table(name, rows):
    """What an audit asks a table that was read."""

    class Read(SimpleNamespace):
        def __len__(self):
            return rows

    return Read(path=Path(name), called=name, sha256="0" * 64, notes={})


def half_judged(n_human=300, wrong=0.1, seed=0):
    """Judgments of which some have a human outcome and all a cheap one, and their items."""
    judged = synthetic(n=400, m=1_500)
    rng = np.random.default_rng(seed)
    ids = np.array([f"p{i}" for i in range(400)])
    winner = np.where(judged.outcome > 0, judged.left, judged.right)
    other = judged.left + judged.right - winner
    human = pd.Series(ids[winner]).where(rng.permutation(1_500) < n_human)
    judgments = pd.DataFrame({
        "i": ids[judged.left], "j": ids[judged.right], "winner": human, "truth": ids[winner],
        "gpt": ids[np.where(rng.random(1_500) < wrong, other, winner)],
        "who": np.where(human.isna(), None, rng.choice(["ann", "bo", "cy"], 1_500)),
        "prompt": np.arange(1_500) // 3, "chance": n_human / 1_500, "half": rng.random(1_500) < 0.5,
    })  # fmt: skip
    return judgments, judged.items.assign(id=ids)
