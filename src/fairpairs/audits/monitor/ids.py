"""The ids of rows and persons that a state knows, as numbers, in pieces beside its content."""

import hashlib
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.base.columns import Column
from fairpairs.base.errors import InputError, shown

#: Kinds of pieces: of rows, whose content is kept until the label comes; of persons whose rows were
#: fed to lines without labels, and to those with labels.
ROWS, PERSONS, LABELLED = "rows", "persons", "labelled persons"
#: Ids of a piece at most, as SQLite has at most 10⁹ bytes in a cell.
MOST = 2**20
#: How the table of pieces is made. The last three are arrays: ids, labels (NaN for one that has not
#: come), and the contents of rows without a label.
PIECES = (
    "CREATE TABLE pieces (piece INTEGER PRIMARY KEY, checksum TEXT, kind TEXT, batch INTEGER, "
    "ids BLOB, labels BLOB, content BLOB)"
)
#: Key of the hash of ids, of 16 characters.
HASH_KEY = "fairpairs-ids-01"


def form_of(texts: Sequence[str], before: int | None, role: str) -> int:
    """Return how ids are written: 0 for whole numbers, −1 for other texts, else digits with zeros.

    `before` is how those of earlier batches are. Whole numbers there, and zeros before some here,
    or fewer digits than there, raise InputError: the same id may be written in two ways.

    >>> form_of(["7", "12"], None, "id"), form_of(["007", "012"], None, "id")
    (0, 3)
    """
    zeros = [text for text in texts if len(text) > 1 and text.startswith("0") and text.isdigit()]
    form = min(map(len, zeros), default=0) if all(map(str.isdigit, texts)) else -1
    odd = zeros if before == 0 else [text for text in texts if len(text) < (before or 0)]
    if before is not None and before >= 0 and form >= 0 and odd:
        there = f"have {before} digits or more" if before else "have no zeros before them"
        raise InputError(
            f"{role} holds {shown(odd[0])}, and ids of earlier batches are numbers that {there}: "
            "write each id as it was written there."
        )
    if before is None or form == before:
        return form
    return -1 if -1 in (form, before) else max(form, before)


def hashed(texts: Sequence[str], values: Column) -> Integers:
    """Return a number of 64 bits for each item, the same for the same text of its value."""
    # SipHash, as pandas has it; its key is named so that it stays the same
    found = pd.util.hash_array(np.array(texts, dtype=object), "utf8", HASH_KEY, categorize=False)
    of_kinds: Integers = found.view(np.int64)
    return values.of_items(of_kinds)


def digest(base: sqlite3.Connection) -> str | None:
    """Return the sha256 of the checksums of all pieces, None where there are none."""
    checksums = _rows(base, "piece, checksum", "ORDER BY piece")
    return hashlib.sha256(repr(checksums).encode()).hexdigest() if checksums else None


def are_whole(base: sqlite3.Connection) -> bool:
    """Return whether each piece has its checksum."""
    return all(
        all(isinstance(array, bytes) for array in arrays)
        and checksum == _checksum(kind, batch, arrays)
        for (piece,) in _rows(base, "piece")
        for checksum, kind, batch, *arrays in _rows(
            base, "checksum, kind, batch, ids, labels, content", "WHERE piece = ?", piece
        )
    )


def _checksum(kind: str, batch: int, arrays: list[bytes]) -> str:
    whole = hashlib.sha256(repr((kind, batch, *map(len, arrays))).encode())
    for array in arrays:
        whole.update(array)
    return whole.hexdigest()


def _rows(base: sqlite3.Connection, columns: str, where: str = "", *values: Any) -> list[Any]:
    """Return some columns of pieces; none before any was written."""
    if not base.execute("SELECT 1 FROM sqlite_master WHERE name = 'pieces'").fetchone():
        return []
    return base.execute(f"SELECT {columns} FROM pieces {where}", values).fetchall()


def _put(
    base: sqlite3.Connection, piece: int | None, kind: str, batch: int, *arrays: Array
) -> None:
    """Write a piece, or write it anew."""
    content = [array.tobytes() for array in arrays]
    whole = (piece, _checksum(kind, batch, content), kind, batch, *content)
    base.execute("REPLACE INTO pieces VALUES (?, ?, ?, ?, ?, ?, ?)", whole)


