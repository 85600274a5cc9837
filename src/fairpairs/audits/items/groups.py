"""The groups of each sensitive attribute, their reference group, and their intersections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fairpairs.audits.items.messages import Wording, no_frequency, or_missing_group, quotes, short
from fairpairs.audits.items.settings import Settings
from fairpairs.base import inputs, tables
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.columns import Column, column, column_with_missing
from fairpairs.base.errors import InputError, shortened, shown
from fairpairs.base.inputs import MAX_GROUPS
from fairpairs.base.texts import listed, named_twice
from fairpairs.base.words import named, words


@dataclass(frozen=True)
class Attribute:
    """Groups of the items: `group` (n,) and `reference` are positions in `names`."""

    #: Names of several attributes are joined by &.
    name: str
    group: NDArray[np.int64]
    names: tuple[str, ...]
    reference: int
    #: Number of items in each group, if `group` has one row for several, or a sample only.
    counted: NDArray[np.int64] | None = None
    #: Codes of the others, the smallest group first, if each two of them are compared too.
    compared: tuple[int, ...] = ()

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of items of each group."""
        if self.counted is not None:
            return self.counted
        return np.bincount(self.group, minlength=len(self.names))

    def take(self, index: Integers, counted: NDArray[np.int64] | None = None) -> Attribute:
        """Return the groups of the items at some positions, which may stand for other numbers."""
        return replace(self, group=self.group[index], counted=counted)

    @property
    def others(self) -> list[int]:
        """Codes of the groups that are compared with the reference."""
        return [code for code, _ in self.pairs]

    @property
    def in_order(self) -> tuple[int, ...]:
        """Codes of all groups: of each two that are compared, the one that comes first is first."""
        return (*(self.compared or self.others), self.reference)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Codes of each group and the reference."""
        codes = range(len(self.names))
        return [(code, self.reference) for code in codes if code != self.reference]

    @property
    def further_pairs(self) -> list[tuple[int, int]]:
        """Codes of each two of the groups that are `compared` without the reference."""
        return sorted(combinations(self.compared, 2))

    def place(self, group: str, reference: str) -> tuple[bool, int, int]:
        """Return by what lines of two groups are sorted: those with the reference first.

        A line of all groups ("") is before the others.
        """
        further = bool(group) and reference != self.names[self.reference]
        at = [self.names.index(name) if name else -1 for name in (group, reference)]
        return further, at[0], at[1]


def small_groups(
    attributes: Sequence[Attribute], smallest: int, wording: Wording
) -> dict[str, list[str]]:
    """Return the groups with fewer items, which do not count, of each attribute that has some."""
    small: dict[str, list[str]] = {}
    for one in attributes:
        few = one.sizes < smallest
        option = f"{wording.option('smallest')} {smallest:,}"
        if (~few).sum() < 2:
            raise InputError(
                f"{option}: of `{one.name}`, {int((~few).sum())} group(s) have as many rows, and a "
                "test compares two: give a smaller number, or join groups."
            )
        if few[one.reference]:
            raise InputError(
                f"{option}: the reference {shown(one.names[one.reference])} of `{one.name}` has "
                f"{int(one.sizes[one.reference]):,} rows: name another one."
            )
        if few.any():
            small[one.name] = [one.names[code] for code in np.flatnonzero(few)]
    return small


def by_name(
    sensitive_features: ArrayLike | Mapping[str, ArrayLike], argument: str = "sensitive_features"
) -> dict[str, ArrayLike]:
    """Return the values of each attribute by its name: columns of a table, or one attribute."""
    table = tables.table(sensitive_features, argument)
    of_groups = argument == "sensitive_features"
    unnamed, one_of = ("group", "attribute") if of_groups else (argument, argument)
    if isinstance(sensitive_features, Mapping):
        columns = [(str(name), values) for name, values in sensitive_features.items()]
    elif table is not None:
        numbered = not isinstance(sensitive_features, pd.DataFrame) and isinstance(
            table.columns, pd.RangeIndex
        )
        columns = [
            (f"{one_of} {i + 1}" if numbered else str(name), table.iloc[:, i])
            for i, name in enumerate(table.columns)
        ]
    else:  # a Series of pandas or Polars may have a name
        name = getattr(sensitive_features, "name", None)
        columns = [(unnamed if name is None or name == "" else str(name), sensitive_features)]
    if not columns:
        raise InputError(f"{argument} is empty: give at least one attribute.")
    attributes = dict(columns)
    if len(attributes) < len(columns):
        twice = named_twice(name for name, _ in columns)
        raise InputError(f"sensitive_features has two columns `{shortened(twice)}`: rename one.")
    return attributes


def references(given: object, attributes: Iterable[str]) -> Mapping[str, object]:
    """Return the reference group by attribute; of the only one, its group alone may be given.

    >>> references("female", ["sex"])
    {'sex': 'female'}
    """
    if given is None or isinstance(given, Mapping):
        return given or {}
    name, *others = attributes
    if others or not np.isscalar(given):
        raise InputError(
            f"--reference {shortened(given)}: write the attribute and its group, such as {name}="
            f"{shortened(given)} (in Python, {{{name!r}: {shown(given)}}})."
        )
    return {name: given}


def read_attributes(
    sensitive_features: Mapping[str, ArrayLike | Column],
    *,
    settings: Settings,
    wording: Wording,
    repeated: Integers | None = None,
    count: Integers | None = None,
    weight: Floats | None = None,
    most: int = MAX_GROUPS,
) -> list[Attribute]:
    """Return the groups of each attribute, and of all attributes together.

    The reference is by default the largest group. `repeated` has positions of rows that
    frequencies repeat; `count` is the number of items of each row, `weight` its weight. Raises
    InputError for missing values, one group only, more than `most` groups, a group whose
    weights are all 0, an unknown reference, and intersections of one attribute.
    """
    reference: Mapping[str, object] = {}
    if settings.reference is not None:
        reference = references(settings.reference, sensitive_features)
    if settings.intersections and len(sensitive_features) < 2:
        raise InputError("Intersections need two sensitive attributes: name another one.")
    unknown = next((name for name in reference if name not in sensitive_features), None)
    if unknown is not None:
        raise InputError(
            f"The reference names the attribute `{shortened(unknown)}`; there are "
            f"{listed(f'`{attribute}`' for attribute in sensitive_features)}: correct it."
        )
    roles = {wording.attribute(name): values for name, values in sensitive_features.items()}
    columns = [
        column_with_missing(values, role)
        if settings.missing_group
        else column(values, role, or_missing_group(wording))
        for role, values in roles.items()
    ]
    attributes = []
    for name, role, values in zip(sensitive_features, roles, columns, strict=True):
        code, names = _groups(values, role, wording, most)
        if repeated is not None:
            code = code[repeated]
        if repeated is not None or weight is not None:
            none = np.flatnonzero(np.bincount(code, weight, minlength=len(names)) == 0)
            if len(none):
                group = f"the group {shown(names[none[0]])} of {short(role)}"
                raise InputError(no_frequency(group, wording))
        number = np.bincount(code, count).astype(np.int64)
        index = int(number.argmax())
        if name in reference:
            wanted = named(str(reference[name]), names)
            if wanted not in names:
                raise InputError(
                    f"The reference {shown(wanted)} is not a group of {role}, which has "
                    f"{listed(names)}: name one of these{quotes(reference[name], names)}."
                )
            index = names.index(wanted)
        counted = None if count is None else number
        compared = () if name in reference else _smallest_first(number, index)
        attributes.append(Attribute(name, code, names, index, counted, compared))
    if settings.intersections:
        attributes.append(_intersection(attributes, count, wording))
    return attributes


def _groups(
    values: Column, role: str, wording: Wording, most: int
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return the index of each item's group in the sorted names, and the names."""
    code, groups = values.coded()
    names = words(groups, role)
    if len(names) == 1:
        raise InputError(
            f"{role} has only one group, {shown(names[0])}: a test compares two groups, so "
            f"{wording.drop}, or add rows of another group."
        )
    if len(names) > most:
        other = f", or take {wording.audit_groups}" if most == MAX_GROUPS else ""
        raise InputError(
            f"{role} has {len(names):,} groups, more than {most:,}: join some, such as ages into "
            f"ranges{other}."
        )
    if (twice := named_twice(names)) is not None:
        raise InputError(f"{role} has two groups that are called {shortened(twice)}: rename one.")
    order = np.argsort(np.array(names, dtype=str), kind="stable")
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    return position[code], tuple(names[i] for i in order)


