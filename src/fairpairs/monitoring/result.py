"""The result of a monitor: its lines and their history as text, page, JSON and CSV."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from fairpairs.files import csv_text, json_text, write_together
from fairpairs.monitoring.files import FILES
from fairpairs.monitoring.tables import MonitorTables
from fairpairs.monitoring.text import document


@dataclass(frozen=True, repr=False)
class MonitorResult(MonitorTables):
    """What the batches so far show.

    Attributes
    ----------
    lines
        One row per line: see `to_frame`.
    history
        Estimates and intervals after earlier batches, at most about 200 looks of each line, and
        now: `batch`, `rows`, the line, `estimate`, `ci_low`, `ci_high`.
    about
        What is monitored and how: see monitor.schema.json.
    """

    def to_text(self) -> str:
        """Return the report for a terminal."""
        return document(self).to_text()

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.to_text()

    def to_html(self) -> str:
        """Return a complete page, with a figure of each line over time."""
        return self._page(whole=True)

    def _repr_html_(self) -> str:
        return self._page(whole=False)

    def _page(self, *, whole: bool) -> str:
        from fairpairs.monitoring.page import page  # noqa: PLC0415  (matplotlib is slow to load)

        return page(self, whole=whole)

    def to_junit(self, *, unless_shown: bool = False) -> str:
        """Return JUnit XML with a test case for each line that counts (see monitor.md)."""
        from fairpairs.monitoring.junit import junit  # noqa: PLC0415  (seldom needed)

        return junit(self, unless_shown=unless_shown)

    def write(self, folder: str | Path) -> None:
        """Write the files that `files.FILES` names into a folder: all, or none."""
        contents = (
            self.to_html(), json_text(self.to_dict()), csv_text(self.lines), csv_text(self.history),
        )  # fmt: skip
        write_together(
            {Path(folder) / name: text for name, text in zip(FILES, contents, strict=True)}
        )


def schema() -> Path:
    """Return the path of the JSON schema of monitor.json."""
    return Path(str(files("fairpairs.monitoring") / "monitor.schema.json"))
