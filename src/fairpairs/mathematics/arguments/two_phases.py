"""Items of which all have a cheap label and some, drawn by known chances, a human one.

In each cell (group, decision, cheap label) the labelled items stand for all (post-stratification),
so each has the weight of its cell over that of the labelled ones. Cells with few labels are joined.

References: A. Tenenbein (1970), A double sampling scheme for estimating from binomial data with
misclassifications; C.-E. Särndal, B. Swensson and J. Wretman (1992), *Model Assisted Survey
Sampling*, sections 7.6 and 9.7.
"""

from collections.abc import Sequence

import numpy as np

from fairpairs.base.arrays import Floats, Integers, without_gaps
from fairpairs.mathematics.arguments.design import Phases, SamplingDesign

#: A cell with fewer human labels is joined to the next one.
FEWEST = 4
#: Human labels of each stratum of a number, and the most strata of a cell.
LABELS_PER_STRATUM, MOST_STRATA = 12, 8


def label_cells(
    group: Integers, labelled: Integers, splits: Sequence[Integers], number: Floats | None = None
) -> Integers:
    """Return the cell of each item: its group, split by codes 0 and 1, then by a number.

    A cell is split where each part that has items has `FEWEST` labelled ones. All have shape (N,);
    `labelled` has the positions of the labelled items.
    """
    cell, _ = without_gaps(group)
    for part in splits:
        n_cells = int(cell.max()) + 1
        code = 2 * cell + part
        items, labels = (
            np.bincount(kept, minlength=2 * n_cells).reshape(-1, 2)
            for kept in (code, code[labelled])
        )
        enough = ((labels >= FEWEST) | (items == 0)).all(axis=1)
        cell, _ = without_gaps(2 * cell + part * enough[cell])
    return cell if number is None else _split_by_number(cell, labelled, number)


def _split_by_number(cell: Integers, labelled: Integers, number: Floats) -> Integers:
    """Split cells into strata of a number that have equally many labelled items."""
    strata = np.zeros(len(cell), dtype=np.int64)
    drawn, numbers = cell[labelled], number[labelled]
    for code in range(int(cell.max()) + 1):
        values = np.sort(numbers[drawn == code])
        n_strata = min(len(values) // LABELS_PER_STRATUM, MOST_STRATA)
        if n_strata > 1:
            ends = np.unique(values[np.arange(1, n_strata) * len(values) // n_strata])
            inside = np.flatnonzero(cell == code)
            # all have labelled items, for an end is one of their numbers
            strata[inside] = np.searchsorted(ends[ends > values[0]], number[inside], "right")
    cell, _ = without_gaps(cell * MOST_STRATA + strata)
    return cell


def two_phase_design(
    cell: Integers,
    kind: Integers,
    labelled: Integers,
    chance: Floats,
    *,
    label: Integers | None = None,
    design: SamplingDesign | None = None,
) -> SamplingDesign:
    """Return the design of the labelled items, whose weights stand for all items.

    `cell` and `kind` are of all items, shape (N,), as is their `design`. Of the `labelled` ones, at
    these positions, are the `chance` to get a human label and the human `label`, shape (n,).
    """
    design = SamplingDesign(len(cell)) if design is None else design
    first, k = design.weights, int(cell.max()) + 1
    drawn = cell[labelled]
    total = np.bincount(cell, first, minlength=k)
    weight = first[labelled] / chance
    among = np.bincount(drawn, weight, minlength=k)
    with np.errstate(invalid="ignore", divide="ignore"):
        weight = weight * np.where(among > 0, total / among, 0.0)[drawn]
    squares = np.bincount(cell, first**2, minlength=k)
    shared, units = None, design.n_clusters
    if design.cluster is not None:
        both, index = np.unique(design.cluster * k + cell, return_inverse=True)
        shared = both // k, both % k, np.bincount(index, first).astype(float)
    return SamplingDesign(
        len(labelled),
        None if design.cluster is None else design.cluster[labelled],
        weight,
        "sampling",
        Phases(
            drawn,
            kind[labelled],
            label,
            first[labelled],
            np.bincount(cell, minlength=k),
            total.astype(float),
            squares.astype(float),
            shared,
            units,
        ),
    )