def _intersection(
    attributes: list[Attribute], count: Integers | None, wording: Wording
) -> Attribute:
    shape = tuple(len(attribute.names) for attribute in attributes)
    joint = np.ravel_multi_index(tuple(attribute.group for attribute in attributes), shape)
    taken, code = np.unique(joint, return_inverse=True)
    if len(taken) > inputs.MAX_GROUPS:
        raise InputError(
            f"The sensitive attributes have {len(taken)} combinations, more than {MAX_GROUPS}: "
            f"join some groups, or take {wording.option('intersections', False)}, or "
            f"{wording.audit_groups}."
        )
    names = tuple(
        " & ".join(attribute.names[i] for attribute, i in zip(attributes, codes, strict=True))
        for codes in zip(*np.unravel_index(taken, shape), strict=True)
    )
    name = " & ".join(attribute.name for attribute in attributes)
    if (twice := named_twice(names)) is not None:
        raise InputError(f"`{name}` has two groups that are called {shortened(twice)}: rename one.")
    code = code.astype(np.int64)
    number = np.bincount(code, count).astype(np.int64)
    counted, index = None if count is None else number, int(number.argmax())
    return Attribute(name, code, names, index, counted, _smallest_first(number, index))


def _smallest_first(sizes: NDArray[np.int64], reference: int) -> tuple[int, ...]:
    """Return the codes of the groups without the reference, if there are two or more."""
    order = sizes.argsort(kind="stable").tolist()
    return tuple(code for code in order if code != reference) if len(order) > 2 else ()
