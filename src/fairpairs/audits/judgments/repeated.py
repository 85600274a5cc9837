"""Pairs that several rows judge, seen by their scores and groups where nothing names the items."""

from dataclasses import replace

import numpy as np
import pandas as pd

from fairpairs.audits.judgments.judged import Judgments

#: So many times as many equal rows as chance makes, and at least so many, are of the same pairs.
TIMES, LEAST = 20, 5


def with_repeated_pairs(judged: Judgments) -> Judgments:
    """Return judgments whose rows of one pair are a cluster, if pairs recur and nothing names them.

    Rows with the same scores and groups of both sides, in either order, are of one pair if there
    are far more of them than if both sides were drawn apart. Few different scores make equal rows
    of other pairs too, which chance explains.
    """
    once = np.bincount(np.concatenate([judged.left, judged.right])).max() == 1
    named = judged.cluster is not None or judged.item_cluster is not None or judged.versions
    if not once or named or not judged.scores:
        return judged
    kind = judged.items.groupby(list(judged.items), observed=True, sort=False).ngroup().to_numpy()
    sides = np.sort(np.column_stack([kind[judged.left], kind[judged.right]]), axis=1)
    pairs, pair, rows = np.unique(sides, axis=0, return_inverse=True, return_counts=True)
    n = len(sides)
    equal = float((rows * (rows - 1) / 2).sum())
    share = np.bincount(sides.reshape(-1)) / (2 * n)
    if equal < LEAST or equal < TIMES * n * (n - 1) * float((share**2).sum()) ** 2:
        return judged
    names = pd.Index([f"pair {i + 1}" for i in range(len(pairs))])
    judged.tables[0].notes["pairs"] = (
        f"{n:,} rows judge {len(pairs):,} pairs, by the scores and groups of both sides: rows of "
        "one pair are taken for related. Name the pairs by --cluster, or the items by --left and "
        "--right, if that is not so."
    )
    cluster = pd.Series(pd.Categorical.from_codes(pair.reshape(-1), names))
    return replace(judged, cluster=cluster)
