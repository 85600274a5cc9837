"""Worlds of the register: data as users have them, with the question that is asked of each.

Tools get arrays, a row for each element: `group`, `decision` (0 or 1) or `score`, `label`, and what
the question needs. Groups are 0 and 1, or 0 to k − 1 of the question `groups`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtr

from fairpairs.base.arrays import Array
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.promises.worlds import LATENT, clusters, weights

#: What tools are asked for; a tool is measured in a world if it has a function of this name.
QUESTIONS = {
    "rates": "the selection rate of group 1 minus that of group 0; rows are independent",
    "clustered": "the same; rows of a cluster are related, and each cluster is of one group",
    "crossed": "the same; clusters have rows of both groups",
    "weighted": "the same, with sampling weights",
    "groups": "the largest difference of selection rates among several groups",
    "margin": "whether the selection rates differ by less than 0.1",
    "auc": "the AUC of group 1 minus that of group 0",
    "pairs": "the share of pairs within group 1 that are ranked right, minus that in group 0",
    "looks": "whether the selection rates ever differ, looked at again and again as rows come in",
    "labels": "the accuracy in group 1 minus that in group 0; people label a few rows, a judge all",
}
#: Largest difference that does not matter, of the question `margin`.
MARGIN = 0.1

Draw = Callable[[np.random.Generator], Mapping[str, Array]]


@dataclass(frozen=True)
class RegisterWorld:
    """Data with (`null`) nothing to find, and (`alternative`) something; the true differences."""

    question: str
    null: Draw
    alternative: Draw
    #: the true difference under the null and under the alternative
    truths: tuple[float, float]


def _decisions(
    rng: np.random.Generator, sizes: tuple[int, ...], rate: float, gaps: tuple[float, ...]
) -> Mapping[str, Array]:
    """Draw independent decisions of groups whose rates are `rate` plus a gap each."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    decision = (rng.random(len(group)) < rate + np.array(gaps)[group]).astype(np.int64)
    return _shuffled(rng, group=group, decision=decision, label=rng.integers(0, 2, len(group)))


def _shuffled(rng: np.random.Generator, **columns: Array) -> Mapping[str, Array]:
    order = rng.permutation(len(columns["group"]))
    return {name: values[order] for name, values in columns.items()}


def _related(
    rng: np.random.Generator, draw: Callable[..., Record], **settings: object
) -> Mapping[str, Array]:
    """Draw one of the worlds of the promises, under the names of the register."""
    names = {
        "y_true": "label",
        "y_pred": "decision",
        "sensitive_features": "group",
        "clusters": "cluster",
        "sample_weight": "weight",
    }
    return {names[name]: values for name, values in draw(rng, **settings).items()}


def _scores(
    rng: np.random.Generator,
    sizes: tuple[int, int],
    apart: tuple[float, float],
    positive: float = 0.5,
    levels: int = 0,
) -> Mapping[str, Array]:
    """Draw normal scores, those of label 1 higher by `apart`; `levels` cuts them into a few."""
    group = np.repeat([0, 1], sizes)
    label = np.concatenate([np.arange(n) < round(positive * n) for n in sizes]).astype(np.int64)
    score = rng.normal(size=len(group)) + label * np.array(apart)[group]
    if levels:
        score = np.clip(np.floor(score + 1.0), 0, levels - 1)
    return _shuffled(rng, group=group, label=label, score=score)


