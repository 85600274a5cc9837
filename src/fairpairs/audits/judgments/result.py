"""The result of an audit of judgments: its tables as text, page, JSON and CSV."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from fairpairs.audits.judgments.files import FILES
from fairpairs.audits.judgments.tables import JudgmentsTables
from fairpairs.audits.judgments.text import document
from fairpairs.base.files import csv_text, json_text
from fairpairs.base.shown_result import ShownResult


@dataclass(frozen=True, repr=False)
class JudgmentsResult(ShownResult, JudgmentsTables):
    """The result of an audit of models by comparative judgments.

    Attributes
    ----------
    tests
        One row per model, attribute, part of the judgments and hypothesis: see `to_frame`.
    cells
        One row per model, attribute and two groups: see `rates`.
    shares
        One row per share of the judgments: of ties, of those for the item shown first, of those for
        a group.
    judges, differ
        One row per judge: how often the judge prefers a group; whether judges differ in it.
    about
        What was audited and how: see judgments.schema.json.
    """

    def to_text(self) -> str:
        """Return the report for a terminal."""
        return document(self).to_text()

    def _page(self, *, whole: bool) -> str:
        from fairpairs.audits.judgments.page import page  # noqa: PLC0415  (matplotlib is slow to load)

        return page(self, whole=whole)

    def _files(self) -> dict[str, str]:
        texts = (
            self.to_html(),
            json_text(self.to_dict()),
            csv_text(self.tests),
            csv_text(self.cells),
            f"{self.to_text()}\n",
        )
        return dict(zip(FILES, texts, strict=True))


def schema() -> Path:
    """Return the path of the JSON schema of judgments.json."""
    return Path(str(files("fairpairs.audits.judgments") / "judgments.schema.json"))
