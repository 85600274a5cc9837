"""Write the numbers needed as page, JSON and CSV."""

from __future__ import annotations

from pathlib import Path

from fairpairs.audits.power.judged import JudgmentsNeeded
from fairpairs.audits.power.sample_size import FILES, SampleSizes
from fairpairs.audits.power.within import ItemsWithin
from fairpairs.base.document import Document
from fairpairs.base.files import csv_text, json_text, write_together


def write(
    result: SampleSizes | ItemsWithin | JudgmentsNeeded, report: Document, folder: Path
) -> None:
    """Write FILES into a folder: all, or none."""
    contents = report.to_html(), json_text(result.to_dict()), csv_text(result.curve())
    write_together({folder / name: text for name, text in zip(FILES, contents, strict=True)})