def _labels(base: sqlite3.Connection, piece: int) -> tuple[Floats, Array]:
    """Return the labels of a piece, and the contents of those that have not come, (k, size).

    The size is 0 where contents were forgotten.
    """
    ((labels, content),) = _rows(base, "labels, content", "WHERE piece = ?", piece)
    label = np.frombuffer(labels, dtype="<f8")
    missing = int(np.isnan(label).sum())
    rows = np.frombuffer(content, dtype=np.uint8)
    return label.copy(), rows.reshape(missing, len(rows) // max(missing, 1))


@dataclass(frozen=True)
class Known:
    """What a state knows of rows, shape (n,)."""

    #: Batch of each row, 0 for an unknown one, and its label, NaN if it has not come.
    batch: Integers
    label: Floats
    #: Whether its content is kept, as it is until the label comes or a reset, and that, (n, size).
    kept: NDArray[np.bool_]
    content: NDArray[np.uint8]
    #: Its piece, and its place there.
    piece: Integers
    place: Integers


@dataclass
class Ids:
    """The pieces; what is new is written when the content is. None for a state to be made."""

    base: sqlite3.Connection | None = None
    _new: list[tuple[str, int, Integers, Floats, Array]] = field(default_factory=list)
    _came: list[tuple[Integers, Integers, Floats]] = field(default_factory=list)

    def find(self, ids: Integers, size: int) -> Known:
        """Return what is known of different rows, whose content has a size."""
        n = len(ids)
        batch, piece, place = np.zeros((3, n), dtype=np.int64)
        label, kept = np.full(n, np.nan), np.zeros(n, dtype=np.bool_)
        content = np.zeros((n, size), dtype=np.uint8)
        pieces = self._pieces(ROWS)
        at = pd.Index(ids).get_indexer(pd.Index(_joined([blob for _, _, blob in pieces])))
        end = np.cumsum([len(blob) // 8 for _, _, blob in pieces])
        found = np.flatnonzero(at >= 0)
        of_piece = np.searchsorted(end, found, side="right")
        for i, here in _by_value(of_piece):
            assert self.base is not None
            number, of_batch, blob = pieces[i]
            rows, places = at[found[here]], found[here] - end[i] + len(blob) // 8
            labels, contents = _labels(self.base, number)
            missing = np.isnan(labels)
            batch[rows], piece[rows], place[rows] = of_batch, number, places
            label[rows] = labels[places]
            if contents.size:
                waits = missing[places]
                kept[rows] = waits
                content[rows[waits]] = contents[(np.cumsum(missing) - 1)[places[waits]]]
        return Known(batch, label, kept, content, piece, place)

    def seen(self, kind: str, ids: Integers) -> NDArray[np.bool_]:
        """Return whether each person, or row, is known."""
        return pd.Index(ids).isin(_joined([blob for _, _, blob in self._pieces(kind)]))

    def _pieces(self, kind: str) -> list[tuple[int, int, bytes]]:
        """Return number, batch and ids of pieces."""
        if self.base is None:
            return []
        return _rows(self.base, "piece, batch, ids", "WHERE kind = ? ORDER BY piece", kind)

    def add(self, batch: int, ids: Integers, labels: Floats, contents: Array) -> None:
        """Note rows; of one with a label only the label is kept."""
        self._new.append((ROWS, batch, ids, labels, contents))

    def label(self, known: Known, labels: Floats, which: NDArray[np.bool_]) -> None:
        """Note the labels of some of the rows that were found."""
        self._came.append((known.piece[which], known.place[which], labels[which]))

    def see(self, kind: str, persons: Integers) -> None:
        """Note persons."""
        none = np.zeros(0)
        self._new.append((kind, 0, np.sort(pd.unique(persons)), none, none))

    def reset(self) -> None:
        """Forget all persons, and the contents of rows whose label has not come."""
        assert self.base is not None
        for number, batch, ids in self._pieces(ROWS):
            labels, _ = _labels(self.base, number)
            _put(self.base, number, ROWS, batch, _joined([ids]), labels, np.zeros(0))
        if self._pieces(PERSONS) or self._pieces(LABELLED):
            self.base.execute("DELETE FROM pieces WHERE kind <> ?", (ROWS,))

    def write(self, base: sqlite3.Connection) -> None:
        """Write what is new."""
        if self._new:
            base.execute(PIECES.replace("TABLE", "TABLE IF NOT EXISTS", 1))
        for kind, batch, *arrays in self._new:
            for start in range(0, len(arrays[0]), MOST):
                ids, labels, contents = (array[start : start + MOST] for array in arrays)
                _put(base, None, kind, batch, ids, labels, contents[np.isnan(labels)])
        for pieces, places, came in self._came:
            for number, here in _by_value(pieces):
                ((batch, ids),) = _rows(base, "batch, ids", "WHERE piece = ?", number)
                labels, contents = _labels(base, number)
                missing = np.isnan(labels)
                labels[places[here]] = came[here]
                left = contents[np.isnan(labels[missing])]
                _put(base, number, ROWS, batch, _joined([ids]), labels, left)


def _joined(blobs: list[bytes]) -> Integers:
    return np.frombuffer(b"".join(blobs), dtype="<i8")


def _by_value(values: Integers) -> list[tuple[int, Integers]]:
    """Return each different value, and where it is."""
    order = np.argsort(values, kind="stable")
    places = np.split(order, np.flatnonzero(np.diff(values[order])) + 1)
    return [(int(values[where[0]]), where) for where in places if len(where)]
