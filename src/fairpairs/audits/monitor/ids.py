"""The ids of rows and persons that a state knows, as numbers, in tables beside its content."""

from __future__ import annotations

import hashlib
import marshal
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.audits.audit.messages import written
from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.base.columns import Column

#: Tables: of rows, whose content is kept until the label comes; of persons whose rows were fed to
#: lines without labels, and to those with labels.
ROWS, PERSONS, LABELLED = "rows", "persons", "labelled_persons"
#: Rows that are hashed at a time.
SOME = 10_000
#: Table → its columns.
TABLES = {
    ROWS: "id INTEGER PRIMARY KEY, batch INTEGER, label REAL, content BLOB",
    PERSONS: "id INTEGER PRIMARY KEY",
    LABELLED: "id INTEGER PRIMARY KEY",
}
#: A table of so many times the rows that are asked for is read row by row.
MANY = 20
#: Key of the hash of ids, of 16 characters.
HASH_KEY = "fairpairs-ids-01"


def hashed(values: Column) -> Integers:
    """Return a number of 64 bits for each item, the same for the same text."""
    whole = values.kinds.dtype.kind in "iu"
    texts = values.kinds.astype(str) if whole else [written(kind) for kind in values.kinds]
    # SipHash, as pandas has it; its key is named so that it stays the same
    found = pd.util.hash_array(np.asarray(texts, dtype=object), "utf8", HASH_KEY, categorize=False)
    of_kinds: Integers = found.view(np.int64)
    return values.of_items(of_kinds)


def statements() -> dict[str, str]:
    """Return how each table is made."""
    return {table: f"CREATE TABLE {table} ({columns})" for table, columns in TABLES.items()}


def digest(base: sqlite3.Connection) -> str | None:
    """Return the sha256 of what all tables hold, None where there are none."""
    made = {name for (name,) in base.execute("SELECT name FROM sqlite_master")}
    whole = hashlib.sha256()
    for table in sorted(made & TABLES.keys()):
        rows = base.execute(f"SELECT * FROM {table} ORDER BY id")
        whole.update(table.encode())
        while some := rows.fetchmany(SOME):
            whole.update(marshal.dumps(some, 2))  # without references between values
    return whole.hexdigest() if made & TABLES.keys() else None


@dataclass(frozen=True)
class Known:
    """What a state knows of rows, shape (n,)."""

    #: Batch of each row, 0 for an unknown one, and its label, NaN if it has not come.
    batch: Integers
    label: Floats
    #: What was kept of it until its label comes; empty before a reset, and afterwards.
    content: Array


@dataclass
class Ids:
    """The tables; what is new is written when the content is. None for a state to be made."""

    base: sqlite3.Connection | None = None
    _writes: list[tuple[str, Iterable[Sequence[Any]]]] = field(default_factory=list)

    def find(self, ids: Integers) -> Known:
        """Return what is known of rows."""
        batch, label = np.zeros(len(ids), dtype=np.int64), np.full(len(ids), np.nan)
        content = np.full(len(ids), b"", dtype=object)
        for i, *of_row in self._asked(ids):
            batch[i], label[i] = of_row[0], np.nan if of_row[1] is None else of_row[1]
            content[i] = of_row[2] or b""
        return Known(batch, label, content)

    def seen(self, table: str, ids: Integers) -> NDArray[np.bool_]:
        """Return whether each person, or row, is known."""
        if self.base is None or not self._exists(table):
            return np.zeros(len(ids), dtype=np.bool_)
        (most,) = self.base.execute(f"SELECT count(*) FROM {table}").fetchone()
        if most < MANY * len(ids):  # then it is faster to read all
            rows = self.base.execute(f"SELECT id FROM {table}")
            known = np.fromiter((i for (i,) in rows), dtype=np.int64, count=most)
            return np.isin(ids, known)
        query = f"SELECT EXISTS (SELECT 1 FROM {table} WHERE id = ?)"
        ask = self.base.execute
        return np.array([ask(query, (i,)).fetchone()[0] for i in ids.tolist()], dtype=np.bool_)

    def _asked(self, ids: Integers) -> Iterable[tuple[Any, ...]]:
        """Yield the index of each known row, its batch, label and content."""
        if self.base is None or not self._exists(ROWS):
            return
        # in the order of the table, which is then read once
        order = np.argsort(ids).tolist()
        self.base.execute("CREATE TEMP TABLE asked (i INTEGER, id INTEGER)")
        rows = zip(order, ids[order].tolist(), strict=True)
        self.base.executemany("INSERT INTO asked VALUES (?, ?)", rows)
        yield from self.base.execute(
            f"SELECT i, batch, label, content FROM asked CROSS JOIN {ROWS} USING (id)"
        )
        self.base.execute("DROP TABLE temp.asked")

    def _exists(self, table: str) -> bool:
        assert self.base is not None
        query = "SELECT count(*) FROM sqlite_master WHERE name = ?"
        return bool(self.base.execute(query, (table,)).fetchone()[0])

    def add(self, batch: int, ids: Integers, labels: Floats, contents: Sequence[bytes]) -> None:
        """Note rows; of one with a label only the label is kept."""
        order = np.argsort(ids)
        of_rows = (values[order].tolist() for values in (ids, labels, np.isnan(labels)))
        rows = zip(*of_rows, order.tolist(), strict=True)
        # SQLite writes NaN as NULL
        new = ((i, batch, label, contents[at] if kept else None) for i, label, kept, at in rows)
        self._writes.append((ROWS, new))

    def label(self, batches: Integers, ids: Integers, labels: Floats) -> None:
        """Note the labels of known rows."""
        order = np.argsort(ids)
        of_rows = (values[order].tolist() for values in (ids, batches, labels))
        rows = zip(*of_rows, strict=True)
        self._writes.append((ROWS, ((i, batch, y, None) for i, batch, y in rows)))

    def see(self, table: str, persons: Integers) -> None:
        """Note persons."""
        self._writes.append((table, ((i,) for i in np.unique(persons).tolist())))

    def reset(self) -> None:
        """Forget all persons, and the contents of rows whose label has not come."""
        if self.base is None:  # of a state of format 1, which has no ids
            return
        for table in filter(self._exists, (PERSONS, LABELLED)):
            self.base.execute(f"DELETE FROM {table}")
        if self._exists(ROWS):
            self.base.execute(f"UPDATE {ROWS} SET content = NULL")

    def write(self, base: sqlite3.Connection) -> None:
        """Write what is new."""
        for table, rows in self._writes:
            base.execute(statements()[table].replace("TABLE", "TABLE IF NOT EXISTS", 1))
            marks = ", ".join("?" for _ in TABLES[table].split(","))
            base.executemany(f"REPLACE INTO {table} VALUES ({marks})", rows)
