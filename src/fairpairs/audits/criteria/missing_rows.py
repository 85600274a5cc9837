"""Groups that have no row of a label, or of a prediction, so that a rate of theirs is unknown."""

from collections.abc import Mapping, Sequence

import numpy as np

from fairpairs.audits.criteria.rows import AMONG, Measure
from fairpairs.audits.items.attribute_items import AttributeItems
from fairpairs.audits.lines.about import LABELS
from fairpairs.audits.lines.words import called
from fairpairs.base.plain_values import TableRow
from fairpairs.mathematics.inference.sampling.estimates import FEW_CLUSTERS

#: What a group may have no row of, by the column and its value.
KINDS = {
    ("y_true", 1): "positive label",
    ("y_true", 0): "negative label",
    ("y_pred", 1): "positive prediction",
    ("y_pred", 0): "negative prediction",
}


def missing_rows(items: Sequence[AttributeItems]) -> dict[str, dict[str, list[str]]]:
    """Return what groups have no row of, by attribute and group."""
    missing: dict[str, dict[str, list[str]]] = {}
    for one in items:
        if one.roles.label != "binary":
            return {}
        sizes = {("y_true", value): one.labels[:, value] for value in (0, 1)}
        if one.roles.prediction == "binary":
            decided = one.counts.sum(axis=1)
            sizes |= {("y_pred", value): decided[:, value] for value in (0, 1)}
        for code, name in enumerate(one.attribute.names):
            kinds = [
                text for kind, text in KINDS.items() if kind in sizes and not sizes[kind][code]
            ]
            if kinds:
                missing.setdefault(one.attribute.name, {})[name] = kinds
    return missing


def lacks(
    measure: Measure,
    row: TableRow,
    missing: Mapping[str, Sequence[str]],
    names: Mapping[str, str],
) -> list[str]:
    """Return why a line has no test, by what its groups have no row of (see `missing_rows`).

    `names` are those of the columns, and `positive` the value.
    """
    if row["note"].startswith(FEW_CLUSTERS):
        return [f"{row['attribute']} has {FEW_CLUSTERS}"]
    if not np.isnan(row["estimate"]):
        return []
    needs = LABELS
    if measure.rate is not None:
        needs = [KINDS[AMONG[measure.rate.of]]] if measure.rate.of in AMONG else []
    texts = []
    for group in (row["group"], row["reference"]):
        for kind in missing.get(group, ()):
            if kind in needs:
                value, _, role = kind.partition(" ")
                which = "no row" if value == "positive" else "every row"
                name = called(row["attribute"], group)
                texts.append(f"{which} of {name} has {names[role]} {names['positive']}")
    return texts
