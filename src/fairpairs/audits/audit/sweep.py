"""The gaps in TPR and FPR over the thresholds of a score, whichever of them makes decisions."""

import math

import numpy as np
import pandas as pd

from fairpairs.audits.audit.attribute_items import AttributeItems
from fairpairs.base.arrays import Floats
from fairpairs.mathematics.inference.threshold_gaps import threshold_gaps

COLUMNS = (
    "attribute", "group", "reference", "measure", "threshold", "estimate", "ci_low", "ci_high",
)  # fmt: skip
#: Scores of each group and label that are taken as thresholds.
MOST = 30


def swept(items: AttributeItems) -> pd.DataFrame:
    """Return the gaps of each group and the reference in TPR and FPR at scores that both have.

    The bands cover both rates at all thresholds at once. No rows without a score, for items with
    clusters or weights, and for groups without items of a label.
    """
    roles, attribute = items.roles, items.attribute
    names: list[tuple[str, ...]] = []
    gaps: list[Floats] = []
    if roles.score is not None and items.design is None:
        alpha = 1 - math.sqrt(1 - items.alpha)  # the rates are of different items
        reference = _sorted_scores(items, attribute.reference)
        for code in attribute.others:
            group = _sorted_scores(items, code)
            if not all(map(len, (*group, *reference))):
                continue
            thresholds = np.unique(np.concatenate([_some(part) for part in (*group, *reference)]))
            for label, measure in ((1, "TPR"), (0, "FPR")):
                band = threshold_gaps(group[label], reference[label], thresholds, alpha)
                gaps.append(np.stack([thresholds, *band]))
                groups = attribute.names[code], attribute.names[attribute.reference]
                names += [(attribute.name, *groups, measure)] * len(thresholds)
    if not names:
        return pd.DataFrame(columns=list(COLUMNS))
    columns = (*zip(*names, strict=True), *np.concatenate(gaps, axis=1))
    return pd.DataFrame(dict(zip(COLUMNS, columns, strict=True)))


def _sorted_scores(items: AttributeItems, code: int) -> tuple[Floats, Floats]:
    """Return the scores of a group, of items with the label 0 and 1."""
    score, inside = items.roles.score, items.attribute.group == code
    assert score is not None
    both = [np.sort(score[inside & (items.roles.y_true == label)]) for label in (0, 1)]
    return both[0], both[1]


def _some(scores: Floats) -> Floats:
    """Return the scores, or as many of them as are taken, at equal steps."""
    if len(scores) <= MOST:
        return scores
    return scores[np.linspace(0, len(scores) - 1, MOST).round().astype(np.int64)]
