"""Columns in SQL: which values are missing, which are numbers, and which are counts."""

import re

import pyarrow as pa

from fairpairs.audits.counting.database import literal
from fairpairs.audits.counting.sources import Source, kind_of
from fairpairs.base.files import MISSING

#: The characters that Python and Arrow take for blanks.
BLANKS = "".join(chr(i) for i in range(0x3001) if chr(i).isspace())


class Expressions:
    """SQL expressions of one column.

    `value` is null for NaN, `number` is null for anything but a number, `whole` is an integer.
    """

    def __init__(self, source: Source, name: str, column: str) -> None:
        kind = source.type_of(name)
        trimmed = f"trim({column}, {literal(BLANKS)})"
        self.value, self.missing = column, f"({column} is null)"
        self.number = f"({column})::double"
        self.whole = f"try_cast({column} as bigint)"
        if pa.types.is_floating(kind):
            self.value = f"(case when isnan({column}) then null else {column} end)"
            self.missing = f"({column} is null or isnan({column}))"
        elif pa.types.is_decimal(kind):
            # its own conversion may round twice
            self.number = f"(({column})::varchar)::double"
        elif kind_of(kind) == "text":
            # DuckDB alone takes 1_000 for a number
            self.number = (
                f"(case when contains({column}, '_') then null else "
                f"coalesce(try_cast({column} as double), try_cast(trim({column}) as double)) end)"
            )
            self.whole = f"try_cast({self.number} as bigint)"
        elif kind_of(kind) not in ("numbers", "true and false"):
            self.number = "null::double"
        if source.of_text:
            words = literal("|".join(map(re.escape, MISSING)))
            # Most cells of a column of numbers are numbers: the others alone are trimmed, which is
            # slow. For IN, DuckDB would trim all, and join them to the words.
            self.missing = (
                f"(case when isfinite({self.number}) then false "
                f"else {column} is null or regexp_full_match({trimmed}, {words}) end)"
            )
            self.value = column
