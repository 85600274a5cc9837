"""Rows in memory, by column: words, numbers, or whatever a role asks for; errors name the place."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairpairs.base.arrays import Array, Floats, Series
from fairpairs.base.columns import Column, PartialColumn, fill_missing
from fairpairs.base.errors import InputError, shown
from fairpairs.base.inputs import LARGEST
from fairpairs.base.named_columns import NamedColumns
from fairpairs.base.reading.arrow import TRUE_FALSE, cells_of, is_text, single
from fairpairs.base.reading.csv_layout import STYLE
from fairpairs.base.reading.numbers import PLAIN, ArrowTexts, decimal_mark, note, point_of
from fairpairs.base.reading.opening import is_counts, source_of, source_of_table
from fairpairs.base.reading.sources import Source, cast
from fairpairs.base.texts import listed
from fairpairs.base.words import (
    LARGEST_WHOLE,
    check_alike,
    check_floats,
    check_precision,
    names_to_check,
    words,
)


class Table(NamedColumns):
    """Rows of a CSV, JSON or Parquet file, or of a table, in memory; every error names the place.

    A column keeps its type until a role asks for words or numbers. `notes` say which texts were
    read as numbers in another way than they are written.
    """

    def __init__(self, given: Path | Source, names: Sequence[str] | None = None) -> None:
        """Read a file, or some columns of a source.

        A counts file is refused, as each of its rows stands for several.
        """
        source = given if isinstance(given, Source) else source_of([given])
        if isinstance(given, Path):
            if is_counts(source):
                raise InputError(
                    f"{given}: a counts file, each of whose rows stands for several: give the "
                    "rows that were counted."
                )
            source.unify()
        names = source.columns if names is None else names
        self.called, self.sha256 = source.called, source.digest
        parts = list(source.parts(names))
        source.files.check()
        if not any(len(rows) for _, rows in parts):
            what = "file" if self.sha256 else "table"
            has = "has a header but" if source.of_text else "has"
            raise InputError(f"{self.called}: the {what} {has} no rows: give at least one row.")
        schema = pa.schema([(name, source.type_of(name)) for name in names])
        rows = [part if part.schema == schema else cast(part, schema, path) for path, part in parts]
        self._cells = pa.concat_tables(rows)
        self._start(source.european, [(str(path), len(part)) for path, part in parts])

    @classmethod
    def of(cls, values: Any, name: str) -> Table:
        """Return a table of any kind under a name; it has no digest."""
        return cls(source_of_table(values, name))

    @classmethod
    def of_cells(cls, cells: pa.Table, called: str, *, european: bool = False) -> Self:
        """Return a table of Arrow under a name."""
        self = cls.__new__(cls)
        self.called, self.sha256, self._cells = called, "", cells
        self._start(european)
        return self

    def _start(self, european: bool, parts: Sequence[tuple[str, int]] = ()) -> None:
        self.path = Path(self.called)
        self.columns = list(self._cells.column_names)
        self.notes: dict[str, str] = {}
        self._european, self._decimal = european, STYLE.get().decimal
        self._parts = parts if len(parts) > 1 else ()

    def __len__(self) -> int:
        return len(self._cells)

    def counts_of_rows(self) -> NDArray[np.int64]:
        """Return how often each different row is there."""
        rows = self._cells.group_by(self.columns, use_threads=False)
        return np.asarray(rows.aggregate([([], "count_all")])["count_all"])

    def different_values(self, name: str) -> int:
        """Return the number of different cells of a column."""
        return int(pc.count_distinct(self._cells[name], mode="all").as_py())

    def frame(self) -> pd.DataFrame:
        """Return all columns as they were written: texts of a CSV, whole numbers as such."""
        cells = {name: cells_of(self._cells[name]) for name in self.columns}
        return pd.DataFrame(pa.table(cells).to_pandas(types_mapper=pd.ArrowDtype))

    def repeated(self, counts: NDArray[np.int64], names: Sequence[str]) -> Table:
        """Return some columns, with each row repeated by its count."""
        rows = copy(self)
        taken = pa.array(np.repeat(np.arange(len(self)), counts))
        rows._cells, rows.columns = self._cells.select(list(names)).take(taken), list(names)
        return rows

    def coded(self, name: str, remedy: str = "", *, number: bool = False) -> Column:
        """Return a column by its different values; InputError where one is missing, or no value.

        With `number`, texts that are all numbers become numbers.
        """
        part = self.known(name, number=number)
        self._check_missing(name, ~part.where, remedy)
        if not number:
            check_floats(part.known.kinds, self._called(name))
        return part.known

    def coded_in_part(self, name: str, *, number: bool = False) -> PartialColumn:
        """Return a column of which values may be missing; InputError where all are."""
        part = self.known(name, number=number)
        if not part.where.any():
            raise InputError(
                f"{self.called}: column `{name}` has no value in any row: fill in some, or name "
                "another column."
            )
        if not number:
            check_floats(part.known.kinds, self._called(name))
        return part

    def coded_with_missing(self, name: str, *, numbers_beyond: int | None = None) -> Column:
        """Return a column by its different values; a missing one is a value of its own.

        Of more texts than `numbers_beyond`, those that are all numbers, not written plainly, become
        numbers.
        """
        part = self.known(name)
        known = part.known
        many = numbers_beyond is not None and len(known.kinds) > numbers_beyond
        if many and known.code is not None:
            texts = pa.array(known.kinds)
            numbers = self._numbers(name, texts)
            plain = self._decimal != "," and ArrowTexts(texts).fit(PLAIN)  # such as the code 007
            if numbers is not None and not plain:
                known = Column(numbers, known.code)
        if part.where.all():
            return known
        code = np.full(len(self), -1)
        code[part.where], kinds = known.coded()
        role = self._called(name)
        return fill_missing(np.array(words(kinds, role), dtype=object), code, role)

    def missing(self, name: str) -> NDArray[np.bool_]:
        """Return which rows have no value in a column."""
        self.check_column(name, "--label")
        return ~self.known(name).where

    def words(self, name: str, remedy: str = "") -> pd.Series[str]:
        """Return a column in words; InputError when a value is missing."""
        return pd.Series(self.categories(name, remedy).astype("str"), name=name)

    def categories(self, name: str, remedy: str = "") -> Series:
        """Return `words` as sorted categories, which are faster if values recur."""
        part = self.known(name)
        self._check_missing(name, ~part.where, remedy)
        return _categories(part, name, self._called(name))

    def categories_in_part(self, name: str) -> Series:
        """Return `categories` of a column of which values may be missing."""
        return _categories(self.coded_in_part(name), name, self._called(name))

    def two_groups(self, name: str) -> tuple[pd.Series[str], list[str]]:
        """Return a column of groups and their sorted names; InputError unless there are two."""
        groups = self.words(name)
        names = sorted(groups.unique())
        if len(names) != 2:
            raise InputError(
                f"{self.called}: column `{name}` has {len(names)} group(s), "
                f"{listed(map(repr, names))}: two are compared, so keep two, or write one against "
                "the others."
            )
        return groups, names

    def of_some(self, name: str, others: Sequence[str]) -> Table:
        """Return the table; of larger ones than those in memory, this is a part of the rows."""
        return self

    def numbers(self, name: str, remedy: str) -> pd.Series[float]:
        """Return a column of finite numbers; InputError, with the remedy, when there is another."""
        cells = self._cells[name]
        if pa.types.is_boolean(cells.type):
            cells = cells.cast(pa.int8())
        part = self.known(name, number=True, cells=cells)
        self._check_missing(name, ~part.where, "")
        kinds = part.known.kinds
        values = part.known.of_items(_floats(kinds))
        wrong = ~np.isfinite(values)
        if wrong.any():
            raise InputError(
                f"{self.called}: column `{name}` must hold finite numbers and holds "
                f"{shown(part.known.of_items(kinds)[wrong][0])}{self._in_row(wrong)}: {remedy}."
            )
        check_precision(kinds, _floats(kinds), self._called(name))
        return pd.Series(values, name=name)

    def known(
        self, name: str, *, number: bool = False, cells: pa.ChunkedArray | None = None
    ) -> PartialColumn:
        """Return the known values of a column, or of its `cells`, by their different ones.

        There may be none. With `number`, texts that are all numbers become numbers.
        """
        values = single(self._cells[name] if cells is None else cells, self._called(name))
        if pa.types.is_boolean(values.type):
            values = pc.if_else(values, "True", "False")
        if not (pa.types.is_dictionary(values.type) or is_text(values.type)):
            where = values.is_valid().to_numpy()
            known = values.drop_null().to_numpy()
            self._check_size(name, known, where)
            return PartialColumn(Column(known), where)
        encoded = values.combine_chunks()
        if not pa.types.is_dictionary(encoded.type):
            encoded = encoded.dictionary_encode()
        code = encoded.indices.fill_null(-1).to_numpy().astype(np.int64)
        kinds = self._numbers(name, encoded.dictionary) if number else None
        where = code >= 0
        if kinds is None:
            kinds = encoded.dictionary.to_numpy(zero_copy_only=False)
            if not number and (check := names_to_check(name, kinds.tolist())):
                self.notes[name] = check
            if number:  # classes, whose names are those of groups
                check_alike(kinds.tolist(), self._called(name))
                kinds = np.array(words(kinds, self._called(name)), dtype=object)
        else:
            self._check_size(name, kinds[code[where]], where)
        return PartialColumn(Column(kinds, code[where]), where)

    def _numbers(self, name: str, texts: pa.Array) -> Array | None:
        """Return the numbers of different texts, None where one of them is none."""
        if not len(texts):
            return None
        found, place = ArrowTexts(texts), self._called(name)
        mark = decimal_mark(found, place, self._decimal, european=self._european)
        if not mark:
            return None
        if text := note(name, found, mark):
            self.notes[name] = text
        numbers = np.array([float(point_of(text, mark)) for text in texts.to_pylist()])
        large = np.abs(numbers) >= LARGEST_WHOLE
        if len(np.unique(numbers[large])) < large.sum() or np.isinf(numbers).any():
            return None  # words, which are told apart
        return numbers

    def _called(self, name: str) -> str:
        return f"{self.called}: column `{name}`"

    def _in_row(self, wrong: NDArray[np.bool_]) -> str:
        """Return the place of the first wrong row, for messages."""
        row = int(np.argmax(wrong))
        for path, rows in self._parts:
            if row < rows:
                return f" in row {row + 1} of {path}"
            row -= rows
        return f" in row {row + 1}"

    def _check_missing(self, name: str, missing: NDArray[np.bool_], remedy: str) -> None:
        if missing.any():
            raise InputError(
                f"{self.called}: column `{name}` has {missing.sum()} missing value(s), the first"
                f"{self._in_row(missing)}: fill in or drop such rows{remedy}."
            )

    def _check_size(self, name: str, known: Array, where: NDArray[np.bool_]) -> None:
        large = np.abs(known.astype(np.float64)) > LARGEST
        if large.any() and np.isfinite(known[large]).all():
            rows = np.zeros(len(where), dtype=np.bool_)
            rows[np.flatnonzero(where)[large]] = True
            raise InputError(
                f"{self.called}: column `{name}` holds {float(known[large][0]):g}"
                f"{self._in_row(rows)}, and numbers may be as large as {LARGEST:g}: "
                "correct it, or divide the column by a large number."
            )


def _floats(kinds: Array) -> Floats:
    """Return values as floats, texts of true and false as 1 and 0, NaN for what is no number."""
    if kinds.dtype.kind in "iuf":
        return kinds.astype(np.float64)
    texts = [str(kind).lower() for kind in kinds]
    if set(texts) <= TRUE_FALSE.keys():
        return np.array([TRUE_FALSE[text] for text in texts])
    return pd.to_numeric(pd.Series(kinds), errors="coerce").to_numpy(np.float64)


def _categories(part: PartialColumn, name: str, role: str) -> Series:
    """Return the words of a column as sorted categories."""
    code, kinds = part.known.coded()
    names = np.array(words(kinds, role), dtype=object)
    sorted_names, rank = np.unique(names, return_inverse=True)
    every = np.full(len(part.where), -1)
    every[part.where] = rank[code]
    return pd.Series(
        pd.Categorical.from_codes(every, pd.Index(sorted_names, dtype="str")), name=name
    )
