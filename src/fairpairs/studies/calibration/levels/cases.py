"""Data on which tests have to keep what they promise: many sizes, rates, tails, groups, attributes.

A case says how a data set comes about and what is true of it: which groups are treated alike, and
the true TPR(a, b) where it is known. So it tells a right rejection from a wrong one, also where
only some of several groups are treated alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from fairpairs.arrays import Floats, Integers
from fairpairs.fairness.ranking_rates import xauc_of_normal_scores

Draw = Callable[[np.random.Generator], "Sample"]

#: Items of the groups: alike, and a small group beside a large one, down to one in a hundred.
SIZES = (
    (10, 10), (30, 30), (500, 500), (5000, 5000), (1000, 10), (1000, 30), (1000, 100), (2970, 30),
    (5000, 50),
)  # fmt: skip
#: Distances of the mean scores of both labels, in standard deviations, and the AUC that they make.
AUC = {0.0: "0.5", 1.0: "0.76", 2.0: "0.92", 3.0: "0.983", 4.0: "0.998"}


@dataclass(frozen=True)
class Sample:
    """One simulated data set; what a case does not have is empty.

    Attributes
    ----------
    group
        Group of each item, shape (n,).
    label, score
        Labels and scores (or predictions), shape (n,).
    kind
        How each of the K groups is treated, shape (K,): those of one kind are treated alike.
    rates
        True TPR(a, b), shape (K, K), where it is known.
    attribute
        Continuous attribute of each item, shape (n,).
    reference
        Other decisions on the same items, shape (n,).
    judgments
        Left item, right item and outcome of each judgment, shape (3, m).
    same_labels
        Whether the labels of all groups are distributed alike.
    """

    group: Integers
    label: Floats
    score: Floats
    kind: Integers
    rates: Floats | None = None
    attribute: Floats = field(default_factory=lambda: np.empty(0))
    reference: Floats = field(default_factory=lambda: np.empty(0))
    judgments: Integers = field(default_factory=lambda: np.empty((3, 0), dtype=np.int64))
    same_labels: bool = True


@dataclass(frozen=True)
class Case:
    """How data sets come about, in words and as a function of a generator."""

    name: str
    draw: Draw


def _groups(sizes: Sequence[int]) -> Integers:
    return np.repeat(np.arange(len(sizes)), sizes)


def _labels(rng: np.random.Generator, group: Integers, prevalence: float) -> Floats:
    return (rng.random(len(group)) < prevalence).astype(float)


def _alike(values: ArrayLike) -> Integers:
    return np.unique(np.asarray(values), axis=0, return_inverse=True)[1].ravel()


def binary_predictions(
    rng: np.random.Generator,
    *,
    sizes: Sequence[int],
    prevalence: float,
    tpr: float | Sequence[float],
    fpr: float | Sequence[float],
) -> Sample:
    """Draw labels, and predictions with the rates of the group (one number: of all groups)."""
    group = _groups(sizes)
    hit, false = (np.broadcast_to(np.asarray(rate, float), len(sizes)) for rate in (tpr, fpr))
    label = _labels(rng, group, prevalence)
    chance = np.where(label == 1, hit[group], false[group])
    score = (rng.random(len(group)) < chance).astype(float)
    kind = _alike(np.column_stack([hit, false]))
    return Sample(group, label, score, kind, rates=np.outer(hit, 1 - false))


def scores(
    rng: np.random.Generator,
    *,
    sizes: Sequence[int],
    prevalence: float = 0.5,
    distance: float | Sequence[float] = 2.0,
    spread: Sequence[float] | None = None,
    shape: str = "normal",
) -> Sample:
    """Draw binary labels, and scores whose mean is higher by the group's distance for label 1.

    `spread` is the standard deviation of the positive items of each group; with a distance of 0
    the chance of a positive item to outscore a negative one is ½ whatever it is. `shape` is
    "normal", "heavy" (Student's t, 2 degrees of freedom), "levels" (rounded to whole numbers, with
    many ties) or "flags" (0 but for 5 % of the positive and 2 % of the negative items).
    """
    group = _groups(sizes)
    k = len(sizes)
    label = _labels(rng, group, prevalence)
    apart = np.broadcast_to(np.asarray(distance, float), k)
    sd = np.ones(k) if spread is None else np.asarray(spread, float)
    kind = _alike(np.column_stack([apart, sd]))
    if shape == "flags":
        chance = np.where(label == 1, 0.05, 0.02)
        return Sample(group, label, (rng.random(len(group)) < chance).astype(float), kind)
    noise = rng.standard_t(2, len(group)) if shape == "heavy" else rng.normal(size=len(group))
    score = apart[group] * label + np.where(label == 1, sd[group], 1) * noise
    if shape != "normal":
        return Sample(group, label, np.round(score) if shape == "levels" else score, kind)
    mean = np.column_stack([np.zeros(k), apart])
    rates = xauc_of_normal_scores(mean, np.column_stack([np.ones(k), sd]))
    if spread is not None and not apart.any():
        kind = np.zeros(k, dtype=np.int64)  # every TPR(a, b) is one half
    return Sample(group, label, score, kind, rates=rates)


def real_labels(
    rng: np.random.Generator,
    *,
    sizes: Sequence[int],
    shift: float = 0.0,
    noise: float = 0.5,
    levels: int | None = None,
    shape: str = "normal",
) -> Sample:
    """Draw labels, each group's higher by `shift` than the last one's, and score = label + noise.

    Separation holds. `levels` cuts the labels into so many values; `shape` is "normal", "heavy"
    (Student's t, 3 degrees of freedom) or "skewed" (lognormal).
    """
    group = _groups(sizes)
    n = len(group)
    shapes = {
        "normal": rng.normal(size=n),
        "heavy": rng.standard_t(3, n),
        "skewed": rng.lognormal(size=n),
    }
    label = shapes[shape] + shift * group
    if levels is not None:
        label = np.searchsorted(ndtri(np.arange(1, levels) / levels), label).astype(float)
    kind = np.zeros(len(sizes), dtype=np.int64)
    score = label + noise * rng.normal(size=n)
    return Sample(group, label, score, kind, same_labels=shift == 0)


def attributes(
    rng: np.random.Generator,
    *,
    n: int,
    shape: str,
    prevalence: float = 0.5,
    growing: bool = False,
    real: bool = False,
) -> Sample:
    """Draw a continuous attribute of which neither the labels nor the scores depend.

    `shape` is "normal", "uniform", "lognormal", "income" (lognormal, standard deviation 1.5 of the
    logarithm), "pareto" (exponent 2), "flag" (1 for a tenth) or "mostly zero" (1 or more for one in
    thirty, as of prior convictions). With `growing` the spread of the
    scores grows with the attribute.
    """
    shapes = {
        "normal": rng.normal(size=n),
        "uniform": rng.random(n),
        "lognormal": rng.lognormal(size=n),
        "income": rng.lognormal(sigma=1.5, size=n),
        "pareto": rng.pareto(2, n) + 1,
        "flag": (rng.random(n) < 0.1).astype(float),
    }
    if shape == "mostly zero":  # drawn only here: the other cases keep their draws
        shapes[shape] = (rng.random(n) < 1 / 30) * rng.geometric(0.5, n).astype(float)
    values = shapes[shape]
    if shape in ("flag", "mostly zero"):
        values[:2] = 0, 1
    group = np.zeros(n, dtype=np.int64)
    label = rng.normal(size=n) if real else _labels(rng, group, prevalence)
    spread = 1 + np.abs(values) if growing else 1.0
    score = label + spread * rng.normal(size=n)
    return Sample(group, label, score, np.zeros(1, dtype=np.int64), None, values, label)


def decisions(
    rng: np.random.Generator,
    *,
    sizes: Sequence[int],
    shape: str = "normal",
    spread: Sequence[float] | None = None,
    rare: float = 0.02,
) -> Sample:
    """Draw decisions and a reference whose differences have the mean 0 in every group.

    `shape` of the differences: "normal", "heavy" (Student's t, 3), "skewed" (lognormal, centred) or
    "rare" (decisions of 0 and 1, of which a share of `rare` differs, either way).
    """
    group = _groups(sizes)
    n = len(group)
    kind = np.zeros(len(sizes), dtype=np.int64)
    if shape == "rare":
        reference = rng.integers(2, size=n).astype(float)
        changed = rng.random(n) < rare
        return Sample(
            group, reference, np.where(changed, 1 - reference, reference), kind,
            reference=reference,
        )  # fmt: skip
    shapes = {
        "normal": rng.normal(size=n),
        "heavy": rng.standard_t(3, n),
        "skewed": rng.lognormal(size=n) - np.exp(0.5),
    }
    sd = np.ones(len(sizes)) if spread is None else np.asarray(spread, float)
    reference = rng.normal(size=n)
    return Sample(
        group, reference, reference + sd[group] * shapes[shape], kind, reference=reference
    )


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

    `design` is "random", "fresh" (no item in two), "anchors" (one item of each judgment is one of
    so few), "zipf" (item i is drawn as often as 1/i) or "repeated" (`anchors` pairs, judged again
    and again); a share of `wrong` are the wrong way round.
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


def judges(
    rng: np.random.Generator, *, n: int, features: int, share: float, group_is_known: bool = False
) -> Sample:
    """Draw features and decisions that depend on them and on the group alike for two judges."""
    group = (rng.random(n) < share).astype(np.int64)
    group[:4], group[4:8] = 0, 1
    x = rng.normal(size=(n, features)) + 0.3 * group[:, None]
    decision = x[:, :5].sum(axis=1) + 0.5 * group + rng.normal(size=n)
    x = np.column_stack([x, group]) if group_is_known else x
    return Sample(group, decision, decision, np.zeros(2, dtype=np.int64), attribute=x)


def _words(sizes: Sequence[int]) -> str:
    return " / ".join(f"{size:,}" for size in sizes)


def _cases(
    draw: Callable[..., Sample], rows: Iterable[tuple[str, dict[str, Any]]]
) -> tuple[Case, ...]:
    return tuple(Case(name, partial(draw, **settings)) for name, settings in rows)


def _binary_rows() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield rates from common to rare and perfect, in groups of all sizes; groups of two kinds."""
    rates = ((0.5, 0.8, 0.4), (0.1, 0.8, 0.1), (0.01, 0.5, 0.02), (0.5, 0.02, 0.02),
             (0.3, 0.99, 0.01), (0.3, 1.0, 0.0))  # fmt: skip
    for sizes in SIZES:
        for prevalence, tpr, fpr in rates:
            name = f"{_words(sizes)}, prevalence {prevalence:g}, TPR {tpr:g}, FPR {fpr:g}"
            yield name, {"sizes": sizes, "prevalence": prevalence, "tpr": tpr, "fpr": fpr}
    several = (500, 30, 500)
    for three in ((0.95, 0.95, 0.7), (0.7, 0.7, 0.95)):
        name = f"{_words(several)}, TPR {' / '.join(map(str, three))}, FPR 0.1"
        yield name, {"sizes": several, "prevalence": 0.5, "tpr": three, "fpr": 0.1}
    eight = (1000, 500, 300, 200, 100, 60, 40, 30)
    yield f"8 groups ({_words(eight)}), TPR 0.9, FPR 0.1", {
        "sizes": eight, "prevalence": 0.3, "tpr": 0.9, "fpr": 0.1,
    }  # fmt: skip
    for two in ((0.9, 0.97), (0.97, 0.9)):
        name = f"1,000 / 100, TPR {two[0]:g} / {two[1]:g}, FPR 0.05"
        yield name, {"sizes": (1000, 100), "prevalence": 0.5, "tpr": two, "fpr": 0.05}


def _score_rows() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield scores of all qualities in groups of all sizes; ties, tails, groups of two kinds."""
    sizes: tuple[int, ...]
    for sizes in SIZES:
        for distance, auc in AUC.items():
            yield f"{_words(sizes)}, AUC {auc}", {"sizes": sizes, "distance": distance}
    for sizes in ((1000, 100), (5000, 500), (5000, 5000)):
        for prevalence in (0.01, 0.1):
            for distance in (2.0, 4.0):
                name = f"{_words(sizes)}, AUC {AUC[distance]}, prevalence {prevalence:g}"
                yield name, {"sizes": sizes, "distance": distance, "prevalence": prevalence}
    for sizes in ((1000, 60), (300, 300)):
        for shape in ("heavy", "levels", "flags"):
            distance = 0.0 if shape == "flags" else 2.0
            yield (
                f"{_words(sizes)}, {shape}",
                {"sizes": sizes, "shape": shape, "distance": distance},
            )
    for spread in (3.0, 1 / 3):
        yield f"2,000 / 200, AUC 0.5, positives spread {spread:.2g}", {
            "sizes": (2000, 200), "distance": 0.0, "spread": (1, spread),
        }  # fmt: skip
    several = (1000, 60, 1000)
    for apart in ((3, 3, 0), (4, 4, 2), (2, 2, 4), (0, 0, 3)):
        words = " / ".join(AUC[d] for d in apart)
        yield f"{_words(several)}, AUC {words}", {"sizes": several, "distance": apart}
    for k, sizes in ((5, (800, 400, 200, 100, 60)), (8, (1000, 500, 300, 200, 100, 60, 60, 60))):
        yield f"{k} groups ({_words(sizes)}), AUC 0.983", {"sizes": sizes, "distance": 3.0}
    for two in ((3, 2), (2, 3), (4, 2), (2, 4)):
        words = " / ".join(AUC[d] for d in two)
        yield f"1,000 / 100, AUC {words}", {"sizes": (1000, 100), "distance": two}


def _real_rows() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield real labels of groups that are shifted, few, many, tied, heavy-tailed or skewed."""
    for sizes in ((50, 50), (500, 500), (950, 50), (970, 30), (2000, 20), (2000, 2000)):
        for shift in (0.0, 0.5, 1.0, 3.0):
            yield f"{_words(sizes)}, shift {shift:g}", {"sizes": sizes, "shift": shift}
    for shape in ("heavy", "skewed"):
        yield f"300 / 100, shift 0.5, {shape}", {"sizes": (300, 100), "shift": 0.5, "shape": shape}
    for levels in (4, 9, 35):
        yield f"300 / 100, shift 0.5, {levels} levels", {
            "sizes": (300, 100), "shift": 0.5, "levels": levels,
        }  # fmt: skip
    for k in (3, 4, 5):
        for shift in (0.5, 1.0):
            yield f"{k} groups of 100, shift {shift:g}", {"sizes": (100,) * k, "shift": shift}
    yield "8 groups of 60, shift 0.25", {"sizes": (60,) * 8, "shift": 0.25}


def _attribute_rows(*, labels: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield attributes from normal to Pareto; where there are labels, rare ones too."""
    for shape in ("normal", "uniform", "lognormal", "income", "pareto", "flag", "mostly zero"):
        for n in (30, 100, 300, 1000):
            yield f"{n:,} items, {shape}", {"n": n, "shape": shape}
    if labels:
        for n, prevalence in ((300, 0.03), (1000, 0.01), (1000, 0.1)):
            for shape in ("normal", "lognormal"):
                name = f"{n:,} items, {shape}, prevalence {prevalence:g}"
                yield name, {"n": n, "shape": shape, "prevalence": prevalence}
    else:
        for shape in ("normal", "lognormal", "pareto"):
            for n in (50, 100, 1000):
                name = f"{n:,} items, {shape}, spread grows"
                yield name, {"n": n, "shape": shape, "growing": True}


def _decision_rows() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield differences of all sizes and spreads, skewed, heavy-tailed and rare ones."""
    sizes: tuple[int, ...]
    for sizes in ((2, 2), (3, 3), (10, 10), (1000, 15), (1000, 29), (1000, 35), (1000, 60)):
        for spread in (1 / 3, 1.0, 3.0):
            name = f"{_words(sizes)}, spread 1 / {spread:.2g}"
            yield name, {"sizes": sizes, "spread": (1, spread)}
    for sizes in ((30, 30), (1000, 15), (3000, 30), (1000, 60), (1000, 200)):
        for shape in ("skewed", "heavy"):
            yield f"{_words(sizes)}, {shape}", {"sizes": sizes, "shape": shape}
    five: tuple[int, ...] = (2000, 500, 100, 60, 40)
    for sizes in ((3, 3), (20, 20), (3000, 50), (3000, 100), (3000, 200), five):
        for rare in (0.02, 0.1):
            yield f"{_words(sizes)}, 0/1, {rare:g} differ", {
                "sizes": sizes, "shape": "rare", "rare": rare,
            }  # fmt: skip
    yield "8 groups of 4, 0/1, 0.1 differ", {"sizes": (4,) * 8, "shape": "rare", "rare": 0.1}
    yield f"{_words(five)}", {"sizes": five}


def _judgment_rows() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield judgments that share items: at random, by Zipf, against few anchors, repeated."""
    base: dict[str, Any] = {"items": 300, "number": 1200}
    yield "300 items, 1,200 at random", base
    yield "1,000 fresh pairs", {"items": 0, "number": 1000, "design": "fresh"}
    for items in (16, 24, 40):
        yield f"{items} items, 600 at random", {"items": items, "number": 600, "share": 0.5}
    yield "40 items, 4,000 at random, minority 0.2", {"items": 40, "number": 4000, "share": 0.2}
    yield "100 items, 5,000 at random, minority 0.2, AUC 0.983", {
        "items": 100, "number": 5000, "share": 0.2, "distance": 3.0,
    }  # fmt: skip
    yield "1,000 items, 4,000 at random, minority 0.05, AUC 0.983", {
        "items": 1000, "number": 4000, "share": 0.05, "distance": 3.0,
    }  # fmt: skip
    yield "1,000 items, 4,000 at random, minority 0.05, AUC 0.998", {
        "items": 1000, "number": 4000, "share": 0.05, "distance": 4.0,
    }  # fmt: skip
    for anchors in (3, 6, 20):
        yield f"1,000 items, 2,000 against {anchors} anchors", {
            "items": 1000, "number": 2000, "design": "anchors", "anchors": anchors, "share": 0.5,
        }  # fmt: skip
    for items, number in ((300, 1500), (1000, 4000)):
        yield f"{items:,} items, {number:,} by Zipf", {
            "items": items, "number": number, "design": "zipf",
        }  # fmt: skip
    for wrong in (0.0, 0.2):
        yield f"60 pairs judged 1,500 times, {wrong:g} wrong", {
            "items": 300, "number": 1500, "design": "repeated", "anchors": 60, "wrong": wrong,
        }  # fmt: skip
    yield "300 items, 1,200 at random, 0.2 wrong", {**base, "wrong": 0.2}
    yield "300 items, 1,200 at random, minority 0.1", {**base, "share": 0.1}
    yield "300 items, 1,200 at random, real needs", {**base, "real": True}


def _bridge_rows() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield items of two judges: few and many, few and many features, small groups."""
    for n, features, share in ((80, 10, 0.5), (300, 5, 0.5), (300, 60, 0.5), (1000, 5, 0.1)):
        name = f"{n:,} items, {features} features, minority {share:g}"
        yield name, {"n": n, "features": features, "share": share}
    yield "1,000 items, 5 features and the group, minority 0.1", {
        "n": 1000, "features": 5, "share": 0.1, "group_is_known": True,
    }  # fmt: skip


BINARY = _cases(binary_predictions, _binary_rows())
SCORES = _cases(scores, _score_rows())
REAL = _cases(real_labels, _real_rows())
ATTRIBUTES = _cases(attributes, _attribute_rows(labels=True))
SLOPES = _cases(attributes, _attribute_rows(labels=False))
DECISIONS = _cases(decisions, _decision_rows())
JUDGMENTS = _cases(judgments, _judgment_rows())
BRIDGES = _cases(judges, _bridge_rows())
