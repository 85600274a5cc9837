"""The result of an audit: its tables as text, page, JSON and CSV."""

from __future__ import annotations

from dataclasses import dataclass

from fairpairs.audits.audit.files import FILES
from fairpairs.audits.audit.tables import AuditTables
from fairpairs.audits.audit.text import text
from fairpairs.base.files import csv_text, json_text
from fairpairs.base.shown_result import ShownResult


@dataclass(frozen=True, repr=False)
class AuditResult(ShownResult, AuditTables):
    """The result of an audit.

    Attributes
    ----------
    tests
        One row per hypothesis or measure, as `to_frame` returns it.
    rates
        One row per group and rate: `attribute`, `group`, `items` of the group, `measure`,
        `estimate`, `ci_low`, `ci_high`, `count` and `n` (a rate is count / n), `note`.
    about
        What was audited and how: see audit.schema.json.
    """

    def to_text(self, width: int = 100) -> str:
        """Return the tables for a terminal of `width` columns, at least 100."""
        return text(self, width)

    def _page(self, *, whole: bool) -> str:
        from fairpairs.audits.audit.page import page  # noqa: PLC0415  (matplotlib is slow to load)

        return page(self, whole=whole)

    def to_junit(self, *, unless_shown: bool = False) -> str:
        """Return a JUnit XML file, whose test cases are the lines that count.

        Parameters
        ----------
        unless_shown
            Whether a line fails unless it is shown to lie within the margin; if not, it fails when
            it is violated, with a margin beyond it. p-values are adjusted as for `violated`.
        """
        from fairpairs.audits.audit.junit import junit  # noqa: PLC0415  (only where it is asked for)

        return junit(self, unless_shown=unless_shown)

    def _files(self) -> dict[str, str]:
        tables = csv_text(self.tests), csv_text(self.rates)
        texts = (self.to_html(), json_text(self.to_dict()), *tables)
        return dict(zip(FILES, texts, strict=True))
