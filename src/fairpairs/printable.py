"""Text from data, made safe for a line of a terminal or a figure."""

from __future__ import annotations

import re

#: Control characters, separators of lines, half characters: they break lines, SVG and encodings.
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


def printable(text: object) -> str:
    r"""Return text in one line, with control characters as Python writes them.

    Examples
    --------
    >>> print(printable("a\nb\x1b[31m é 北京"))
    a\nb\x1b[31m é 北京
    """
    return UNPRINTABLE.sub(
        lambda found: found[0].encode("unicode_escape").decode("ascii"), str(text)
    )
