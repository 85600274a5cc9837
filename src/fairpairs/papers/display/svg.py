"""A figure of a run as part of a page."""

import re
from pathlib import Path

from fairpairs.base.errors import InputError
from fairpairs.base.sealed import DAMAGED, checked_digest


def embedded(path: str | Path, prefix: str) -> str:
    """Return an SVG file as an element of an HTML page; empty without it, InputError if damaged.

    The names of its parts begin with the prefix: no two figures of a page may share them.
    """
    path = Path(path)
    if not path.exists():
        return ""
    checked_digest(path)
    text = path.read_text("utf-8")
    start, end = text.find("<svg"), text.rfind("</svg>")
    if start < 0 or end < 0:
        raise InputError(DAMAGED.format(path))
    text = text[start:end] + "</svg>"
    text = re.sub(r'(\bid="|\bhref="#|url\(#)', rf"\g<1>{prefix}-", text)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # no eye sees digits beyond a hundredth of a point
    return re.sub(
        r'(?<=\s)(?:d|x|y)="[^"]*"', lambda found: re.sub(r"(\.\d\d)\d+", r"\1", found[0]), text
    )