def _few_labels(
    rng: np.random.Generator, accuracy: tuple[float, float], judge: tuple[float, float]
) -> Mapping[str, Array]:
    """Draw decisions on 2,000 rows, 300 of them with a label by people, drawn by chance.

    `judge` is the share of rows of each group whose cheap label is right.
    """
    n = 2000
    group, truth = np.repeat([0, 1], n // 2), rng.integers(0, 2, n)
    right = rng.random(n) < np.array(accuracy)[group]
    cheap = np.where(rng.random(n) < np.array(judge)[group], truth, 1 - truth)
    label = np.full(n, np.nan)
    drawn = rng.choice(n, 300, replace=False)
    label[drawn] = truth[drawn]
    decision = np.where(right, truth, 1 - truth)
    return _shuffled(rng, group=group, label=label, cheap=cheap, decision=decision)


def _stream(rng: np.random.Generator, gap: float) -> Mapping[str, Array]:
    """Draw 2,000 decisions in the order of time, of the groups by turns; five looks."""
    group = np.tile([0, 1], 1000)
    decision = (rng.random(2000) < 0.5 + gap * group).astype(np.int64)
    return {"group": group, "decision": decision, "look": np.arange(2000) // 400}


def _pairs(rng: np.random.Generator, apart: tuple[float, float]) -> Mapping[str, Array]:
    """Draw 1,200 pairs of 300 items with scores of two groups, and keep those that are comparable.

    A row is a pair: the items `left` and `right`, their groups and scores, and `outcome`, +1 where
    the label of the left one is higher.
    """
    group, label = rng.integers(0, 2, (2, 300))
    score = rng.normal(size=300) + label * np.array(apart)[group]
    left, right = rng.integers(0, 300, (2, 1200))
    kept = label[left] != label[right]
    left, right = left[kept], right[kept]
    return {
        "group": group[left],
        "group_right": group[right],
        "left": left,
        "right": right,
        "score_left": score[left],
        "score_right": score[right],
        "outcome": label[left] - label[right],
    }


def _selected(shift: float, icc: float) -> float:
    """Return the selection rate of the worlds of the promises, whose labels are 0 or 1 equally."""
    spread = np.sqrt(1 + icc / (1 - icc))
    return float((ndtr((LATENT + shift) / spread) + ndtr((shift - LATENT) / spread)) / 2)


def _fair_and_not(
    question: str,
    columns: Callable[..., Any],
    fair: Record,
    unfair: Record,
    truths: tuple[float, float],
    **both: Any,
) -> RegisterWorld:
    """Return the world of a draw of columns, with settings for both kinds of data and for each."""
    null, alternative = (partial(columns, **both, **own) for own in (fair, unfair))
    return RegisterWorld(question, null, alternative, truths)


def _rates(
    sizes: tuple[int, ...], rate: float, gaps: tuple[float, ...], question: str = "rates"
) -> RegisterWorld:
    fair, unfair = {"gaps": (0.0,) * len(sizes)}, {"gaps": gaps}
    truth = gaps[1] - gaps[0] if question == "rates" else max(gaps) - min(gaps)
    return _fair_and_not(question, _decisions, fair, unfair, (0.0, truth), sizes=sizes, rate=rate)


def _of_promises(
    question: str, draw: Callable[..., Record], shift: float, icc: float = 0.0, **settings: Any
) -> RegisterWorld:
    truths = 0.0, _selected(shift, icc) - _selected(0.0, icc)
    settings |= {"icc": icc} if draw is clusters else {}
    return _fair_and_not(question, _related, {}, {"shift": shift}, truths, draw=draw, **settings)


def _auc(apart: float, levels: int) -> float:
    """Return the AUC of normal scores, or of their `levels` values if they are cut."""
    if not levels:
        return float(ndtr(apart / np.sqrt(2)))
    limits = np.array([-np.inf, *range(levels - 1), np.inf])
    negatives, positives = (np.diff(ndtr(limits - mean)) for mean in (0.0, apart))
    return float(positives @ (np.cumsum(negatives) - negatives / 2))


def _aucs(
    sizes: tuple[int, int], apart: float, less: float, positive: float = 0.5, levels: int = 0
) -> RegisterWorld:
    fair, unfair = {"apart": (apart, apart)}, {"apart": (apart, less)}
    truths = 0.0, _auc(less, levels) - _auc(apart, levels)
    more = {"sizes": sizes, "positive": positive, "levels": levels}
    return _fair_and_not("auc", _scores, fair, unfair, truths, **more)


def _judged(judge: tuple[float, float]) -> RegisterWorld:
    fair, unfair = {"accuracy": (0.8, 0.8)}, {"accuracy": (0.8, 0.68)}
    return _fair_and_not("labels", _few_labels, fair, unfair, (0.0, -0.12), judge=judge)


#: Groups of intersections, and the one that differs.
CELLS = (200, 150, 100, 80, 60, 40, 30, 25, 20, 15, 12, 12)
ONE_CELL = (0.0,) * 3 + (0.2,) + (0.0,) * 8
#: Every world by its name.
REGISTER_WORLDS: Mapping[str, RegisterWorld] = {
    "20 + 20 rows": _rates((20, 20), 0.3, (0, 0.44)),
    "300 + 300 rows": _rates((300, 300), 0.5, (0, 0.115)),
    "950 + 50 rows": _rates((950, 50), 0.8, (0, -0.17)),
    "1,000 + 1,000 rows, 1 % selected": _rates((1000, 1000), 0.01, (0, 0.017)),
    "20 + 20 clusters of 20, ICC 0.1": _of_promises(
        "clustered", clusters, 0.5, 0.1, number=(20, 20), rows=20
    ),
    "5 + 5 clusters of 40, ICC 0.1": _of_promises(
        "clustered", clusters, 0.9, 0.1, number=(5, 5), rows=40
    ),
    "30 + 30 clusters of 2 to 36, ICC 0.2": _of_promises(
        "clustered", clusters, 0.6, 0.2, number=(30, 30), rows=10, sizes="unequal"
    ),
    "20 clusters of both groups, ICC 0.2": _of_promises(
        "crossed", clusters, 0.55, 0.2, number=(10, 10), rows=20, both=True
    ),
    "1,500 rows, weights (1)": _of_promises("weighted", weights, 0.5, n=1500, spread=1.0),
    "300 rows, weights (0.5)": _of_promises("weighted", weights, 0.8, n=300, spread=0.5),
    "8 groups of 50": _rates((50,) * 8, 0.5, (0,) * 7 + (0.29,), "groups"),
    "12 intersections, the smallest of 12 rows": _rates(CELLS, 0.3, ONE_CELL, "groups"),
    "600 + 600 rows at the margin 0.1": _fair_and_not(
        "margin", _decisions, {"gaps": (0, MARGIN)}, {"gaps": (0, 0)}, (MARGIN, 0.0),
        sizes=(600, 600), rate=0.5,
    ),
    "scores of 150 + 150 rows": _aucs((150, 150), 1.0, 0.4),
    "scores of 150 + 150 rows, 5 values": _aucs((150, 150), 1.0, 0.35, levels=5),
    "scores, 20 + 8 positives in 400 + 80": _aucs((400, 80), 1.0, -0.15, positive=0.1),
    "scores of 60 + 60 rows, nearly perfect": _aucs((60, 60), 3.0, 1.5),
    "300 labels of 2,000 rows, a judge alike": _judged((0.85, 0.85)),
    "300 labels of 2,000 rows, a judge worse in group 1": _judged((0.9, 0.75)),
    "1,200 pairs of 300 items": _fair_and_not(
        "pairs", _pairs, {"apart": (1.5, 1.5)}, {"apart": (1.5, 0.7)},
        (0.0, _auc(0.7, 0) - _auc(1.5, 0)),
    ),
    "2,000 rows, looked at after every 400": _fair_and_not(
        "looks", _stream, {"gap": 0.0}, {"gap": 0.08}, (0.0, 0.08)
    ),
}  # fmt: skip
