"""A difference of a group and the reference: a line of a criterion, for items of any design."""

from collections.abc import Callable
from dataclasses import dataclass

from fairpairs.audits.audit.rows import Measure, Row
from fairpairs.mathematics.inference.sampling.gaps import Gap


@dataclass(frozen=True)
class Difference:
    """A measure of one comparison. Nothing is computed before it is asked for."""

    measure: Measure
    #: Returns its row for independent items of equal weight.
    row: Callable[[], Row]
    #: Returns it with the influence of each item: for clusters, weights, and two models.
    gap: Callable[[], Gap]
