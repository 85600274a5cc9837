"""Binary predictions: rates from common to rare and perfect, groups of all sizes."""

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
