"""Cases of decisions: predictions, decisions beside a reference, attributes, and judges."""

from collections.abc import Iterator, Sequence

import numpy as np

from fairpairs.base.plain_values import Record
from fairpairs.papers.studies.calibration.levels.cases.sample import (
    SIZES,
    Sample,
    build_cases,
    draw_labels,
    format_sizes,
    kinds_of,
    repeat_groups,
)


def binary_predictions(
    rng: np.random.Generator,
    *,
    sizes: Sequence[int],
    prevalence: float,
    tpr: float | Sequence[float],
    fpr: float | Sequence[float],
) -> Sample:
    """Draw labels and predictions; a rate is one number for all groups, or one for each."""
    group = repeat_groups(sizes)
    hit, false = (np.broadcast_to(np.asarray(rate, float), len(sizes)) for rate in (tpr, fpr))
    label = draw_labels(rng, group, prevalence)
    chance = np.where(label == 1, hit[group], false[group])
    score = (rng.random(len(group)) < chance).astype(float)
    kind = kinds_of(np.column_stack([hit, false]))
    return Sample(group, label, score, kind, rates=np.outer(hit, 1 - false))


def _binary_rows() -> Iterator[tuple[str, Record]]:
    """Yield rates from common to rare and perfect, in groups of all sizes; groups of two kinds."""
    rates = (
        (0.5, 0.8, 0.4),
        (0.1, 0.8, 0.1),
        (0.01, 0.5, 0.02),
        (0.5, 0.02, 0.02),
        (0.3, 0.99, 0.01),
        (0.3, 1.0, 0.0),
    )
    for sizes in SIZES:
        for prevalence, tpr, fpr in rates:
            name = f"{format_sizes(sizes)}, prevalence {prevalence:g}, TPR {tpr:g}, FPR {fpr:g}"
            yield name, {"sizes": sizes, "prevalence": prevalence, "tpr": tpr, "fpr": fpr}
    several = (500, 30, 500)
    for three in ((0.95, 0.95, 0.7), (0.7, 0.7, 0.95)):
        name = f"{format_sizes(several)}, TPR {' / '.join(map(str, three))}, FPR 0.1"
        yield name, {"sizes": several, "prevalence": 0.5, "tpr": three, "fpr": 0.1}
    eight = (1000, 500, 300, 200, 100, 60, 40, 30)
    name = f"8 groups ({format_sizes(eight)}), TPR 0.9, FPR 0.1"
    yield name, {"sizes": eight, "prevalence": 0.3, "tpr": 0.9, "fpr": 0.1}
    for two in ((0.9, 0.97), (0.97, 0.9)):
        name = f"1,000 / 100, TPR {two[0]:g} / {two[1]:g}, FPR 0.05"
        yield name, {"sizes": (1000, 100), "prevalence": 0.5, "tpr": two, "fpr": 0.05}


BINARY = build_cases(binary_predictions, _binary_rows())


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


def _bridge_rows() -> Iterator[tuple[str, Record]]:
    """Yield items of two judges: few and many, few and many features, small groups."""
    for n, features, share in ((80, 10, 0.5), (300, 5, 0.5), (300, 60, 0.5), (1000, 5, 0.1)):
        name = f"{n:,} items, {features} features, minority {share:g}"
        yield name, {"n": n, "features": features, "share": share}
    settings = {"n": 1000, "features": 5, "share": 0.1, "group_is_known": True}
    yield "1,000 items, 5 features and the group, minority 0.1", settings


BRIDGES = build_cases(judges, _bridge_rows())
