"""The result of a comparison: its tables as text, page, JSON and CSV."""

from __future__ import annotations

from dataclasses import dataclass

from fairpairs.audits.compare.files import FILES
from fairpairs.audits.compare.tables import ComparisonTables
from fairpairs.audits.compare.text import text
from fairpairs.base.files import csv_text, json_text
from fairpairs.base.shown_result import ShownResult


@dataclass(frozen=True, repr=False)
class ComparisonResult(ShownResult, ComparisonTables):
    """The result of a comparison of two models.

    Attributes
    ----------
    tests
        One row per measure of a group against the reference, as `to_frame` returns it.
    decisions
        One row per attribute, group and label: `items`, and those that only the new model
        (`to_positive`) or only the old one (`to_negative`) decides for, with shares and intervals.
    changed
        One row per item that is decided otherwise: `item`, `label`, `old`, `new`, and its groups.
    about
        What was compared and how: see compare.schema.json.
    """

    def to_text(self, width: int = 100) -> str:
        """Return the tables for a terminal of `width` columns, at least 100."""
        return text(self, width)

    def _page(self, *, whole: bool) -> str:
        from fairpairs.audits.compare.page import page  # noqa: PLC0415  (matplotlib is slow to load)

        return page(self, whole=whole)

    def _files(self) -> dict[str, str]:
        tables = (csv_text(table) for table in (self.tests, self.decisions, self.changed))
        texts = (self.to_html(), json_text(self.to_dict()), *tables)
        return dict(zip(FILES, texts, strict=True))
