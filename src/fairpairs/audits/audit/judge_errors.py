"""How cheap labels err in each group, by the human labels, and what they are worth."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fairpairs.audits.criteria.comparison import Comparison
from fairpairs.audits.criteria.rows import Row
from fairpairs.audits.items.attribute_items import AttributeItems
from fairpairs.base.arrays import Floats
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.inference.sampling.gaps import alone
from fairpairs.mathematics.inference.sampling.linear import mean
from fairpairs.mathematics.inference.sampling.two_phases import FEWEST_OF_CLASS

#: Measure → what it is of a cheap label of two values, and of a number.
MEASURES = {
    "judge's TPR": "cheap label positive, where the human one is",
    "judge's FPR": "cheap label positive, where the human one is not",
    "judge's mean error": "mean of cheap label less human label",
    "judge's mean absolute error": "mean distance of both",
}
ALONE = f"of the human labels alone, since a class has fewer than {FEWEST_OF_CLASS}"


def of_few_labels(
    rows: Sequence[Row], rows_of: Callable[[Comparison], Iterable[Row]], alone: Comparison
) -> list[Row]:
    """Return the rows of a criterion, of human labels `alone` where they are very few.

    The choice depends on numbers of human labels only, by which the exact tests are conditional.
    """
    few = {
        row.measure
        for row in rows
        if 0 < row.smallest_cell < FEWEST_OF_CLASS and np.isfinite(row.worth)
    }
    if not few:
        return list(rows)
    human = {row.measure: row for row in rows_of(alone)}
    return [
        replace(human[row.measure], note="; ".join(filter(None, [human[row.measure].note, ALONE])))
        if row.measure in few
        else row
        for row in rows
    ]


def about_few_labels(items: Sequence[AttributeItems]) -> Record:
    """Return the entry on human labels, and how the judge errs."""
    return {
        "human": len(items[0].roles.y_true),
        "groups": {
            one.attribute.name: dict(
                zip(one.attribute.names, one.attribute.sizes.tolist(), strict=True)
            )
            for one in items
        },
        "errors": [row for one in items for row in _errors(one)],
    }


def _errors(items: AttributeItems) -> Iterator[Record]:
    """Yield a row for each measure of each group."""
    attribute, design = items.attribute, items.design
    for code, group in enumerate(attribute.names):
        for measure, values, among in _values(items):
            inside = (attribute.group == code) & among
            estimate = mean(values, inside, np.where(inside, 0, -1), design)
            n, rate = int(inside.sum()), items.roles.label == "binary"
            contrast = alone(estimate, design, rate=rate) if n else None
            low, high = (None, None) if contrast is None else contrast.limits(items.settings.alpha)
            yield {
                "attribute": attribute.name,
                "group": group,
                "measure": measure,
                "estimate": estimate.estimate if n else None,
                "ci_low": low,
                "ci_high": high,
                "n": n,
            }


def _values(items: AttributeItems) -> Iterator[tuple[str, Floats, NDArray[np.bool_]]]:
    """Yield each measure with its values, and the items that it is of."""
    names = list(MEASURES)
    cheap, human = items.cheap, items.roles.y_true
    assert cheap is not None
    if items.roles.label == "binary":
        yield names[0], cheap, human == 1
        yield names[1], cheap, human == 0
        return
    everywhere = np.ones(len(human), dtype=bool)
    yield names[2], cheap - human, everywhere
    yield names[3], np.abs(cheap - human), everywhere
