"""Scores of binary and of real labels: all qualities, ties, heavy tails, groups of all sizes."""

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.special import ndtri

from fairpairs.base.plain_values import Record
from fairpairs.papers.experiments.normal_scores import xauc_of_normal_scores
from fairpairs.papers.studies.calibration.levels.cases.sample import (
    SIZES,
    Sample,
    build_cases,
    draw_labels,
    format_sizes,
    kinds_of,
    repeat_groups,
)

#: Distance of the mean scores of both labels, in standard deviations → the AUC that it makes.
AUC = {0.0: "0.5", 1.0: "0.76", 2.0: "0.92", 3.0: "0.983", 4.0: "0.998"}


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

    `spread` is the standard deviation of the positive items of each group; with a distance of 0, a
    positive item outscores a negative one with probability ½ for every spread. `shape` is "normal",
    "heavy" (Student's t, 2 degrees of freedom), "levels" (rounded to whole numbers, with many ties)
    or "flags" (0 but for 5 % of the positive and 2 % of the negative items).
    """
    group = repeat_groups(sizes)
    k = len(sizes)
    label = draw_labels(rng, group, prevalence)
    apart = np.broadcast_to(np.asarray(distance, float), k)
    sd = np.ones(k) if spread is None else np.asarray(spread, float)
    kind = kinds_of(np.column_stack([apart, sd]))
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


def _score_rows() -> Iterator[tuple[str, Record]]:
    """Yield scores of all qualities in groups of all sizes; ties, tails, groups of two kinds."""
    sizes: tuple[int, ...]
    for sizes in SIZES:
        for distance, auc in AUC.items():
            yield f"{format_sizes(sizes)}, AUC {auc}", {"sizes": sizes, "distance": distance}
    for sizes in ((1000, 100), (5000, 500), (5000, 5000)):
        for prevalence in (0.01, 0.1):
            for distance in (2.0, 4.0):
                name = f"{format_sizes(sizes)}, AUC {AUC[distance]}, prevalence {prevalence:g}"
                yield name, {"sizes": sizes, "distance": distance, "prevalence": prevalence}
    for sizes in ((1000, 60), (300, 300)):
        for shape in ("heavy", "levels", "flags"):
            distance = 0.0 if shape == "flags" else 2.0
            yield (
                f"{format_sizes(sizes)}, {shape}",
                {"sizes": sizes, "shape": shape, "distance": distance},
            )
    for spread in (3.0, 1 / 3):
        name = f"2,000 / 200, AUC 0.5, positives spread {spread:.2g}"
        yield name, {"sizes": (2000, 200), "distance": 0.0, "spread": (1, spread)}
    several = (1000, 60, 1000)
    for apart in ((3, 3, 0), (4, 4, 2), (2, 2, 4), (0, 0, 3)):
        words = " / ".join(AUC[d] for d in apart)
        yield f"{format_sizes(several)}, AUC {words}", {"sizes": several, "distance": apart}
    for k, sizes in ((5, (800, 400, 200, 100, 60)), (8, (1000, 500, 300, 200, 100, 60, 60, 60))):
        yield f"{k} groups ({format_sizes(sizes)}), AUC 0.983", {"sizes": sizes, "distance": 3.0}
    for two in ((3, 2), (2, 3), (4, 2), (2, 4)):
        words = " / ".join(AUC[d] for d in two)
        yield f"1,000 / 100, AUC {words}", {"sizes": (1000, 100), "distance": two}


SCORES = build_cases(scores, _score_rows())


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

    Separation holds. Labels are cut into `levels` values, if given; `shape` is "normal", "heavy"
    (Student's t, 3 degrees of freedom) or "skewed" (lognormal).
    """
    group = repeat_groups(sizes)
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


def _real_rows() -> Iterator[tuple[str, Record]]:
    """Yield real labels of groups that are shifted, few, many, tied, heavy-tailed or skewed."""
    for sizes in ((50, 50), (500, 500), (950, 50), (970, 30), (2000, 20), (2000, 2000)):
        for shift in (0.0, 0.5, 1.0, 3.0):
            yield f"{format_sizes(sizes)}, shift {shift:g}", {"sizes": sizes, "shift": shift}
    for shape in ("heavy", "skewed"):
        yield f"300 / 100, shift 0.5, {shape}", {"sizes": (300, 100), "shift": 0.5, "shape": shape}
    for levels in (4, 9, 35):
        name = f"300 / 100, shift 0.5, {levels} levels"
        yield name, {"sizes": (300, 100), "shift": 0.5, "levels": levels}
    for k in (3, 4, 5):
        for shift in (0.5, 1.0):
            yield f"{k} groups of 100, shift {shift:g}", {"sizes": (100,) * k, "shift": shift}
    yield "8 groups of 60, shift 0.25", {"sizes": (60,) * 8, "shift": 0.25}


REAL = build_cases(real_labels, _real_rows())
