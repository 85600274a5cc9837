"""The ids of rows and persons that a state knows, as numbers, in tables beside its content."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
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


def hashed(values: Column) -> Integers:
    """Return a number of 64 bits for each item, the same for the same text."""
    texts = values.kinds.tolist() if values.kinds.dtype.kind in "iu" else values.kinds
    digests = (
        hashlib.blake2b(written(text).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for text in texts
    )
    of_kinds: Integers = np.frombuffer(b"".join(digests), dtype="<i8").astype(np.int64)
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
            whole.update(repr(some).encode())
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
        for i, *of_row in self._asked(ROWS, "batch, label, content", ids):
            batch[i], label[i] = of_row[0], np.nan if of_row[1] is None else of_row[1]
            content[i] = of_row[2] or b""
        return Known(batch, label, content)

    def seen(self, table: str, persons: Integers) -> NDArray[np.bool_]:
        """Return whether each person is known."""
        known = np.zeros(len(persons), dtype=np.bool_)
        known[[i for (i,) in self._asked(table, "", persons)]] = True
        return known

    def _asked(self, table: str, columns: str, ids: Integers) -> Iterable[tuple[Any, ...]]:
        """Yield the index of each known id, with columns of the table."""
        if self.base is None or not self._exists(table):
            return
        self.base.execute("CREATE TEMP TABLE asked (i INTEGER PRIMARY KEY, id INTEGER)")
        self.base.executemany("INSERT INTO asked VALUES (?, ?)", enumerate(ids.tolist()))
        columns = f"i, {columns}" if columns else "i"
        yield from self.base.execute(f"SELECT {columns} FROM asked JOIN {table} USING (id)")
        self.base.execute("DROP TABLE temp.asked")

    def _exists(self, table: str) -> bool:
        assert self.base is not None
        query = "SELECT count(*) FROM sqlite_master WHERE name = ?"
        return bool(self.base.execute(query, (table,)).fetchone()[0])

    def add(self, batch: int, ids: Integers, labels: Floats, contents: Sequence[bytes]) -> None:
        """Note rows; of one with a label only the label is kept."""
        rows = zip(ids.tolist(), labels.tolist(), contents, strict=True)
        self._writes.append((
            ROWS,
            ((i, batch, None if np.isnan(y) else y, of if np.isnan(y) else None)
             for i, y, of in rows),
        ))  # fmt: skip

    def label(self, batches: Integers, ids: Integers, labels: Floats) -> None:
        """Note the labels of known rows."""
        rows = zip(ids.tolist(), batches.tolist(), labels.tolist(), strict=True)
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
