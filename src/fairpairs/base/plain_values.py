"""Types of what is read from tables and files, or becomes JSON: its values may be of any type."""

from collections.abc import Mapping
from typing import Any

#: A row of a table, by column.
TableRow = Mapping[Any, Any]
#: A row or an object of JSON that is made.
Record = dict[str, Any]
#: What a file of JSON or YAML holds, or a part of it.
Content = Mapping[str, Any]
