"""Which cells of a table differ from those of the committed one."""

import csv
import io
import math
import re
from typing import NamedTuple

from fairpairs.base.plain_values import TableRow

#: Numbers agree up to this share of the committed one, which has six digits.
TOLERANCE = 1e-4
#: Or up to this, about the last digit of single precision: a difference to zero is no share of it.
NEGLIGIBLE = 1e-6

_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")


class Difference(NamedTuple):
    """A difference, and its multiple of what is allowed (inf for words)."""

    path: str
    what: str
    excess: float = math.inf

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


def differing_cells(
    path: str, ours: str, committed: str, *, tolerance: float = TOLERANCE
) -> list[Difference]:
    """Compare two tables, as CSV, cell by cell, numbers inside of words too.

    A number may be off by the `tolerance` as a share of the committed one; a column `sha256` is
    left out. There is one Difference for each cell, or one for the shape.
    """
    try:
        rows, kept = (list(csv.reader(io.StringIO(text))) for text in (ours, committed))
    except csv.Error as error:
        return [Difference(path, f"it is no CSV table ({error})")]
    if rows[:1] != kept[:1] or list(map(len, rows)) != list(map(len, kept)):
        what = f"{len(rows)} lines where {len(kept)} are committed, or other columns: the cells "
        return [Difference(path, f"{what}are not compared")]
    differences = []
    for line, (row, theirs) in enumerate(zip(rows[1:], kept[1:], strict=True), 2):
        committed_row = dict(zip(kept[0], theirs, strict=True))
        for column, cell in zip(kept[0], row, strict=True):
            excess = 0.0 if column == "sha256" else _excess(cell, committed_row[column], tolerance)
            if excess > 1:
                what = _cell(line, column, cell, committed_row)
                differences.append(Difference(path, what, excess))
    return differences


def _cell(line: int, column: str, ours: str, committed: TableRow) -> str:
    """Say that a cell differs."""
    named = [committed[name] for name in ("row", "column") if name in committed]
    cell = f" ({'; '.join(named)})" * bool(named)
    theirs = committed[column] or "nothing"
    return f"line {line}{cell}, `{column}`: {ours or 'nothing'} where {theirs} is committed"


def _excess(ours: str, theirs: str, tolerance: float) -> float:
    """Return the largest difference as a multiple of the tolerance; inf if words differ."""
    if ours == theirs:
        return 0.0
    pieces, kept = _NUMBER.split(ours), _NUMBER.split(theirs)
    if pieces[::2] != kept[::2]:
        return math.inf
    numbers = zip(map(float, pieces[1::2]), map(float, kept[1::2]), strict=True)
    return max(abs(a - b) / max(NEGLIGIBLE, tolerance * abs(b)) for a, b in numbers)
