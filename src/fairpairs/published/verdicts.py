"""The verdicts of the comparison with published numbers, and on the conclusions of papers."""

from __future__ import annotations

from collections.abc import Collection

AGREES, DIFFERS, NOT_COMPARABLE = "agrees", "differs", "not comparable"

#: Verdicts on a conclusion of a paper.
HOLDS, REDONE, IN_PART, FAILS, UNTOLD = VERDICTS = (
    "holds",
    "holds, redone",
    "holds in part",
    "does not hold",
    "cannot be told",
)
#: The same of several conclusions.
_OF_SEVERAL = dict(
    zip(VERDICTS, ("hold", "hold as redone", "hold in part", "do not hold", UNTOLD), strict=True)
)


def counted(verdicts: Collection[str]) -> str:
    """Count the verdicts on conclusions.

    Examples
    --------
    >>> counted(["holds", "does not hold", "holds"])
    'of 3 conclusions, 2 hold, 1 do not hold'
    """
    counts = {verdict: sum(v == verdict for v in verdicts) for verdict in VERDICTS}
    parts = [f"{count} {_OF_SEVERAL[verdict]}" for verdict, count in counts.items() if count]
    return f"of {len(verdicts)} conclusions, {', '.join(parts)}"
