"""Decisions and a reference whose differences have mean 0 in every group."""

from collections.abc import Iterator, Sequence

import numpy as np

from fairpairs.base.plain_values import Record
from fairpairs.papers.studies.calibration.levels.cases.sample import (
    Sample,
    build_cases,
    format_sizes,
    repeat_groups,
)


def decisions(
    rng: np.random.Generator,
    *,
    sizes: Sequence[int],
    shape: str = "normal",
    spread: Sequence[float] | None = None,
    rare: float = 0.02,
) -> Sample:
    """Draw decisions and a reference whose differences have mean 0 in every group.

    `shape` of the differences: "normal", "heavy" (Student's t, 3), "skewed" (lognormal, centred) or
    "rare" (decisions of 0 and 1, of which a share of `rare` differs, either way).
    """
    group = repeat_groups(sizes)
    n = len(group)
    kind = np.zeros(len(sizes), dtype=np.int64)
    if shape == "rare":
        reference = rng.integers(2, size=n).astype(float)
        changed = rng.random(n) < rare
        decided = np.where(changed, 1 - reference, reference)
        return Sample(group, reference, decided, kind, reference=reference)
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


def _decision_rows() -> Iterator[tuple[str, Record]]:
    """Yield differences of all sizes and spreads, skewed, heavy-tailed and rare ones."""
    sizes: tuple[int, ...]
    for sizes in ((2, 2), (3, 3), (10, 10), (1000, 15), (1000, 29), (1000, 35), (1000, 60)):
        for spread in (1 / 3, 1.0, 3.0):
            name = f"{format_sizes(sizes)}, spread 1 / {spread:.2g}"
            yield name, {"sizes": sizes, "spread": (1, spread)}
    for sizes in ((30, 30), (1000, 15), (3000, 30), (1000, 60), (1000, 200)):
        for shape in ("skewed", "heavy"):
            yield f"{format_sizes(sizes)}, {shape}", {"sizes": sizes, "shape": shape}
    five: tuple[int, ...] = (2000, 500, 100, 60, 40)
    for sizes in ((3, 3), (20, 20), (3000, 50), (3000, 100), (3000, 200), five):
        for rare in (0.02, 0.1):
            name = f"{format_sizes(sizes)}, 0/1, {rare:g} differ"
            yield name, {"sizes": sizes, "shape": "rare", "rare": rare}
    yield "8 groups of 4, 0/1, 0.1 differ", {"sizes": (4,) * 8, "shape": "rare", "rare": 0.1}
    yield f"{format_sizes(five)}", {"sizes": five}


DECISIONS = build_cases(decisions, _decision_rows())
