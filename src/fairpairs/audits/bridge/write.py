"""Write the comparison of two sets of decisions as page, JSON and CSV."""

from __future__ import annotations

from pathlib import Path

from fairpairs.audits.bridge.compare import FILES, BridgeComparison
from fairpairs.audits.bridge.text import document
from fairpairs.base.files import csv_text, json_text, write_together


def write(result: BridgeComparison, folder: Path) -> None:
    """Write bridge.html, bridge.json and bridge.csv into a folder: all, or none."""
    contents = document(result).to_html(), json_text(result.to_dict()), csv_text(result.to_frame())
    write_together({folder / name: text for name, text in zip(FILES, contents, strict=True)})
