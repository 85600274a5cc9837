"""The people of a table: their groups, whether each was selected, and how many a row stands for."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fairpairs.audits.audit.coding import read_roles
from fairpairs.audits.audit.read import file_wording
from fairpairs.audits.audit.values import Values
from fairpairs.audits.counting.opening import frequencies
from fairpairs.audits.counting.rows import Rows
from fairpairs.base.arrays import Integers
from fairpairs.base.columns import MISSING_GROUP, Column
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Record
from fairpairs.base.reading.table import Table
from fairpairs.base.words import words
from fairpairs.mathematics.arguments.read import SamplingNames, read_sample

#: What an attribute holds where a value is unknown, in small letters.
UNKNOWN = (MISSING_GROUP, "unknown")


@dataclass(frozen=True)
class People:
    """People who were selected or not; each row stands for `count` of them."""

    selected: NDArray[np.bool_]
    #: The groups by attribute, and which of their rows are unknown.
    groups: dict[str, Column]
    unknown: dict[str, NDArray[np.bool_]]
    count: Integers
    #: The person, or other cluster, of each row, numbered; None if people are independent.
    cluster: Integers | None
    source: Record
    #: Of a score, its median over all people; None for decisions.
    median: float | None = None


def read_people(
    data: Rows,
    *,
    sensitive: Sequence[str],
    prediction: str | None,
    score: str | None,
    positive: str | None,
    weight: str | None,
    cluster: str | None = None,
    unknown: Collection[str] = (),
) -> People:
    """Read people of a table; InputError unless they have a decision, or a score, and groups."""
    if (prediction is None) == (score is None):
        raise InputError(
            "--prediction, --score: name the column of the decisions, or that of the scores, "
            "of which those above the median count as selected."
        )
    if score is not None and positive is not None:
        raise InputError("--positive is the value of a --prediction: leave it out.")
    attributes = data.named(sensitive, "--sensitive")
    roles = {"prediction": prediction, "score": score, "weight": weight, "cluster": cluster}
    options = data.check_roles(roles, attributes)
    table = data.table(list(options))
    count = np.ones(len(table), dtype=np.int64) if weight is None else frequencies(table, weight)
    if not count.sum():
        raise InputError(f"{data.called}: column `{weight}` sums to 0: give the people's counts.")
    median = None
    if score is not None:
        scores = np.asarray(table.numbers(score, "correct it, or drop the row"))
        median = _median(scores, count)
        selected = scores > median
    else:
        assert prediction is not None
        selected = _decisions(table, prediction, positive, data.called)
    groups = {name: table.coded_with_missing(name) for name in attributes}
    sample = read_sample(
        None if cluster is None else table.coded(cluster),
        None,
        "sampling",
        called=SamplingNames(clusters=f"{data.called}: column `{cluster}`"),
        people=selected,
    )
    # rows of one each are clusters too where a row stands for several
    clusters = None if sample.design is None else sample.design.cluster
    unknown_words = {*UNKNOWN, *(word.lower() for word in unknown)}
    return People(
        selected,
        groups,
        {name: _is_in(column, unknown_words, name) for name, column in groups.items()},
        count,
        np.arange(len(table)) if cluster and clusters is None else clusters,
        {
            "file": Path(data.called).name,
            "sha256": data.digest,
            "notes": [*table.notes.values(), *data.notes],
        },
        median,
    )


def _decisions(table: Table, name: str, positive: str | None, called: str) -> NDArray[np.bool_]:
    """Return whether each decision is the positive one."""
    column = table.coded(name, number=True)
    wording = file_wording(called, name, name)
    if len(Values(column).kinds) > 2 and positive is None:
        raise InputError(
            f"{wording.prediction} has more than two values: name the one that is a selection by "
            "--positive, or, if it is a score, name it by --score."
        )
    roles = read_roles(column, column, None, positive=positive, wording=wording)
    return np.asarray(roles.y_true == 1)


def _median(scores: NDArray[np.float64], count: Integers) -> float:
    """Return the median of scores that stand for as many people as their counts."""
    order = np.argsort(scores, kind="stable")
    ends = np.cumsum(count[order])
    total = int(ends[-1])
    middle = [int(np.searchsorted(ends, k, side="right")) for k in ((total - 1) // 2, total // 2)]
    low, high = scores[order][middle]
    return float(low + (high - low) / 2)


def _is_in(column: Column, some: Collection[str], name: str) -> NDArray[np.bool_]:
    kinds = [text.strip().lower() in some for text in words(column.kinds, f"`{name}`")]
    return np.asarray(column.of_items(np.array(kinds)), dtype=bool)
