"""The strata within which groups are compared: values of columns that are controlled for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fairpairs.audits.items.groups import Attribute
from fairpairs.audits.items.messages import Wording
from fairpairs.audits.items.roles import as_numbers
from fairpairs.base.arrays import MOST_COUNTED, Array, Floats, Integers, without_gaps
from fairpairs.base.columns import MISSING_GROUP, Column, column_with_missing
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Record
from fairpairs.base.texts import listed
from fairpairs.base.words import has_leading_zero, words
from fairpairs.mathematics.inference.sampling.controlled import informative

#: Amounts of more different values are put into bins of about as many items each.
MOST_VALUES, BINS = 20, 5
#: Whole numbers are amounts with fewer rows a value on average, and codes from so many on.
FEW_ROWS, CODE_ROWS = 2, 5
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
    #: What to check in the input: the bins of amounts.
    binned: Sequence[str] = ()

    def take(self, rows: Integers) -> Strata:
        """Return the strata of some items, which may be repeated."""
        return Strata(self.code[rows], self.count, self.values, binned=self.binned)

    def about(self, attributes: list[Attribute]) -> Record:
        """Return what was controlled for, for `about` of an audit."""
        return {
            "columns": self.values,
            "strata": self.count,
            "left_out": {one.name: self._left_out(one) for one in attributes},
        }

    def checks(self, attributes: Sequence[Attribute]) -> list[str]:
        """Return what to check in the input: bins of amounts, and strata that hardly compare."""
        texts = list(self.binned)
        rows = len(self.code) if self.items is None else int(self.items.sum())
        names = listed(f"`{name}`" for name in self.values)
        for attribute in attributes:
            if (left := self._left_out(attribute)) > rows / 2:
                texts.append(
                    f"{left:,} of {rows:,} rows are left out, for their combinations of {names} "
                    f"have one group of `{attribute.name}` only: join values of {names}."
                )
        return texts

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


def members(attribute: Attribute, code: int, other: int | None = None) -> Integers:
    """Return 1 for items of a group, 0 for those of another or the reference, −1 for the rest."""
    other = attribute.reference if other is None else other
    group, reference = attribute.group == code, attribute.group == other
    return np.where(group, 1, np.where(reference, 0, -1)).astype(np.int8)


def read_strata(
    control: Mapping[str, ArrayLike | Column],
    n: int,
    wording: Wording,
    positions: Integers | None = None,
) -> Strata | None:
    """Return the strata of columns, None without any; a missing value is a value of its own.

    `positions` are the rows of items, where a row stands for several. Raises InputError for a
    column with one value, and for whole numbers that may be codes or amounts.
    """
    if not control:
        return None
    code, values, binned = np.zeros(n, dtype=np.int64), {}, []
    for name, given in control.items():
        role = wording.control(name)
        one = column_with_missing(given, role)
        kind, names, of_amounts = _kinds(one, role, n if positions is None else len(positions))
        if len(names) == 1:
            raise InputError(
                f"{role} is {names[0]} in every row: there is nothing to control for, so leave it "
                "out."
            )
        if of_amounts:
            binned.append(
                f"`{name}` is compared in {len(names)} ranges ({'; '.join(names)}): if it holds "
                "codes, write them as words, such as `code 17`."
            )
        code, count = without_gaps(code * len(names) + kind)
        values[name] = names
    strata = Strata(code, count, values, binned=binned)
    return strata if positions is None else strata.take(positions)


def _kinds(column: Column, role: str, rows: int) -> tuple[Integers, list[str], bool]:
    """Return the value, or the bin, of each item, their names, and whether they are bins."""
    code, kinds = column.coded()
    present = kinds != MISSING_GROUP if kinds.dtype == object else np.full(len(kinds), True)
    numbers = as_numbers(kinds[present])
    if numbers is not None and _are_amounts(kinds[present], numbers, role, rows):
        of_kinds = np.full(len(kinds), np.nan)
        of_kinds[present] = numbers
        return *_bins(of_kinds[code]), True
    texts = np.array(words(kinds, role), dtype=str)
    names, position = np.unique(texts, return_inverse=True)
    kind = position.reshape(-1)[code]
    used = np.flatnonzero(np.bincount(kind, minlength=len(names)))
    return without_gaps(kind)[0], names[used].tolist(), False


def _are_amounts(kinds: Array, numbers: Floats, role: str, rows: int) -> bool:
    """Return whether numbers are put into bins; raises where whole ones may be codes or amounts."""
    values = len(np.unique(numbers))
    if values <= MOST_VALUES or has_leading_zero(kinds):
        return False
    if (numbers % 1 != 0).any() or rows < FEW_ROWS * values:
        return True
    if rows < CODE_ROWS * values:
        raise InputError(
            f"{role} has {values:,} whole numbers in {rows:,} rows, which may be codes or amounts: "
            "write codes as words, such as `code 17`, or amounts as ranges, such as `20 to 29`."
        )
    return False


def _bins(numbers: Floats) -> tuple[Integers, list[str]]:
    """Return the bin of each number, of about as many items each, and what lies in it.

    Those that are missing (NaN) have a bin of their own, the last.
    """
    known = ~np.isnan(numbers)
    # the largest value alone may be most of them
    below = np.unique(numbers[known])[-2]
    ends = np.unique(np.minimum(np.quantile(numbers[known], np.arange(1, BINS) / BINS), below))
    kind = without_gaps(np.searchsorted(ends, np.where(known, numbers, np.inf), side="left"))[0]
    kind[~known] = kind[known].max() + 1
    parts = [numbers[known & (kind == code)] for code in range(kind[known].max() + 1)]
    names = [f"{part.min():,.6g} to {part.max():,.6g}" for part in parts]
    return kind, names + [MISSING_GROUP] * bool((~known).any())
