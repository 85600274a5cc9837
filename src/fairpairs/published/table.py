"""The numbers that papers print, read from `config/published/`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from fairpairs import schemas
from fairpairs.errors import InputError

#: What is known of a printed number.
CELL = ("row", "column", "published", "digits", "kind")
#: What a paper prints behind a number that is significant.
MARK = "*"


@dataclass(frozen=True)
class PublishedTable:
    """A table as a paper prints it.

    Attributes
    ----------
    name
        Name of its file, without the ending.
    about
        `paper`, `table` or `section`, `title`, `source`, `from`, `runs`, `remarks`, `columns`.
    cells
        A row a cell: `row`, `column`, `published`, `digits`, `kind` and `published_mark`, the
        asterisk that is printed behind the number, or nothing.
    """

    name: str
    about: dict[str, Any]
    cells: pd.DataFrame

    @property
    def heading(self) -> str:
        """What the paper calls it: "Table 5" or "Section 4.1.2"."""
        if "table" in self.about:
            return f"Table {self.about['table']}"
        return f"Section {self.about['section']}"


def read_published(path: str | Path, schema: str | Path) -> PublishedTable:
    """Read a published table.

    Raises
    ------
    InputError
        When the file breaks the schema, or a row has not one value a column.
    """
    content = schemas.read_checked_yaml(path, schema)
    columns = content["columns"]
    cells = []
    for row in content.pop("rows"):
        per_column = [
            row[key] if isinstance(row[key], list) else [row[key]] * len(columns)
            for key in ("values", "digits", "kind")
        ]
        if any(len(values) != len(columns) for values in per_column):
            raise InputError(
                f"{path}: the row `{row['name']}` must have {len(columns)} values, one a column."
            )
        for column, value, digits, kind in zip(columns, *per_column, strict=True):
            if value is None:  # the table has no number there
                continue
            text = str(value)
            printed = text.removesuffix(MARK)
            mark = text[len(printed) :]
            cells.append((row["name"], column, float(printed), int(digits), kind, mark))
    frame = pd.DataFrame(cells, columns=[*CELL, "published_mark"])
    if (frame["kind"] == "simulated").any() and "runs" not in content:
        raise InputError(f"{path}: it has simulated cells, so `runs` must say from how many runs.")
    return PublishedTable(Path(path).stem, content, frame)
