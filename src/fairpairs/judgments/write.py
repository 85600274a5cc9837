"""Write the test of judgments as page, JSON, CSV and text."""

from __future__ import annotations

from pathlib import Path

from fairpairs.files import csv_text, json_text, write_together
from fairpairs.judgments.audit import FILES, JudgmentsResult
from fairpairs.judgments.text import document


def write(result: JudgmentsResult, folder: Path) -> None:
    """Write FILES into a folder: all, or none."""
    report = document(result)
    contents = (
        report.to_html(), json_text(result.to_dict()), csv_text(result.to_frame()),
        csv_text(result.rates()), f"{report.to_text()}\n",
    )  # fmt: skip
    write_together({folder / name: text for name, text in zip(FILES, contents, strict=True)})
