"""The result of an audit of many groups: its table as text, page, JSON and CSV."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from fairpairs.audits.groups.files import FILES
from fairpairs.audits.groups.tables import GroupTables
from fairpairs.audits.groups.text import document
from fairpairs.base.files import csv_text, json_text
from fairpairs.base.shown_result import ShownResult


@dataclass(frozen=True, repr=False)
class GroupAuditResult(ShownResult, GroupTables):
    """The result of an audit of many groups.

    Attributes
    ----------
    tests
        One row per group and measure, the worst first: see `to_frame`.
    about
        What was audited and how: see groups.schema.json.
    """

    def to_text(self) -> str:
        """Return the report for a terminal: the worst 20 lines."""
        return document(self).to_text()

    def _page(self, *, whole: bool) -> str:
        from fairpairs.audits.groups.page import page  # noqa: PLC0415  (matplotlib is slow to load)

        return page(self, whole=whole)

    def _files(self) -> dict[str, str]:
        texts = (self.to_html(), json_text(self.to_dict()), csv_text(self.tests))
        return dict(zip(FILES, texts, strict=True))


def schema() -> Path:
    """Return the path of the JSON schema of groups.json."""
    return Path(str(files("fairpairs.audits.groups") / "groups.schema.json"))
