"""Rows counted by DuckDB: GROUP BY some columns, with a check of the numbers in the same pass."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from fairpairs.base.errors import InputError, shown
from fairpairs.base.files import MISSING
from fairpairs.base.inputs import LARGEST
from fairpairs.base.reading.arrow import kind_of
from fairpairs.base.reading.csv_layout import STYLE
from fairpairs.base.reading.database import literal
from fairpairs.base.reading.numbers import decimal_mark, note
from fairpairs.base.reading.sources import FILE, Source
from fairpairs.base.words import LARGEST_WHOLE

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: The characters that Python and Arrow take for blanks.
BLANKS = "".join(chr(i) for i in range(0x3001) if chr(i).isspace())
#: Texts that mean a missing value, as a pattern.
NONE = literal("|".join(map(re.escape, MISSING)))

#: More combinations of values are taken for a mistake.
MAX_CELLS = 1_000_000


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


class Grouping:
    """Queries of some columns of a source: `coded` are counted by value, `numbers` must be finite.

    `weight` is the column of frequencies, if any.
    """

    def __init__(
        self, source: Source, coded: Sequence[str], numbers: Sequence[str], weight: str | None
    ) -> None:
        self.source, self.called = source, source.called
        self.coded, self.numbers, self.weight = coded, numbers, weight
        self.names = [*dict.fromkeys([*coded, *numbers, *([] if weight is None else [weight])])]

    @property
    def _sql(self) -> dict[str, Expressions]:
        return {name: self._expressions(name, f"c{i}") for i, name in enumerate(self.names)}

    def chosen(self, connection: DuckDBPyConnection) -> str:
        """Return a query of the rows: values k0, …, numbers v0, …, missing m0, …, weights w, x."""
        sql = self._sql
        columns = [f"{sql[name].value} as k{i}" for i, name in enumerate(self.coded)]
        for i, name in enumerate(self.numbers):
            columns += [f"{sql[name].missing} as m{i}", f"{sql[name].number} as v{i}"]
        if self.weight is not None:
            columns += [f"{sql[self.weight].whole} as w", f"{sql[self.weight].number} as x"]
        scan = self.source.scan(connection, self.names)
        return f"select {', '.join(columns) or '1 as one'} from ({scan})"

    def groups(self, connection: DuckDBPyConnection) -> pa.Table:
        """Return the combinations of values, with their number of rows `n` and of items `items`."""
        every = [*self.numbers, *([] if self.weight is None else [self.weight])]
        texts = [name for name in every if kind_of(self.source.type_of(name)) == "text"]
        doubted = [name for name in texts if self.source.european or STYLE.get().decimal == ","]
        marks = self._learn(connection, doubted)
        groups = self._counted(connection)
        # those with texts that are no numbers with a decimal point
        bad = [*(f"b{i}" for i in range(len(self.numbers))), *["bw"] * (self.weight is not None)]
        wrong = {name for name, b in zip(every, bad, strict=True) if pc.sum(groups[b]).as_py()}
        others = [name for name in texts if name not in marks and name in wrong]
        if others and self._learn(connection, others):
            groups = self._counted(connection)
        self._check(connection, groups)
        return groups

    def _learn(self, connection: DuckDBPyConnection, names: Sequence[str]) -> dict[str, str]:
        """Find the decimal marks of columns; those of numbers in another way than a point count."""
        found = {}
        for name in names:
            texts = _SqlTexts(self, connection, name)
            place = f"{self.called}: column `{name}`"
            named, european = STYLE.get().decimal, self.source.european
            found[name] = mark = decimal_mark(texts, place, named, european=european)
            if mark and (text := note(name, texts, mark)):
                self.source.marks[name] = mark
                self.source.notes[name] = text
        return found

    def _counted(self, connection: DuckDBPyConnection) -> pa.Table:
        keys = [f"k{i}" for i in range(len(self.coded))]
        columns = [*keys, "count(*) as n"]
        columns.append(
            "n as items" if self.weight is None else "least(sum(w), 2**62)::bigint as items"
        )
        for i in range(len(self.numbers)):
            columns += [
                f"count_if(m{i}) as m{i}",
                f"count_if(not m{i} and (v{i} is null or not isfinite(v{i}))) as b{i}",
                f"max(abs(v{i})) as a{i}",
            ]
        if self.weight is not None:
            columns.append("count_if(w is null or w < 0 or w <> x) as bw")
        query = f"select {', '.join(columns)} from ({self.chosen(connection)})"
        if keys:
            query += f" group by {', '.join(keys)}"
        groups = connection.sql(f"{query} limit {MAX_CELLS + 1}").to_arrow_table()
        if len(groups) > MAX_CELLS:
            raise InputError(
                f"{self.called}: the columns {', '.join(f'`{name}`' for name in self.coded)} have "
                f"more than {MAX_CELLS:,} combinations of values: name columns with fewer values."
            )
        if not pc.sum(groups["n"]).as_py():
            raise InputError(f"{self.called}: there are no rows: give at least one row.")
        return groups

    def _check(self, connection: DuckDBPyConnection, groups: pa.Table) -> None:
        for i, name in enumerate(self.numbers):
            missing, wrong = (pc.sum(groups[f"{kind}{i}"]).as_py() for kind in "mb")
            if missing:
                raise InputError(
                    f"{self.called}: column `{name}` has {missing} missing value(s)"
                    f"{self.first_file(connection, name)}: fill in or drop such rows."
                )
            if wrong:
                sql, scan = self._expressions(name), self.source.scan(connection, [name])
                ((value,),) = connection.sql(
                    f"select min(c0) from ({scan}) where not {sql.missing} "
                    f"and ({sql.number} is null or not isfinite({sql.number}))"
                ).fetchall()
                raise InputError(
                    f"{self.called}: column `{name}` must hold finite numbers and holds "
                    f"{shown(value)}: correct it, or name another column."
                )
            largest = pc.max(groups[f"a{i}"]).as_py()
            if largest > LARGEST:
                raise InputError(
                    f"{self.called}: column `{name}` holds {largest:g} (without its sign), and "
                    f"numbers may be as large as {LARGEST:g}: correct it, or divide the column by "
                    "a large number."
                )
            if largest > LARGEST_WHOLE:
                sql, scan = self._expressions(name), self.source.scan(connection, [name])
                ((values, numbers),) = connection.sql(
                    f"select count(distinct {sql.value}), count(distinct {sql.number}) "
                    f"from ({scan}) where abs({sql.number}) > {LARGEST_WHOLE}"
                ).fetchall()
                if values > numbers:
                    raise InputError(
                        f"{self.called}: column `{name}` holds numbers above 2^53 that differ, "
                        "but not as floats: give their ranks, or subtract a number from all."
                    )
        if self.weight is not None:
            wrong = pc.sum(groups["bw"]).as_py()
            if wrong:
                raise InputError(
                    f"{self.called}: column `{self.weight}` must hold counts, whole numbers from "
                    f"0 on, and {wrong} row(s) hold another value: correct them, or name another "
                    "column."
                )
            items = pc.sum(groups["items"].cast(pa.float64(), safe=False)).as_py()
            if not 0 < items <= LARGEST_WHOLE:
                what = "all counts are 0" if not items else f"the counts sum to {items:g}"
                raise InputError(
                    f"{self.called}: column `{self.weight}`: {what}: give at least one item, and "
                    "at most 2^53."
                )

    def first_file(self, connection: DuckDBPyConnection, name: str) -> str:
        """Return the file of the first missing values, if there are several files."""
        if len(self.source.files.paths) < 2:
            return ""
        missing, items, names = self._expressions(name).missing, "count(*)", [name]
        if self.weight is not None:
            names.append(self.weight)
            items = f"sum({self._expressions(self.weight, 'c1').whole})"
        scan = self.source.scan(connection, names, FILE)
        file, count = connection.sql(
            f"select {FILE}, {items} as n from ({scan}) where {missing} group by 1 having n > 0 "
            "order by 1 limit 1"
        ).fetchall()[0]
        return f", {count} of them in {file}"

    def _expressions(self, name: str, column: str = "c0") -> Expressions:
        return Expressions(self.source, name, column, self.source.marks.get(name, ""))

    def sorted_rows(self, connection: DuckDBPyConnection, cells: pa.Table) -> str:
        """Return a query of the different numbers and cells, in their order, with their count."""
        names = [f"k{i}" for i in range(len(self.coded))]
        connection.register("arrow_cells", cells.rename_columns([*names, "place"]))
        # how far a query of Arrow's tables is, is not known
        connection.execute("create temp table cells as from arrow_cells")
        match = " and ".join(f"r.{name} is not distinct from cells.{name}" for name in names)
        count = "count(*)" if self.weight is None else "sum(w)::bigint"
        columns = [*(f"v{i}" for i in range(len(self.numbers))), "place", f"{count} as items"]
        query = f"select {', '.join(columns)} from ({self.chosen(connection)}) r"
        query += f" join cells on {match}" if names else " cross join cells"
        if self.weight is not None:
            query += " where w > 0"
        keys = ", ".join(str(i + 1) for i in range(len(self.numbers) + 1))
        return f"{query} group by {keys} order by {keys}"


@dataclass(frozen=True)
class _SqlTexts:
    """The texts of a column, which are not all in memory."""

    grouping: Grouping
    connection: DuckDBPyConnection
    name: str

    def fit(self, pattern: str) -> bool:
        """Return whether each of them matches a pattern as a whole."""
        return self._one(f"not regexp_full_match({self._sql.text}, {literal(pattern)})") is None

    def first(self, mark: str) -> str | None:
        """Return one that holds a mark."""
        return self._one(f"contains({self._sql.text}, {literal(mark)})")

    @property
    def _sql(self) -> Expressions:
        return Expressions(self.grouping.source, self.name, "c0")

    def _one(self, condition: str) -> str | None:
        scan = self.grouping.source.scan(self.connection, [self.name])
        query = f"select {self._sql.text} from ({scan}) where not {self._sql.missing} and "
        query += f"{condition} limit 1"
        rows = self.connection.sql(query).fetchall()
        return str(rows[0][0]) if rows else None
