"""Continuous attributes, from normal to Pareto, unrelated to labels and scores."""

from collections.abc import Iterator

import numpy as np

from fairpairs.base.plain_values import Record
from fairpairs.papers.studies.calibration.levels.cases.sample import (
    Sample,
    build_cases,
    draw_labels,
)


def attributes(
    rng: np.random.Generator,
    *,
    n: int,
    shape: str,
    prevalence: float = 0.5,
    growing: bool = False,
    real: bool = False,
) -> Sample:
    """Draw a continuous attribute on which neither labels nor scores depend.

    `shape` is "normal", "uniform", "lognormal", "income" (lognormal, standard deviation 1.5 of the
    logarithm), "pareto" (exponent 2), "flag" (1 for a tenth) or "mostly zero" (1 or more for one in
    thirty, as of prior convictions). With `growing`, the spread of the scores grows with the
    attribute.
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
    label = rng.normal(size=n) if real else draw_labels(rng, group, prevalence)
    spread = 1 + np.abs(values) if growing else 1.0
    score = label + spread * rng.normal(size=n)
    return Sample(group, label, score, np.zeros(1, dtype=np.int64), None, values, label)


def _attribute_rows(*, labels: bool) -> Iterator[tuple[str, Record]]:
    """Yield attributes from normal to Pareto; with binary labels, rare ones too."""
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


ATTRIBUTES = build_cases(attributes, _attribute_rows(labels=True))


SLOPES = build_cases(attributes, _attribute_rows(labels=False))
