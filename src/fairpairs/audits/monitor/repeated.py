"""Notes on ids that repeat within a batch: its rows, or judgments, may not be independent."""

import re
from collections.abc import Collection

import numpy as np
import pandas as pd

from fairpairs.audits.audit.repeated_ids import looks_like_an_id, rows_of_a_person
from fairpairs.audits.monitor.batches import Batch

#: What names the side at the start or the end of a column of judgments.
SIDE = re.compile(
    r"^(a|b|left|right|first|second|chosen|rejected)_|"
    r"_(a|b|1|2|left|right|first|second|chosen|rejected)$"
)


def repeated_rows(batch: Batch, named: Collection[str]) -> list[str]:
    """Return a note for the first column without a role whose values look like ids that repeat."""
    for name in batch.columns:
        if name in named or not looks_like_an_id(name):
            continue
        block = next(batch.blocks([name]))
        rows = rows_of_a_person(block.sizes(name))
        if rows is not None:
            return [
                f"{batch.called}: column `{name}` repeats, {rows:.1f} rows to a value on average: "
                "rows must be independent, so name it by --cluster, or append one row of each."
            ]
    return []


def repeated_items(batch: Batch) -> list[str]:
    """Return a note where the ids of both sides of judgments repeat."""
    sides: dict[str, list[str]] = {}
    for name in batch.columns:
        stem = SIDE.sub("", name)
        if stem != name and (looks_like_an_id(stem) or stem == "item"):
            sides.setdefault(stem, []).append(name)
    for stem, names in sides.items():
        block = batch.whole()
        values = pd.concat([block.words(name).astype(str) for name in names], ignore_index=True)
        repeated = int(np.sum(values.duplicated()))
        if repeated:
            return [
                f"{batch.called}: {repeated:,} of the items of `{stem}` were judged before in this "
                "batch: each judgment must be of items that no other is of."
            ]
    return []
