"""What readers of harnesses share."""

from collections.abc import Mapping
from typing import Any

from fairpairs.base.plain_values import Record


def single(values: Mapping[str, Any] | None) -> Record:
    """Return the values that are no lists and no records."""
    items = (values or {}).items()
    return {str(name): value for name, value in items if not isinstance(value, dict | list)}


def with_metadata(row: Record, metadata: Mapping[str, Any] | None) -> Record:
    """Add single values to a row; one whose name the row has already is called metadata_NAME."""
    return row | {
        f"metadata_{name}" if name in row else name: value
        for name, value in single(metadata).items()
    }


def side(text: object) -> str:
    """Return left or right for an option such as response-1, option_b or left; else the text.

    >>> [side(text) for text in ("response-2", "A", "Left", "tie")]
    ['right', 'left', 'left', 'tie']
    """
    last = str(text).lower().replace("_", "-").replace(" ", "-").split("-")[-1]
    if last in ("1", "a", "left", "first"):
        return "left"
    return "right" if last in ("2", "b", "right", "second") else str(text)
