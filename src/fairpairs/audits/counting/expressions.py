"""Columns in SQL: which values are missing, which are numbers, and which are counts."""

import re

import pyarrow as pa

from fairpairs.base.files import MISSING
from fairpairs.base.reading.arrow import kind_of
from fairpairs.base.reading.database import literal
from fairpairs.base.reading.sources import Source

#: The characters that Python and Arrow take for blanks.
BLANKS = "".join(chr(i) for i in range(0x3001) if chr(i).isspace())
#: Texts that mean a missing value, as a pattern.
NONE = literal("|".join(map(re.escape, MISSING)))


class Expressions:
    """SQL expressions of one column.

    `value` is null for NaN, `number` is null for anything but a number, `whole` is an integer, and
    `text` is a text without blanks around it. `mark` is the decimal mark of numbers in texts.
    """

    def __init__(self, source: Source, name: str, column: str, mark: str = "") -> None:
        kind = source.type_of(name)
        self.text = f"trim({column}, {literal(BLANKS)})"
        self.value, self.missing = column, f"({column} is null)"
        self.number = f"({column})::double"
        self.whole = f"try_cast({column} as bigint)"
        if pa.types.is_floating(kind):
            self.value = f"(case when isnan({column}) then null else {column} end)"
            self.missing = f"({column} is null or isnan({column}))"
            if kind != pa.float64():  # becomes the number that it is written as when it is ordered
                self.number = f"({column})::float"
        elif pa.types.is_decimal(kind):
            # its own conversion may round twice
            self.number = f"(({column})::varchar)::double"
        elif kind_of(kind) == "text":
            plain = column
            if mark:
                plain = f"replace({column}, {literal('.' if mark == ',' else ',')}, '')"
                plain = f"replace({plain}, {literal(mark)}, '.')"
            # DuckDB alone takes 1_000 and +-1 for numbers
            self.number = (
                f"(case when contains({plain}, '_') or contains({plain}, '+-') then null else "
                f"coalesce(try_cast({plain} as double), try_cast(trim({plain}) as double)) end)"
            )
            self.whole = f"try_cast({self.number} as bigint)"
            # Most cells of a column of numbers are numbers: the others alone are trimmed, which is
            # slow. For IN, DuckDB would trim all, and join them to the words.
            self.missing = (
                f"(case when isfinite({self.number}) then false "
                f"else {column} is null or regexp_full_match({self.text}, {NONE}) end)"
            )
        elif kind_of(kind) not in ("numbers", "true and false"):
            self.number = "null::double"
