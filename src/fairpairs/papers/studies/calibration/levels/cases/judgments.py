"""Judgments of pairs that share items: random, Zipf, few anchors, repeated."""

from collections.abc import Iterator

import numpy as np

from fairpairs.base.plain_values import Record
from fairpairs.papers.studies.calibration.levels.cases.sample import Sample, build_cases


def judgments(
    rng: np.random.Generator,
    *,
    items: int,
    number: int,
    design: str = "random",
    anchors: int = 0,
    share: float = 0.3,
    distance: float = 1.0,
    wrong: float = 0.0,
    real: bool = False,
) -> Sample:
    """Draw judgments of items whose scores satisfy separation.

    `design` is "random", "fresh" (no item is in two pairs), "anchors" (one item of each judgment is
    an anchor), "zipf" (item i is drawn with a chance proportional to 1/i) or "repeated" (`anchors`
    pairs, judged again and again); a share of `wrong` judgments is reversed.
    """
    if design == "fresh":
        items = 2 * number
    group = np.zeros(items, dtype=np.int64)
    group[: max(2, round(items * share))] = 1
    group = rng.permuted(group)
    label = rng.normal(size=items) if real else rng.integers(2, size=items).astype(float)
    score = rng.normal(size=items) + distance * label
    if design == "fresh":
        left, right = np.arange(items).reshape(-1, 2).T
    elif design == "anchors":
        left, right = rng.integers(anchors, size=number), rng.integers(items, size=number)
    elif design == "zipf":
        chance = 1 / np.arange(1, items + 1)
        left, right = rng.choice(items, size=(2, number), p=chance / chance.sum())
    elif design == "repeated":
        again = rng.integers(anchors, size=number)
        left, right = rng.integers(items, size=(2, anchors))[:, again]
    else:
        left, right = rng.integers(items, size=(2, number))
    outcome = np.sign(label[left] - label[right]).astype(np.int64)
    outcome = np.where(rng.random(number) < wrong, -outcome, outcome)
    both = np.stack([left, right, outcome])
    return Sample(group, label, score, np.zeros(2, dtype=np.int64), judgments=both)


def _judgment_rows() -> Iterator[tuple[str, Record]]:
    """Yield judgments that share items: at random, by Zipf, against few anchors, repeated."""
    base: Record = {"items": 300, "number": 1200}
    yield "300 items, 1,200 at random", base
    yield "1,000 fresh pairs", {"items": 0, "number": 1000, "design": "fresh"}
    for items in (16, 24, 40):
        yield f"{items} items, 600 at random", {"items": items, "number": 600, "share": 0.5}
    yield "40 items, 4,000 at random, minority 0.2", {"items": 40, "number": 4000, "share": 0.2}
    for items, number, share, distance, auc in (
        (100, 5000, 0.2, 3.0, 0.983),
        (1000, 4000, 0.05, 3.0, 0.983),
        (1000, 4000, 0.05, 4.0, 0.998),
    ):
        name = f"{items:,} items, {number:,} at random, minority {share:g}, AUC {auc}"
        yield name, {"items": items, "number": number, "share": share, "distance": distance}
    few = {"items": 1000, "number": 2000, "design": "anchors", "share": 0.5}
    for anchors in (3, 6, 20):
        yield f"1,000 items, 2,000 against {anchors} anchors", {**few, "anchors": anchors}
    for items, number in ((300, 1500), (1000, 4000)):
        name = f"{items:,} items, {number:,} by Zipf"
        yield name, {"items": items, "number": number, "design": "zipf"}
    repeated = {"items": 300, "number": 1500, "design": "repeated", "anchors": 60}
    for wrong in (0.0, 0.2):
        yield f"60 pairs judged 1,500 times, {wrong:g} wrong", {**repeated, "wrong": wrong}
    yield "300 items, 1,200 at random, 0.2 wrong", {**base, "wrong": 0.2}
    yield "300 items, 1,200 at random, minority 0.1", {**base, "share": 0.1}
    yield "300 items, 1,200 at random, real needs", {**base, "real": True}


JUDGMENTS = build_cases(judgments, _judgment_rows())
