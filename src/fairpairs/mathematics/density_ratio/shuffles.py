"""Shuffles of groups among items, or whole clusters, that are alike in label or prediction."""

from collections.abc import Iterator

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.balance import label_strata
from fairpairs.mathematics.inference.conditional_shuffles import shuffles_within
from fairpairs.mathematics.inference.permutation import CHUNK, unit_shuffles
from fairpairs.mathematics.inference.sampling.units import shuffled_units


def shuffled_groups(
    group: Integers,
    given: Floats,
    size: int,
    rng: np.random.Generator,
    cluster: Integers | None = None,
) -> Iterator[tuple[slice, Integers]]:
    """Yield which shuffles, and their groups, shuffled among items alike in what is given."""
    at_once = max(1, CHUNK // len(group))
    if cluster is None:
        shuffle = shuffles_within(group, label_strata(given), rng, labels=given)
    else:
        units = shuffled_units(group, label_strata(given), cluster, given)
        shuffle = unit_shuffles(group, units, rng, shuffles_within)
    for done in range(0, size, at_once):
        rows = slice(done, min(done + at_once, size))
        yield rows, shuffle(rows.stop - done)
