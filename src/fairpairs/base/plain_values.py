"""What is read from tables and files, or becomes JSON: its values may be of any type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

#: A row of a table, by column.
TableRow = Mapping[Any, Any]
#: A row or an object of JSON that is made.
Record = dict[str, Any]
#: What a file of JSON or YAML holds, or a part of it.
Content = Mapping[str, Any]


def rows_of(table: pd.DataFrame) -> list[Record]:
    """Return the rows of a table by column, as `to_dict("records")` does in four times the time."""
    columns: dict[Any, list[Any]] = {name: column.tolist() for name, column in table.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
