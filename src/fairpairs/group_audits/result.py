"""The result of an audit of many groups: its table as text, page, JSON and CSV."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from fairpairs.files import csv_text, json_text, write_together
from fairpairs.group_audits.files import FILES
from fairpairs.group_audits.tables import GroupTables
from fairpairs.group_audits.text import document


@dataclass(frozen=True, repr=False)
class GroupAuditResult(GroupTables):
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

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.to_text()

    def to_html(self) -> str:
        """Return a complete page: the worst groups as a figure, and tables that can be sorted."""
        return self._page(whole=True)

    def _repr_html_(self) -> str:
        return self._page(whole=False)

    def _page(self, *, whole: bool) -> str:
        from fairpairs.group_audits.page import page  # noqa: PLC0415  (matplotlib is slow to load)

        return page(self, whole=whole)

    def write(self, folder: str | Path) -> None:
        """Write the files that `files.FILES` names into a folder: all, or none."""
        contents = (self.to_html(), json_text(self.to_dict()), csv_text(self.tests))
        write_together(
            {Path(folder) / name: text for name, text in zip(FILES, contents, strict=True)}
        )


def schema() -> Path:
    """Return the path of the JSON schema of groups.json."""
    return Path(str(files("fairpairs.group_audits") / "groups.schema.json"))
