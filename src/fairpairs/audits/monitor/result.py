"""The result of a monitor: its lines and their history as text, page, JSON and CSV."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from fairpairs.audits.monitor.files import FILES
from fairpairs.audits.monitor.tables import MonitorTables
from fairpairs.audits.monitor.text import document
from fairpairs.base.files import csv_text, json_text
from fairpairs.base.shown_result import ShownResult


@dataclass(frozen=True, repr=False)
class MonitorResult(ShownResult, MonitorTables):
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

    def _page(self, *, whole: bool) -> str:
        from fairpairs.audits.monitor.page import page  # noqa: PLC0415  (matplotlib is slow to load)

        return page(self, whole=whole)

    def to_junit(self, *, unless_shown: bool = False) -> str:
        """Return JUnit XML with a test case for each line that counts."""
        from fairpairs.audits.monitor.junit import junit  # noqa: PLC0415  (seldom needed)

        return junit(self, unless_shown=unless_shown)

    def _files(self) -> dict[str, str]:
        texts = (
            self.to_html(),
            json_text(self.to_dict()),
            csv_text(self.lines),
            csv_text(self.history),
        )
        return dict(zip(FILES, texts, strict=True))


def schema() -> Path:
    """Return the path of the JSON schema of monitor.json."""
    return Path(str(files("fairpairs.audits.monitor") / "monitor.schema.json"))
