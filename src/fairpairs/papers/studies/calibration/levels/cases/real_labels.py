"""Scores of real labels that differ between groups: shifted, tied, heavy-tailed or skewed."""

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.special import ndtri

from fairpairs.base.plain_values import Record
from fairpairs.papers.studies.calibration.levels.cases.sample import (
    Sample,
    build_cases,
    format_sizes,
    repeat_groups,
)


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
