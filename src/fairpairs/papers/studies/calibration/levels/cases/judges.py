"""Decisions of two judges on different items, given features, for bridges."""

from collections.abc import Iterator

import numpy as np

from fairpairs.base.plain_values import Record
from fairpairs.papers.studies.calibration.levels.cases.sample import Sample, build_cases


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
