"""The strata of an audit: combinations of columns that are controlled for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fairpairs.audits.audit.groups import Attribute
from fairpairs.audits.audit.messages import Wording
from fairpairs.audits.audit.roles import Roles
from fairpairs.audits.audit.values import Values
from fairpairs.base.arrays import MOST_COUNTED, Floats, Integers, first_rows, without_gaps
from fairpairs.base.columns import Column, column_with_missing
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Record
from fairpairs.base.texts import listed
from fairpairs.base.words import words
from fairpairs.mathematics.inference.sampling.controlled import informative

#: Numbers of more different values are put into bins of about as many items each.
MOST_VALUES, BINS = 20, 5
#: Why a criterion is not tested with a control.
NOT_CONTROLLED = "it has no form within strata, which a control asks for"


@dataclass(frozen=True, eq=False)
class Strata:
    """The stratum of each item, by the columns that are controlled for."""

    #: 0 to `count` − 1, shape (n,).
    code: Integers
    count: int
    #: Column → its values, or the bins of its numbers.
    values: dict[str, list[str]]
    #: How many equal items each one stands for, shape (n,); None for one each.
    items: Floats | None = None
    #: Whether a group is compared with everyone else, not with the reference.
    everyone: bool = False

    def take(self, rows: Integers) -> Strata:
        """Return the strata of some items, which may be repeated."""
        return Strata(self.code[rows], self.count, self.values)

    def about(self, attributes: list[Attribute]) -> Record:
        """Return what was controlled for, for `about` of an audit."""
        return {
            "columns": self.values,
            "strata": self.count,
            "left_out": {one.name: self._left_out(one) for one in attributes},
        }

    def _left_out(self, attribute: Attribute) -> int:
        """Return how many items are in strata that have no two groups to compare."""
        used = self._compared(attribute)
        return int((~used).sum() if self.items is None else self.items[~used].sum())

    def _compared(self, attribute: Attribute) -> NDArray[np.bool_]:
        """Return which items are in a stratum with a group to compare with, shape (n,)."""
        if self.everyone:
            names = len(attribute.names)
            joint = self.code * names + attribute.group
            few = self.count * names < MOST_COUNTED
            kinds = np.flatnonzero(np.bincount(joint)) if few else pd.unique(joint)
            groups = np.bincount(kinds // names, minlength=self.count)
            return np.asarray(groups > 1)[self.code]
        used = np.zeros(len(self.code), dtype=bool)
        for code, other in [*attribute.pairs, *attribute.further_pairs]:
            member = members(attribute, code, other)
            used |= (member >= 0) & informative(member, self.code)[self.code]
        return used

    def check(self, attributes: Sequence[Attribute], wording: Wording) -> None:
        """Raise if, of an attribute, no stratum has two groups that are compared."""
        for attribute in attributes:
            if not self._compared(attribute).any():
                names = listed(f"`{name}`" for name in self.values)
                raise InputError(
                    f"{wording.option('control')}: {names} determines the group of "
                    f"`{attribute.name}`, for no stratum has two groups: control for less, or "
                    "drop the attribute."
                )


def note_on_strata(columns: Mapping[str, Sequence[str]]) -> str:
    """Return what the strata are, by the values of columns; rates of groups are over all rows."""
    names = "; ".join(f"{name}: {listed(values)}" for name, values in columns.items())
    return (
        "Differences are those within strata, put together by Mantel–Haenszel weights; the rates "
        f"of groups are over all rows. Controlled for are {names}."
    )


def counted_decisions(
    models: Sequence[Roles], attributes: Sequence[Attribute], strata: Strata
) -> tuple[list[Roles], list[Attribute], Strata]:
    """Return one item for all that are alike, of binary labels and predictions without a score.

    `models` have the predictions of one model, or of several, for the same items.
    """
    code, number = strata.code, strata.count
    for roles in models:
        code, number = without_gaps(4 * code + roles.cell)
    for attribute in attributes:
        code, number = without_gaps(code * len(attribute.names) + attribute.group)
    count, first = np.bincount(code), first_rows(code, number)
    return (
        [roles.take(first) for roles in models],
        [replace(one, group=one.group[first], counted=one.sizes) for one in attributes],
        replace(strata.take(first), items=count.astype(float)),
    )


def members(attribute: Attribute, code: int, other: int | None = None) -> Integers:
    """Return 1 for items of a group, 0 for those of another or the reference, −1 for the rest."""
    other = attribute.reference if other is None else other
    group, reference = attribute.group == code, attribute.group == other
    return np.where(group, 1, np.where(reference, 0, -1)).astype(np.int8)


def read_strata(
    control: Mapping[str, ArrayLike | Column], n: int, wording: Wording
) -> Strata | None:
    """Return the strata of columns, None without any; a missing value is a value of its own.

    Raises InputError for another length, and for a column with one value.
    """
    if not control:
        return None
    code, values = np.zeros(n, dtype=np.int64), {}
    for name, given in control.items():
        role = wording.control(name)
        one = column_with_missing(given, role)
        if len(one) != n:
            raise InputError(f"{role} has {len(one):,} rows, and the label {n:,}: give as many.")
        kind, names = _kinds(one, role)
        if len(names) == 1:
            raise InputError(
                f"{role} is {names[0]} in every row: there is nothing to control for, so leave it "
                "out."
            )
        code, count = without_gaps(code * len(names) + kind)
        values[name] = names
    return Strata(code, count, values)


def _kinds(column: Column, role: str) -> tuple[Integers, list[str]]:
    """Return the value, or the bin, of each item, and their names."""
    values = Values(column)
    numbers = values.numbers
    if numbers is not None and len(values.kinds) > MOST_VALUES:
        return _bins(values.of_items.astype(float))
    code, kinds = pd.factorize(column.kinds) if column.code is None else (column.code, column.kinds)
    texts = np.array(words(np.asarray(kinds), role), dtype=str)
    names, position = np.unique(texts, return_inverse=True)
    kind = position.reshape(-1)[code]
    used = np.flatnonzero(np.bincount(kind, minlength=len(names)))
    return without_gaps(kind)[0], names[used].tolist()


def _bins(numbers: Floats) -> tuple[Integers, list[str]]:
    """Return the bin of each number, of about as many items each, and what lies in it."""
    ends = np.unique(np.quantile(numbers, np.arange(1, BINS) / BINS))
    kinds, kind = np.unique(np.searchsorted(ends, numbers, side="left"), return_inverse=True)
    kind = kind.reshape(-1)
    names = [
        f"{numbers[kind == code].min():g} to {numbers[kind == code].max():g}"
        for code in range(len(kinds))
    ]
    return kind, names
