"""The page of an audit of judgments."""

from __future__ import annotations

from fairpairs.judgments.tables import JudgmentsTables
from fairpairs.judgments.text import document


def page(result: JudgmentsTables, *, whole: bool) -> str:
    """Return the page."""
    return document(result).to_html()
