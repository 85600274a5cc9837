"""How far a query of DuckDB is, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Seconds between two looks.
EVERY = 0.3
#: What is shown.
BAR = "{desc}: {percentage:3.0f} %|{bar}| {elapsed}<{remaining}"


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
