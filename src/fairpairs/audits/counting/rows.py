"""Rows of any size, which DuckDB reads, groups and sorts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairpairs.audits.counting.cells import (
    Cells,
    Ordered,
    canonical,
    check_single,
    chunks,
    of_batch,
)
from fairpairs.audits.counting.grouping import Grouping
from fairpairs.audits.counting.opening import (
    COUNT,
    CountsRoles,
    check_repeated_cells,
    frequencies,
    read_headers,
    without_digest,
)
from fairpairs.base.errors import InputError
from fairpairs.base.long_work import BAR
from fairpairs.base.named_columns import NamedColumns
from fairpairs.base.reading.arrow import kind_of
from fairpairs.base.reading.database import batches, database
from fairpairs.base.reading.opening import is_empty, source_of, source_of_table
from fairpairs.base.reading.packed import is_packed
from fairpairs.base.reading.paths import expanded
from fairpairs.base.reading.sources import ParquetFiles, Source
from fairpairs.base.reading.table import Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Seconds between two looks.
EVERY = 0.3

#: Rows, in about, whose values are counted one by one.
MOST_HASHED = 1_000_000
#: Bytes of a file of surely no more than a million rows.
SMALL_FILE = 2_000_000
#: Size of files, and kinds of columns, in which copies of rows are looked for.
MOST_BYTES, MOST_CELLS, READ = 100_000_000, 10_000_000, ("text", "numbers", "true and false")
#: Without sizes that allow for copies, fewer cells are read again.
MOST_CELLS_AGAIN = 2_000_000
#: Fewer different rows, or a smaller share of copies, may be chance, as may copies where no column
#: tells all different rows apart but for this share of them, and of the copies.
FEWEST_COPIED, COPIED, NOT_TOLD = 10, 0.2, 0.1


class Rows(NamedColumns):
    """Rows of Parquet or CSV files, of counts files, or of a table, which DuckDB reads.

    They are never all in memory. With counts, or a column of frequencies, a row stands for as many
    items. `roles` are the columns of counts files, else None; `progress` shows a bar on a terminal.
    """

    def __init__(
        self, source: Source, roles: CountsRoles | None = None, items: int | None = None
    ) -> None:
        self.source, self._items = source, items
        self.called, self.roles = source.called, roles
        self.progress = False
        names = self.source.columns
        self.columns = list(names) if self.roles is None else self.roles.names

    @classmethod
    def of_files(cls, paths: Sequence[Path]) -> Rows:
        """Return the rows of files: CSV or Parquet, or counts files, but not mixed.

        A folder stands for its files of Parquet, CSV or JSON lines, and a pattern for what it
        matches. InputError if a file is missing or named twice, or if kinds or columns differ.
        """
        source = source_of(expanded(paths))
        if not isinstance(source, ParquetFiles):
            return cls(source)
        roles, items = read_headers(source)
        return cls(source.unify(), roles, items)

    @classmethod
    def of_table(cls, table: Any, name: str) -> Rows:
        """Return the rows of a table of pandas, Polars or Arrow under a name for messages.

        What is computed when it is read (a lazy table of Polars, a reader of Arrow, a relation of
        DuckDB) is written to a temporary file first.
        """
        return cls(source_of_table(table, name))

    def __len__(self) -> int:
        if self._items is None:
            self._items = self.source.rows
        if self._items is None:
            with self._database("Counting rows") as connection:
                scan = self.source.scan(connection, [])
                ((self._items,),) = connection.sql(f"select count(*) from ({scan})").fetchall()
        return int(self._items)

    @property
    def small(self) -> bool:
        """Whether a file is so small that it surely has at most a million rows, one per item."""
        paths = self.source.files.paths
        if self.roles is not None or len(paths) != 1 or is_packed(paths[0]):
            return False
        return paths[0].stat().st_size < SMALL_FILE

    def check_repeated_cells(self, names: Sequence[str], weight: str) -> None:
        """Raise InputError when a Parquet file of nothing but counts has a combination twice."""
        if {*names, weight} == {*self.columns}:
            for path in without_digest(self.source.files.paths):
                check_repeated_cells(path, names)

    @property
    def empty(self) -> bool:
        """Whether the files have columns but no rows."""
        paths = self.source.files.paths
        return bool(paths) and all(map(is_empty, paths))

    def table(self, names: Sequence[str], weight: str | None = None) -> Table:
        """Return some columns of all items in memory; a row with a count is repeated."""
        weight = weight if self.roles is None else COUNT
        several = [*dict.fromkeys([*names, *([] if weight is None else [weight])])]
        table = Table(self.source, several)
        if weight is None:
            return table
        counts = frequencies(table, weight)
        return table.repeated(counts, names)

    def cells(
        self,
        coded: Sequence[str],
        numbers: Sequence[str],
        *,
        weight: str | None = None,
        missing_group: Collection[str] = (),
        names: Collection[str] = (),
        remedy: str = "",
    ) -> Cells:
        """Count the items by the values of `coded`, and check that `numbers` are finite.

        `missing_group` are those of `coded` in which a missing value is a group, `names` those of
        `coded` that are never numbers, with more advice on missing values, the `remedy`. Other
        missing values, numbers that are too large, no rows, and more than a million combinations
        raise InputError.
        """
        for name in coded:
            check_single(self.source, name)
        weight = weight if self.roles is None else COUNT
        grouping = Grouping(self.source, coded, numbers, weight)
        with self._database("Counting rows") as connection:
            groups = grouping.groups(connection)
            return canonical(
                groups,
                grouping,
                where=lambda name: grouping.first_file(connection, name),
                missing_group=missing_group,
                names=names,
                remedy=remedy,
            )

    def ordered(self, numbers: Sequence[str], cells: Cells) -> Iterator[Ordered]:
        """Yield the different rows of numbers and cells, sorted, 65,536 at a time.

        They depend on the rows alone, not on their order, on files or threads; `cells` must have
        checked the numbers.
        """
        grouping = Grouping(self.source, list(cells.columns), numbers, cells.weight)
        with self._database("Sorting rows") as connection:
            query = grouping.sorted_rows(connection, cells.raw)
            kinds = [self.source.type_of(name) for name in numbers]
            yield from chunks(of_batch(batch, kinds) for batch in batches(connection, query))

    def of_some(self, name: str, others: Sequence[str]) -> Table:
        """Return some columns; of more than a million rows, those of some values of the first one.

        The values are sampled by their hash.
        """
        names = [name, *others]
        part = len(self) // MOST_HASHED + 1
        if part == 1:
            return self.table(names)
        with self._database("Looking at repeated values") as connection:
            scan = self.source.scan(connection, names)
            rows = connection.sql(
                f"select * from ({scan}) where c0 is not null and hash(c0) % {part} = 0"
            ).to_arrow_table()
        rows, european = rows.rename_columns(names), self.source.european
        return Table.of_cells(rows, self.called, european=european)

    def copies(self, sizes: Iterable[NDArray[np.int64]] = ()) -> tuple[int, int]:
        """Return how many rows are copies of other rows, in all columns, and how many rows are.

        It is 0 where this may be chance: no column tells nearly all different rows apart, and they
        are not all there equally often or a multiple of that. Of
        counts, large files and columns of other types it is 0, too. More cells are read
        if `sizes`, of cells or of the values of columns, have a common divisor.
        """
        divisor = 0
        for numbers in sizes:
            divisor = int(np.gcd(divisor, np.gcd.reduce(numbers)))
            if divisor == 1:
                break
        if self.roles is not None:
            return 0, 0
        size = sum(path.stat().st_size for path in self.source.files.paths)
        most = MOST_CELLS if divisor > 1 else MOST_CELLS_AGAIN
        many = not self.small and len(self.columns) * len(self) > most
        plain = self.source.of_text
        if not plain:
            with suppress(InputError):  # of a column that has no role
                plain = all(kind_of(self.source.type_of(name)) in READ for name in self.columns)
        if size > MOST_BYTES or many or not plain:
            return 0, 0
        table = self.table(self.columns)
        of_each = table.counts_of_rows()
        kinds = len(of_each)
        copies = len(table) - kinds
        if copies < COPIED * len(table) or kinds < FEWEST_COPIED:
            return 0, len(table)
        told = max(table.different_values(name) for name in self.columns)
        # all rows together are there twice, or more often
        repeated = kinds >= 2 * FEWEST_COPIED and np.gcd.reduce(of_each) > 1
        by_chance = kinds - told > NOT_TOLD * min(kinds, copies) and not repeated
        return 0 if by_chance else copies, len(table)

    def with_few(self, names: Iterable[str], most: int = 1000) -> list[str]:
        """Return those of some columns that have at most `most` different values."""

        def few(connection: DuckDBPyConnection, name: str) -> bool:
            check_single(self.source, name)
            different: set[Any] = set()
            grouping = Grouping(self.source, [name], [], None)
            for batch in batches(connection, grouping.chosen(connection)):
                different.update(pc.unique(batch.column(0)).drop_null().to_pylist())
                if len(different) > most:
                    return False
            return True

        with self._database("Looking at values") as connection:
            return [name for name in names if few(connection, name)]

    @contextmanager
    def _database(self, doing: str) -> Iterator[DuckDBPyConnection]:
        """Yield a connection; if anything fails and the files have changed, report the change."""
        try:
            with ExitStack() as stack:
                connection = stack.enter_context(database(self.called))
                if self.progress:
                    stack.enter_context(progress(connection, doing))
                yield connection
        except InputError:
            self.source.files.check()
            raise
        self.source.files.check()


@contextmanager
def progress(connection: DuckDBPyConnection, doing: str) -> Iterator[None]:
    """Show the progress of the queries in the block, and their task; only on a terminal."""
    from tqdm import tqdm  # noqa: PLC0415  (slow)

    # without `disable`, tqdm looks whether there is a terminal
    with tqdm(total=100, desc=doing, leave=False, disable=None, bar_format=BAR) as bar:
        if bar.disable:
            yield
            return
        connection.execute("set enable_progress_bar=true; set enable_progress_bar_print=false")
        done = Event()

        def watch() -> None:
            while not done.wait(EVERY):
                # below 0 before it is known
                bar.n = max(connection.query_progress(), 0)
                bar.refresh()

        thread = Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()
