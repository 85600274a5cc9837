"""Bugs planted into published tables: which tables would notice which."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from fairpairs.base import schemas
from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.texts import listed, meant, named_twice
from fairpairs.papers.published.distances import DIGITS
from fairpairs.papers.published.keys import check_key
from fairpairs.papers.published.power import SimulatedCells, power_rows
from fairpairs.papers.published.table import Key, PublishedTable

#: The columns of results/planted_bugs.csv.
COLUMNS = (
    *("paper", "table", "bug", "cells", "changed", "differed", "differs", "noticed"),
    *("mean_z", "omnibus_p"),
)

Printed = Mapping[frozenset[tuple[str, Any]], tuple[float, float]]


@dataclass(frozen=True)
class Bug:
    """A bug, as an exchange of the keys of published cells."""

    name: str
    #: Name of a key → its value, as text → the value whose number is computed instead.
    exchange: Mapping[str, Content] = field(default_factory=dict)
    #: The part of the key of each cell that it reaches.
    where: Key = field(default_factory=dict)
    #: Whether it reverses the sign of their numbers.
    reverse: bool = False
    #: The only tables that it is planted into, even if it changes no number there; all, if empty.
    tables: tuple[str, ...] = ()

    @classmethod
    def of(cls, spec: Content) -> Self:
        """Return the bug that an entry of planted_bugs.yaml describes."""
        other = {key: value for key, value in spec.items() if key not in ("bug", "tables")}
        return cls(spec["bug"], tables=tuple(spec.get("tables", ())), **other)

    def source(self, key: Key) -> Record:
        """Return the key of the cell whose number it computes for another."""
        if not self.where.items() <= key.items():
            return dict(key)
        return {
            name: self.exchange.get(name, {}).get(str(value), value) for name, value in key.items()
        }

    def planted(self, cells: SimulatedCells, printed: Printed) -> tuple[Floats, Floats]:
        """Return the numbers of a table that has the bug, and their tails.

        `printed` maps a key to the printed number and its tail, of all tables of the paper. A cell
        without a number of its source keeps its own.
        """
        numbers, tails = cells.numbers.copy(), cells.distances.tail.copy()
        for i in np.flatnonzero(cells.movable):
            key = cells.cells["key"].iloc[i]
            source = frozenset(self.source(key).items())
            if source in printed:
                numbers[i], tails[i] = printed[source]
            if self.reverse and self.where.items() <= key.items():
                numbers[i] = -numbers[i]
        return numbers, tails


def read_bugs(path: str | Path, schema: str | Path) -> list[Bug]:
    """Read the bugs of a study; InputError if one changes nothing, or two have one name."""
    bugs = [Bug.of(spec) for spec in schemas.read_checked_yaml(path, schema)["bugs"]]
    for bug in bugs:
        if not (bug.exchange or bug.reverse or bug.tables):
            raise InputError(
                f"{path}: the bug `{bug.name}` changes nothing: give it `exchange`, `reverse` or "
                "`tables`."
            )
    if (name := named_twice(bug.name for bug in bugs)) is not None:
        raise InputError(f"{path}: there are two bugs `{name}`: rename one.")
    return bugs


def check_bugs(bugs: Iterable[Bug], tables: Iterable[PublishedTable], file: str | Path) -> None:
    """Check that bugs name keys and tables of their study: a typo would change nothing."""
    numbers: list[str] = []
    values: dict[str, set[Any]] = {}
    for table in tables:
        numbers.append(table.number)
        for key in table.cells["key"]:
            for name, value in key.items():
                values.setdefault(name, set()).add(value)
    texts = {name: set(map(str, known)) for name, known in values.items()}
    for bug in bugs:
        where = f"{file}: the bug `{bug.name}`"
        check_key(where, bug.where, values)
        for name, exchanged in bug.exchange.items():
            for old, new in exchanged.items():
                check_key(where, {name: old}, texts)
                check_key(where, {name: new}, values)
        for number in bug.tables:
            if number not in numbers:
                raise InputError(
                    f"{where}: there is no table `{number}`{meant(number, numbers)}: name one of "
                    f"{listed(numbers)}."
                )


def judge(
    compared: Iterable[tuple[PublishedTable, pd.DataFrame]],
    bugs: Mapping[str, Sequence[Bug]],
    *,
    seed: int,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return what `power_rows` and `planted_bugs` say of tables and their comparisons."""
    ordered = sorted(compared, key=lambda pair: _position(pair[0]))
    cells = [SimulatedCells.of(table, comparison) for table, comparison in ordered]
    planted = planted_bugs(cells, [comparison for _, comparison in ordered], bugs)
    return power_rows(cells, planted, seed=seed), planted


def _position(table: PublishedTable) -> tuple[str, float, str]:
    """Return the place of a table: by paper and number, sections last."""
    return table.study, table.spec.get("table", np.inf), table.number


def planted_bugs(
    tables: Sequence[SimulatedCells],
    comparisons: Sequence[pd.DataFrame],
    bugs: Mapping[str, Sequence[Bug]],
) -> pd.DataFrame:
    """Plant bugs into published tables, and count the cells that would show them.

    The printed number of the cell that is computed by mistake takes the place of the right one, and
    the table is compared as always. There is a row per table and bug that changes a number of it,
    with `COLUMNS`: the simulated `cells`, how many are `changed`, how many of these `differed`
    before and `differs` then, and whether it is `noticed`: more differ than before; the mean of |z|
    with the bug, and its p-value among single runs, where there are such.
    """
    printed: dict[str, dict[frozenset[tuple[str, Any]], tuple[float, float]]] = {}
    for table, comparison in zip(tables, comparisons, strict=True):
        known = printed.setdefault(table.table.study, {})
        keys = table.table.cells["key"]
        columns = comparison[["published", "tail", "kind"]]
        for key, (number, tail, kind) in zip(keys, columns.itertuples(index=False), strict=True):
            if kind != "impossible":
                known.setdefault(frozenset(key.items()), (number, float(tail)))
    rows = []
    for table in tables:
        name = table.table
        usual = table.differs(table.numbers) if len(table.cells) else np.zeros(0, dtype=bool)
        for bug in bugs.get(name.study, ()) if len(table.cells) else ():
            if bug.tables and name.number not in bug.tables:
                continue
            numbers, tails = bug.planted(table, printed[name.study])
            changed = numbers != table.numbers
            if not (changed.any() or bug.tables):
                continue
            before, after = usual[changed].sum(), table.differs(numbers, tails)[changed].sum()
            counts = (len(table.cells), int(changed.sum()), int(before), int(after))
            mean_z = table.mean_z(numbers, tails)
            omnibus = (mean_z, table.omnibus_p(mean_z))
            rows.append(
                (name.study, name.number, bug.name, *counts, bool(after > before), *omnibus)
            )
    return pd.DataFrame(rows, columns=list(COLUMNS)).round(DIGITS)
